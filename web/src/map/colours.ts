/** What colours of points mean: a code for each document, and a colour for each code. */
import { asNumbers, GREY } from '../colour'
import { coloursOf } from '../palette'
import type { Points } from '../payload'
import { NO_LABEL } from '../rows'

export type ColourBy = 'topic' | 'class' | 'membership' | 'confidence'
type Rgb = [number, number, number]

/** What has no topic, no class or is not known. */
export const NONE = GREY

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

/** A colour for each class, from where its documents lie. */
export function classColours(points: Points, sizes: number[], dark: boolean): string[] {
  const sums = sizes.map(() => [0, 0])
  points.label?.forEach((label, row) => {
    const sum = sums[label]
    if (!sum) return
    sum[0]! += points.x[row]!
    sum[1]! += points.y[row]!
  })
  return coloursOf(
    sizes.map((size, label) => ({
      x: sums[label]![0]! / Math.max(1, size),
      y: sums[label]![1]! / Math.max(1, size),
      size,
    })),
    dark,
  )
}

/** From unsure to sure, by way of grey; also told apart where red and green are not. */
export const RAMP = ['var(--series-1)', 'var(--grey)', 'var(--series-0)'] as const

export function rampAt(share: number, stops: Rgb[]): Rgb {
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1)
  const first = Math.min(stops.length - 2, Math.floor(at))
  return [0, 1, 2].map(
    (i) => stops[first]![i]! + (at - first) * (stops[first + 1]![i]! - stops[first]![i]!),
  ) as Rgb
}

/** RGBA bytes, one colour after the other: of what is not known, then of topics or classes, or of shares. */
export function paletteOf(by: ColourBy, colours: string[]): Uint8Array {
  const stops = RAMP.map(asNumbers)
  const shares = by === 'confidence' || by === 'membership'
  const known = shares
    ? Array.from({ length: 255 }, (_, i) => rampAt(i / 254, stops))
    : colours.map((colour) => asNumbers(colour))
  const found = new Uint8Array(4 * (known.length + 1))
  ;[asNumbers(NONE), ...known].forEach((rgb, code) => {
    found.set(
      [...rgb, 1].map((value) => Math.round(255 * value)),
      4 * code,
    )
  })
  return found
}

/** For each topic + 1 whether it is shown; an empty list: all are. */
export function shownOf(topics: number, only: number[]): Uint8Array {
  const found = new Uint8Array(4 * (topics + 2)) // and one after the last, of which nothing is
  for (let topic = -1; topic < topics; topic++)
    if (!only.length || only.includes(topic)) found[4 * (topic + 1)] = 255
  return found
}
