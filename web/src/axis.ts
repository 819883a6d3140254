/** Where marks of an axis lie, what is beside them, and how a legend is broken into lines. */
import { scaleLinear, type ScaleLinear } from 'd3-scale'
import { textWidth } from './text'

export type Scale = ScaleLinear<number, number>

/** A place of a curve, and the interval around it where one is known. */
export interface Point {
  x: number
  y: number
  low?: number | null
  high?: number | null
}

/** Smallest and largest of the numbers that are known; null where there is none. */
export function extent(values: Iterable<number | null | undefined>): [number, number] | null {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return low > high ? null : [low, high]
}

/** The extent with some air, also where all values are the same; never beyond `limits`, which values may have no sense past. */
export function aired(
  [low, high]: [number, number],
  limits: [number, number] = [-Infinity, Infinity],
  air = 0.06,
): [number, number] {
  const room = high > low ? air * (high - low) : Math.abs(high) * air || 1
  return [Math.max(Math.min(limits[0], low), low - room), Math.min(Math.max(limits[1], high), high + room)]
}

/** Scales on which all curves are seen with their intervals; `limits`: values that y has no sense past. */
export function scalesOf(
  curves: { points: Point[] }[],
  across: [number, number],
  up: [number, number],
  limits?: [number, number],
): { x: Scale; y: Scale } {
  const points = curves.flatMap((each) => each.points)
  const xs = extent(points.map(({ x }) => x)) ?? [0, 1]
  const ys = extent(points.flatMap(({ y, low, high }) => [y, low, high])) ?? [0, 1]
  return {
    x: scaleLinear(aired(xs, [-Infinity, Infinity], 0.03), across),
    y: scaleLinear(aired(ys, limits), up),
  }
}

/** Round numbers within a range, as many as have room; whole ones for what is counted. */
export function roundTicks(
  [low, high]: [number, number],
  pixels: number,
  each = 60,
  whole = false,
): number[] {
  const wanted = Math.max(2, Math.floor(pixels / each))
  const found = scaleLinear([low, high], [0, 1]).ticks(wanted)
  return whole ? found.filter(Number.isInteger) : found
}

/** A tick as text, with no more digits than its neighbours need to differ. */
export function tickText(ticks: number[]): (value: number) => string {
  const step = ticks.length > 1 ? Math.abs(ticks[1]! - ticks[0]!) : Math.abs(ticks[0] ?? 1)
  const digits = step > 0 && step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0
  const tiny = digits > 5 // so small that zeros could not be counted
  return (value) => {
    const text = tiny
      ? value.toPrecision(2).replace('e-', ' e−')
      : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    return (value === 0 ? '0' : text).replace(/^-/, '−')
  }
}

/** The place of the value nearest to what is pointed at; −1 where there is none. */
export function nearest(values: number[], to: number): number {
  let best = -1
  values.forEach((value, i) => {
    if (best < 0 || Math.abs(value - to) < Math.abs(values[best]! - to)) best = i
  })
  return best
}

export interface Entry {
  name: string
  x: number
  row: number
}

/** Entries of a legend, from left to right and, where the line is full, on the next one. */
export function legend(
  names: string[],
  width: number,
  sample = 26,
  gap = 18,
): { entries: Entry[]; rows: number } {
  const entries: Entry[] = []
  let x = 0
  let row = 0
  for (const name of names) {
    const wide = sample + textWidth(name)
    if (x > 0 && x + wide > width) {
      x = 0
      row++
    }
    entries.push({ name, x, row })
    x += wide + gap
  }
  return { entries, rows: names.length ? row + 1 : 0 }
}
