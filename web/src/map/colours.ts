/** What colours of points mean: a code for each document, and a colour for each code. */
import { asNumbers, chosenFocus, colourOf, GREY } from '../colour'
import type { Points } from '../payload'
import { NO_LABEL } from '../rows'

export type ColourBy = 'topic' | 'class' | 'membership' | 'confidence'
type Rgb = [number, number, number]

/** What has no topic, no class or is not known: told apart from all colours and from the grey of topics without one. */
export const NONE = 'var(--ink)'

/** Code 0 is for what is not known. */
export function codesOf(points: Points, by: ColourBy): Uint16Array {
  const code: (row: number) => number =
    by === 'class'
      ? (row) => ((points.label?.[row] ?? NO_LABEL) + 1) & 0xffff
      : by === 'confidence'
        ? (row) => (points.confidence[row]! === 255 ? 0 : points.confidence[row]! + 1)
        : by === 'membership'
          ? (row) => (points.topic[row]! < 0 ? 0 : Math.min(254, points.membership[row]!) + 1)
          : (row) => points.topic[row]! + 1
  const found = new Uint16Array(points.x.length)
  for (let row = 0; row < found.length; row++) found[row] = code(row)
  return found
}

/** Documents of each class. */
export function classSizes(points: Points, classes: number): number[] {
  const sizes = new Array<number>(classes).fill(0)
  points.label?.forEach((label) => {
    if (label < classes) sizes[label]!++
  })
  return sizes
}

/** Which classes have a colour; in the address, `classes=0,3`, as with topics. */
export const classFocus = (text: string | undefined, sizes: number[]): number[] =>
  chosenFocus(text, sizes.length, sizes)

export const classColour = (label: number, focus: number[]): string =>
  focus.includes(label) ? `var(--topic-${focus.indexOf(label)})` : GREY

/** From unsure to sure, by way of grey; also told apart where red and green are not. */
export const RAMP = ['var(--topic-1)', 'var(--grey)', 'var(--topic-0)'] as const

export function rampAt(share: number, stops: Rgb[]): Rgb {
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1)
  const first = Math.min(stops.length - 2, Math.floor(at))
  return [0, 1, 2].map(
    (i) => stops[first]![i]! + (at - first) * (stops[first + 1]![i]! - stops[first]![i]!),
  ) as Rgb
}

/** RGBA bytes, one colour after the other; grey is fainter, so that colours stand out. */
export function paletteOf(by: ColourBy, topics: number, classes: number, focus: number[]): Uint8Array {
  const grey = asNumbers(GREY)
  const stops = RAMP.map(asNumbers)
  const named = (name: string): [Rgb, number] => (name === GREY ? [grey, 0.65] : [asNumbers(name), 1])
  const colour: (code: number) => [Rgb, number] =
    by === 'class'
      ? (code) => named(classColour(code - 1, focus))
      : by === 'topic'
        ? (code) => named(colourOf(code - 1))
        : (code) => [rampAt((code - 1) / 254, stops), 1]
  const n = by === 'class' ? classes + 1 : by === 'topic' ? topics + 1 : 256
  const found = new Uint8Array(4 * n)
  for (let code = 0; code < n; code++) {
    const [rgb, alpha] = code ? colour(code) : ([asNumbers(NONE), 1] as [Rgb, number])
    found.set(
      [...rgb, alpha].map((value) => Math.round(255 * value)),
      4 * code,
    )
  }
  return found
}

/** For each topic + 1 whether it is shown; an empty list: all are. */
export function shownOf(topics: number, only: number[]): Uint8Array {
  const found = new Uint8Array(4 * (topics + 2)) // and one after the last, of which nothing is
  for (let topic = -1; topic < topics; topic++)
    if (!only.length || only.includes(topic)) found[4 * (topic + 1)] = 255
  return found
}
