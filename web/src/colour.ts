/**
 * Colours of topics: every topic has one, made from its place on the map (`palette.ts`), the same in all views and for all
 * documents or some. Topics can be taken into focus, `focus=3,7` in the address: then the others fade. Grey is for what has
 * no topic.
 */
import { computed } from '@preact/signals'
import { between, coloursOf, differencesOf, linear, luminance } from './palette'
import type { Head } from './payload'
import { route, setParams } from './route'
import { head, wholeHead } from './store'
import { isDark } from './ui/scheme'

export const GREY = 'var(--grey)'
const BLACK_AND_WHITE = { light: ['#1d2129', '#fbfaf7'], dark: ['#e8e6e1', '#15171c'] } as const // as in style.css
const FADED = 0.22 // of a colour that is left out of focus

/** Which of n an address takes into focus; none: all are. */
export function chosenFocus(text: string | undefined, n: number): number[] {
  const asked = (text ?? '')
    .split(',')
    .filter((each) => /^\d+$/.test(each))
    .map(Number)
    .filter((each) => each < n)
  return [...new Set(asked)]
}

export const focus = computed<number[]>(() =>
  chosenFocus(route.value.params.focus, head.value?.topics.length ?? 0),
)

/** Colours of which those out of focus are faint. */
export function focused(colours: string[], those: number[], dark: boolean): string[] {
  const paper = BLACK_AND_WHITE[dark ? 'dark' : 'light'][1]
  return colours.map((colour, i) =>
    !those.length || those.includes(i) ? colour : between([colour, paper], [FADED, 1 - FADED]),
  )
}

/** The colours that topics have in a cut. */
export const coloursAt = ({ topics }: Head, dark: boolean): string[] => coloursOf(topics, dark)

const whole = computed<string[]>(() => (wholeHead.value ? coloursAt(wholeHead.value, isDark()) : []))
export const topicColours = computed<string[]>(() => focused(whole.value, focus.value, isDark()))

/** What is written with, and on: for what computes colours itself. */
export const inkAndPaper = (): readonly [ink: string, paper: string] =>
  BLACK_AND_WHITE[isDark() ? 'dark' : 'light']

/** How much the colours of two topics differ, on light paper or on dark, where it is less. */
export const differ = computed<(one: number, other: number) => number>(() => {
  const topics = wholeHead.value?.topics ?? []
  const [light, dark] = [false, true].map((each) => differencesOf(coloursOf(topics, each)))
  return (one, other) =>
    Math.min(light![one * topics.length + other] ?? 0, dark![one * topics.length + other] ?? 0)
})

/** The colour of a topic as a CSS value. */
export const colourOf = (topic: number): string => topicColours.value[topic] ?? GREY

/** What is in focus, with one more or less. */
export const toggled = (now: number[], one: number): number[] =>
  now.includes(one) ? now.filter((each) => each !== one) : [...now, one]

/** Take a topic into focus or out of it. */
export function toggleFocus(topic: number): void {
  setParams({ focus: toggled(focus.value, topic).join(',') })
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
  return luminance(colour.map(linear) as [number, number, number]) > 0.179 ? '#000000' : '#ffffff'
}
