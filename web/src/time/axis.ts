/** Ticks of a calendar. */
import { scaleUtc } from 'd3-scale'
import { binName } from '../format'
import type { Bin } from '../payload'

export interface Tick { x: number; text: string; line: boolean }

const DAY = 86_400_000
const LETTER = 6.3 // pixels of a letter of the axis

/**
 * Where bins are few each has its name under its middle; where they are many, round dates stand where they begin.
 * `edges`: where bins begin and the last one ends, in days.
 */
export function calendarTicks(starts: string[], bin: Bin, edges: number[], x: (day: number) => number): Tick[] {
  if (!starts.length) return []
  const [left, right] = [x(edges[0]!), x(edges[edges.length - 1]!)]
  const names = starts.map((start) => binName(start, bin).replace(/^week of /, ''))
  const longest = LETTER * Math.max(...names.map((name) => name.length)) + 14
  if (names.length * longest <= right - left || names.length === 1) return names.map((text, i) => ({ x: x((edges[i]! + edges[i + 1]!) / 2), text, line: false }))
  const scale = scaleUtc().domain([edges[0]! * DAY, edges[edges.length - 1]! * DAY])
  const format = scale.tickFormat()
  const seen = (scale.ticks(Math.max(2, Math.floor((right - left) / 90))) as Date[]).filter((date) => date.getTime() % DAY === 0)
  const ticks = seen.map((date) => ({ x: x(date.getTime() / DAY), text: format(date), line: true }))
  const first = seen[0]
  if (first && !ticks.some((tick) => /^\d{4}$/.test(tick.text))) ticks[0]!.text += ` ${first.getUTCFullYear()}` // a year is said at least once
  return ticks.filter((tick) => tick.x >= left - 1 && tick.x <= right - LETTER * tick.text.length)
}

/** How wide a word is at a size of one pixel; the same font as on the page. */
export function measuring(weight: number): (word: string) => number {
  const context = document.createElement('canvas').getContext('2d')
  if (!context) return (word) => 0.6 * word.length
  context.font = `${weight} 100px ${getComputedStyle(document.body).fontFamily}`
  const known = new Map<string, number>()
  return (word) => {
    if (!known.has(word)) known.set(word, context.measureText(word).width / 100)
    return known.get(word)!
  }
}

/** A name, cut where it would be wider. */
export function fitting(name: string, width: number, widthOf: (word: string) => number): string {
  if (widthOf(name) <= width) return name
  let end = name.length
  while (end > 1 && widthOf(`${name.slice(0, end).trimEnd()}…`) > width) end--
  return `${name.slice(0, end).trimEnd()}…`
}
