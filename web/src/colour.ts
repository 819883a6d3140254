/**
 * Colours of topics. Eight that people with any kind of colour vision tell apart (test/palette.test.ts simulates them: the
 * closest two differ by ΔE 15 and more), for light paper and for dark. No colour is ever given twice: where there are more
 * topics than colours, those in focus have one and all others are grey. Who is in focus is in the address, `focus=3,7`; by
 * default the largest.
 */
import { computed } from '@preact/signals'
import { head } from './store'
import { route, setParams } from './route'

export const N_COLOURS = 8
export const GREY = 'var(--grey)'

export function chosenFocus(text: string | undefined, k: number, sizes: number[]): number[] {
  if (text) {
    const asked = text
      .split(',')
      .filter((each) => /^\d+$/.test(each))
      .map(Number)
      .filter((topic) => topic < k)
    return [...new Set(asked)].slice(0, N_COLOURS)
  }
  return sizes
    .map((_, topic) => topic)
    .sort((a, b) => sizes[b]! - sizes[a]! || a - b)
    .slice(0, N_COLOURS)
}

export const focus = computed<number[]>(() => {
  const topics = head.value?.topics ?? []
  return chosenFocus(
    route.value.params.focus,
    topics.length,
    topics.map((each) => each.size),
  )
})

/** The colour of a topic as a CSS value. */
export function colourOf(topic: number): string {
  const place = focus.value.indexOf(topic)
  return place < 0 ? GREY : `var(--topic-${place})`
}

/** What has a colour, with one more or less of them; the longest there makes room. */
export function toggled(now: number[], one: number): number[] {
  return now.includes(one)
    ? now.filter((each) => each !== one)
    : [...now.slice(now.length < N_COLOURS ? 0 : 1), one]
}

/** Take a topic into focus or out of it. */
export function toggleFocus(topic: number): void {
  const next = toggled(focus.value, topic)
  setParams({ focus: next.length ? next.join(',') : '-' })
}

/** A CSS colour as numbers from 0 to 1, for what draws without CSS. */
export function asNumbers(value: string): [number, number, number] {
  const name = /^var\((--[\w-]+)\)$/.exec(value)?.[1]
  const text = name ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : value
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text) // the build writes #ffffff as #fff
  const digits = short
    ? short
        .slice(1)
        .map((digit) => digit + digit)
        .join('')
    : (/^#([0-9a-f]{6})$/i.exec(text)?.[1] ?? '888888')
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16) / 255) as [number, number, number]
}

/** Black or white, whichever is read better on this colour: one of them always has a contrast of 4.5 : 1 or more. */
export function inkOn(colour: [number, number, number]): '#000000' | '#ffffff' {
  const [r, g, b] = colour.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b! > 0.179 ? '#000000' : '#ffffff'
}
