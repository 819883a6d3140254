/** Colours are told apart by any kind of colour vision, on light paper and on dark: those of curves, those of topics. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { between, coloursOf, differencesOf, type Placed } from '../src/palette'
import { toldApart } from '../src/time/order'

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
const SERIES = 3

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

function contrast(hex: string, other: number): number {
  const [low, high] = [luminance(hex), other].sort((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}

const css = readFileSync(new URL('../src/style.css', import.meta.url), 'utf8')
const themes = {
  light: css.slice(0, css.indexOf('@media (prefers-color-scheme: dark)')),
  dark: css.slice(css.indexOf(":root[data-theme='dark']")),
}
const differ = (one: string, other: string, matrix: number[][]) => {
  const [a, b] = [lab(times(matrix, rgb(one))), lab(times(matrix, rgb(other)))]
  return Math.hypot(...a.map((value, at) => value - b[at]!))
}
const hexOf = (theme: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(theme)![1]!

describe.each(Object.entries(themes))('%s', (_, theme) => {
  const colours = [
    ...Array.from({ length: SERIES }, (_, i) => hexOf(theme, `series-${i}`)),
    hexOf(theme, 'grey'), // no topic
    hexOf(theme, 'ink'),
  ]

  test.each(Object.entries(VISION))('no two look alike: %s', (_, matrix) => {
    for (let i = 0; i < colours.length; i++)
      for (let j = 0; j < i; j++)
        expect(differ(colours[i]!, colours[j]!, matrix), `${colours[i]} and ${colours[j]}`).toBeGreaterThan(
          LEAST,
        )
  })

  test('each stands out from the paper by 3 to 1', () => {
    const paper = luminance(hexOf(theme, 'paper'))
    for (const hex of colours.slice(0, SERIES)) expect(contrast(hex, paper), hex).toBeGreaterThan(3)
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

/** Numbers that look random and are always the same. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

function scattered(n: number): Placed[] {
  const roll = dice(n + 11)
  return Array.from({ length: n }, () => ({ x: roll(), y: roll(), size: Math.ceil(100 * roll()) }))
}

/** Pairs of a place and one of its five nearest. */
function nearPairs(places: Placed[]): [number, number][] {
  return places.flatMap((own, i) =>
    places
      .map((other, j) => [Math.hypot(own.x - other.x, own.y - other.y), j] as const)
      .filter(([, j]) => j !== i)
      .sort((a, b) => a[0] - b[0])
      .slice(0, 5)
      .map(([, j]) => [i, j] as [number, number]),
  )
}

describe.each([
  ['light', false],
  ['dark', true],
] as const)('topics, %s', (theme, dark) => {
  test.each([2, 5, 8, 24, 89, 220])('near ones of %i are told apart by everybody', (n) => {
    const places = scattered(n)
    const found = coloursOf(places, dark)
    const pairs = nearPairs(places)
    for (const [vision, matrix] of Object.entries(VISION)) {
      const floor = vision === 'all' ? (n <= 8 ? 25 : 12) : n <= 8 ? 12 : 7
      const each = pairs.map(([i, j]) => differ(found[i]!, found[j]!, matrix)).sort((a, b) => a - b)
      expect(each[0], vision).toBeGreaterThan(floor)
      expect(each[Math.floor(each.length / 10)], vision).toBeGreaterThan(13)
    }
  })
  test('none is given twice, none is grey, each stands out from the paper by 3 to 1', () => {
    const found = coloursOf(scattered(89), dark)
    expect(new Set(found).size).toBe(89)
    const paper = luminance(hexOf(themes[theme], 'paper'))
    for (const hex of found) {
      expect(contrast(hex, paper), hex).toBeGreaterThan(2.98)
      const [, a, b] = lab(rgb(hex))
      expect(Math.hypot(a!, b!), hex).toBeGreaterThan(8)
    }
  })
  test('the same places give the same colours, also with none, with one, and all in one place', () => {
    expect(coloursOf(scattered(40), dark)).toEqual(coloursOf(scattered(40), dark))
    expect(coloursOf([], dark)).toEqual([])
    expect(coloursOf([{ x: 0.5, y: 0.5, size: 3 }], dark)).toHaveLength(1)
    const heap = Array.from({ length: 9 }, () => ({ x: 0.5, y: 0.5, size: 1 }))
    expect(new Set(coloursOf(heap, dark)).size).toBe(9)
  })
  test('hues go around the map', () => {
    const ring = Array.from({ length: 12 }, (_, i) => ({
      x: 0.5 + 0.4 * Math.cos((i * Math.PI) / 6),
      y: 0.5 + 0.4 * Math.sin((i * Math.PI) / 6),
      size: 1,
    }))
    const hues = coloursOf(ring, dark).map((hex) => {
      const [, a, b] = lab(rgb(hex))
      return Math.atan2(b!, a!) / (2 * Math.PI)
    })
    const apart = (i: number, j: number) => Math.abs(((hues[i]! - hues[j]! + 1.5) % 1) - 0.5)
    const mean = (step: number) => hues.reduce((sum, _, i) => sum + apart(i, (i + step) % 12), 0) / 12
    expect(mean(1)).toBeLessThan(mean(3))
    expect(mean(3)).toBeLessThan(mean(6))
  })
})

test('bands that touch are told apart, whatever colours come', () => {
  const roll = dice(5)
  const colours = coloursOf(scattered(60), false)
  const apart = differencesOf(colours)
  const values = colours.map(() => Array.from({ length: 30 }, () => Math.max(0, roll() - 0.4)))
  const least = (order: number[]) => {
    const found: number[] = []
    for (let bin = 0; bin < 30; bin++) {
      const there = order.filter((row) => values[row]![bin]! > 0)
      for (let i = 1; i < there.length; i++) found.push(apart[there[i]! * 60 + there[i - 1]!]!)
    }
    return found.sort((a, b) => a - b)
  }
  const before = colours.map((_, i) => i)
  const after = toldApart(before, values, (i, j) => apart[i * 60 + j]!)
  expect([...after].sort((a, b) => a - b)).toEqual(before)
  const share = (order: number[]) => least(order).filter((each) => each < 8).length / least(order).length
  expect(share(after)).toBeLessThan(share(before) / 2)
  expect(toldApart([], [], () => 0)).toEqual([])
})

test('what lies between colours is none of them, and the heavier is nearer', () => {
  expect(between(['#ff0000', '#0000ff'], [1, 0])).toBe('#ff0000')
  const mixed = between(['#ff0000', '#0000ff'], [3, 1])
  expect(parseInt(mixed.slice(1, 3), 16)).toBeGreaterThan(parseInt(mixed.slice(5, 7), 16))
})
