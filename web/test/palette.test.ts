/** The colours of topics are told apart by any kind of colour vision, on light paper and on dark. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { N_COLOURS } from '../src/colour'

// Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
const VISION: Record<string, number[][]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}
const LEAST = 15 // ΔE (CIE 1976); 2.3 is just noticeable

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const rgb = (hex: string) => [1, 3, 5].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255))
const times = (matrix: number[][], vector: number[]) =>
  matrix.map((row) => row.reduce((sum, value, i) => sum + value * vector[i]!, 0))

function lab(colour: number[]): number[] {
  const xyz = times(
    [
      [0.4124, 0.3576, 0.1805],
      [0.2126, 0.7152, 0.0722],
      [0.0193, 0.1192, 0.9505],
    ],
    colour.map((value) => Math.max(0, Math.min(1, value))),
  )
  const [x, y, z] = xyz
    .map((value, i) => value / [0.9505, 1, 1.089][i]!)
    .map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116))
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)]
}

function luminance(hex: string): number {
  const [r, g, b] = rgb(hex)
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

const css = readFileSync(new URL('../src/style.css', import.meta.url), 'utf8')
const themes = {
  light: css.slice(0, css.indexOf('@media (prefers-color-scheme: dark)')),
  dark: css.slice(css.indexOf(":root[data-theme='dark']")),
}
const hexOf = (theme: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(theme)![1]!

describe.each(Object.entries(themes))('%s', (_, theme) => {
  const colours = [
    ...Array.from({ length: N_COLOURS }, (_, i) => hexOf(theme, `topic-${i}`)),
    hexOf(theme, 'grey'), // topics without a colour
    hexOf(theme, 'ink'), // no topic
  ]

  test.each(Object.entries(VISION))('no two look alike: %s', (_, matrix) => {
    const seen = colours.map((hex) => lab(times(matrix, rgb(hex))))
    for (let i = 0; i < seen.length; i++)
      for (let j = 0; j < i; j++) {
        expect(
          Math.hypot(...seen[i]!.map((value, at) => value - seen[j]![at]!)),
          `${colours[i]} and ${colours[j]}`,
        ).toBeGreaterThan(LEAST)
      }
  })

  test('each stands out from the paper by 3 to 1', () => {
    const paper = luminance(hexOf(theme, 'paper'))
    for (const hex of colours.slice(0, N_COLOURS)) {
      const [low, high] = [luminance(hex), paper].sort((a, b) => a - b)
      expect((high! + 0.05) / (low! + 0.05), hex).toBeGreaterThan(3)
    }
  })
})

test('both ways to the dark say the same', () => {
  const asked = css.slice(
    css.indexOf('@media (prefers-color-scheme: dark)'),
    css.indexOf(":root[data-theme='dark']"),
  )
  const values = (text: string) => [...text.matchAll(/--[\w-]+: #[0-9a-f]{6}/g)].map(([each]) => each)
  expect(values(asked)).toEqual(values(themes.dark).slice(0, values(asked).length))
})
