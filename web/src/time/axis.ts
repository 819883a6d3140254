/** Ticks of a calendar. */
import { scaleUtc } from 'd3-scale'
import { binName } from '../format'
import type { Bin } from '../payload'
import { textWidth } from '../text'

export interface Tick {
  x: number
  text: string
  line: boolean
}

const DAY = 86_400_000
const SIZE = 11 // of the letters of an axis

/**
 * Where bins are few each has its name under its middle; where they are many, round dates stand where they begin.
 * `edges`: where bins begin and the last one ends, in days.
 */
export function calendarTicks(
  starts: string[],
  bin: Bin,
  edges: number[],
  x: (day: number) => number,
): Tick[] {
  if (!starts.length) return []
  const [left, right] = [x(edges[0]!), x(edges[edges.length - 1]!)]
  const names = starts.map((start) => binName(start, bin).replace(/^week of /, ''))
  const longest = Math.max(...names.map((name) => textWidth(name, SIZE))) + 14
  if (names.length * longest <= right - left || names.length === 1) {
    return names.map((text, i) => ({ x: x((edges[i]! + edges[i + 1]!) / 2), text, line: false }))
  }
  const scale = scaleUtc().domain([edges[0]! * DAY, edges[edges.length - 1]! * DAY])
  const format = scale.tickFormat()
  const seen = (scale.ticks(Math.max(2, Math.floor((right - left) / 90))) as Date[]).filter(
    (date) => date.getTime() % DAY === 0,
  )
  const ticks = seen.map((date) => ({ x: x(date.getTime() / DAY), text: format(date), line: true }))
  const first = seen[0]
  if (first && !ticks.some((tick) => /^\d{4}$/.test(tick.text)))
    ticks[0]!.text += ` ${first.getUTCFullYear()}` // a year is said at least once
  return ticks.filter((tick) => tick.x >= left - 1 && tick.x <= right - textWidth(tick.text, SIZE))
}
