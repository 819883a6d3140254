/** Which documents, and in which order: rows of the points by what is asked of them. */
import type { Points } from './payload'

/** What the columns `date`, `label` and `confidence` hold where nothing is known. */
export const NO_DATE = -2147483648
export const NO_LABEL = 65535
export const NO_CONFIDENCE = 255

/** Days since 1970: `from` is the first day, `to` the first day after it. Topic −1 and label NO_LABEL: those without. */
export interface Wanted {
  topic?: number
  from?: number
  to?: number
  label?: number
}

/** Rows that meet all that is asked, in the order of the run; without a date none lies between days. Of `topics` there are so many. */
export function rowsWhere(points: Points, wanted: Wanted, topics = Infinity): Uint32Array {
  const { topic, from, to, label } = wanted
  const dated = from !== undefined || to !== undefined
  const found: number[] = []
  for (let row = 0; row < points.topic.length; row++) {
    if (points.topic[row]! >= topics || (topic !== undefined && points.topic[row] !== topic)) continue
    if (label !== undefined && (points.label?.[row] ?? NO_LABEL) !== label) continue
    if (dated && !within(points.date?.[row] ?? NO_DATE, from, to)) continue
    found.push(row)
  }
  return Uint32Array.from(found)
}

function within(day: number, from = -Infinity, to = Infinity): boolean {
  return day !== NO_DATE && day >= from && day < to
}

export type Order = 'typical' | 'membership' | 'confidence' | 'date' | 'row'

/** Whether an order begins with the largest: people ask for the firmest and the surest, but for the first days. */
export const beginsLarge = (by: Order): boolean => by === 'membership' || by === 'confidence'

/** Sort rows by what the points know; what is not known comes last in both directions, ties keep the order of the run. */
export function orderRows(rows: ArrayLike<number>, points: Points, by: Order, reversed = false): Uint32Array {
  const value = valueBy(points, by)
  const sign = beginsLarge(by) !== reversed ? -1 : 1
  return Uint32Array.from(rows).sort((a, b) => {
    const [x, y] = [value(a), value(b)]
    if (x === null || y === null) return Number(x === null) - Number(y === null) || a - b
    return sign * (x - y) || a - b
  })
}

/** A document without a topic has neither a place in it nor a membership. */
function valueBy(
  { topic, rank, membership, confidence, date }: Points,
  by: Order,
): (row: number) => number | null {
  switch (by) {
    case 'typical':
      return (row) => (topic[row]! < 0 ? null : rank[row]!)
    case 'membership':
      return (row) => (topic[row]! < 0 ? null : membership[row]!)
    case 'confidence':
      return (row) => (confidence[row] === NO_CONFIDENCE ? null : confidence[row]!)
    case 'date':
      return (row) => (date && date[row] !== NO_DATE ? date[row]! : null)
    case 'row':
      return (row) => row
  }
}
