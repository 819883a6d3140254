/** Only some documents: what the views show of them is counted anew from the points. No DOM here. */
import { CLEAR } from './clear'
import { daysOfIso } from './format'
import type { Binned, Classes, Head, Points, Time } from './payload'
import { NO_DATE } from './rows'

/** Which column of `Head.by`, which of its values, and what they are called. */
export interface Filter {
  column: number
  code: number
  name: string
  value: string
}

/** What an address asks for; null: nothing, or what is not there. */
export function filterOf(head: Head | null, name = '', value = ''): Filter | null {
  const columns = head?.by?.columns ?? []
  const column = columns.findIndex((each) => each.name === name)
  const code = columns[column]?.values.indexOf(value) ?? -1
  return code < 0 ? null : { column, code, name, value }
}

/** The head as it would be of these documents alone: their number, in topics, over time and in classes. */
export function headOf(head: Head, points: Points): Head {
  const k = head.topics.length
  const sizes = new Array<number>(k + 2).fill(0) // none, the topics, and what is left out
  for (const topic of points.topic) sizes[topic + 1]!++
  const n = points.topic.length - sizes[k + 1]!
  const spark = head.spark && countsOf(points, head.spark.starts, k)
  const clear = clearOf(points, k)
  return {
    ...head,
    n,
    unassigned: sizes[0]!,
    topics: head.topics.map((each, t) => ({
      ...each,
      size: sizes[t + 1]!,
      share: n ? sizes[t + 1]! / n : 0,
      clear: clear[t]!,
      spark: spark ? spark[t]! : null,
    })),
    classes: head.classes && classesOf(head.classes, head.labels ?? [], points),
  }
}

/** Documents with a clear place, topic by topic. */
function clearOf({ topic, membership }: Points, topics: number): number[] {
  const counts = new Array<number>(topics).fill(0)
  topic.forEach((t, row) => {
    if (t >= 0 && t < topics && membership[row]! >= CLEAR) counts[t]!++
  })
  return counts
}

export function timeOf(time: Time, points: Points, topics: number): Time {
  const binned = ([bin, each]: [string, Binned]) => [
    bin,
    { ...each, counts: countsOf(points, each.starts, topics) },
  ]
  const undated = points.topic.reduce(
    (sum, topic, row) =>
      sum + Number(topic >= 0 && topic < topics && (points.date?.[row] ?? NO_DATE) === NO_DATE),
    0,
  )
  return {
    ...time,
    undated,
    bins: Object.fromEntries(Object.entries(time.bins).map((each) => binned(each as [string, Binned]))),
  }
}

/** Documents, topic by topic, bin by bin. */
export function countsOf(points: Points, starts: string[], topics: number): number[][] {
  const days = starts.map(daysOfIso)
  const counts = Array.from({ length: topics }, () => new Array<number>(days.length).fill(0))
  points.topic.forEach((topic, row) => {
    const day = points.date?.[row] ?? NO_DATE
    const bin = day === NO_DATE ? -1 : binOf(days, day)
    if (topic >= 0 && topic < topics && bin >= 0) counts[topic]![bin]!++
  })
  return counts
}

/** The last bin that begins on the day or before it; −1: none does. */
function binOf(days: number[], day: number): number {
  let [low, high] = [0, days.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (days[middle]! <= day) low = middle + 1
    else high = middle
  }
  return low - 1
}

function classesOf(classes: Classes, labels: string[], points: Points): Classes {
  const row = new Map(classes.labels.map((name, i) => [labels.indexOf(name), i]))
  const place = new Map(classes.topics.map((topic, j) => [topic, j]))
  const matrix = classes.matrix.map((each) => each.map(() => 0))
  const unassigned = classes.unassigned.map(() => 0)
  points.topic.forEach((topic, at) => {
    const i = row.get(points.label?.[at] ?? -1)
    const j = place.get(topic)
    if (i === undefined) return
    if (topic < 0) unassigned[i]!++
    else if (j !== undefined) matrix[i]![j]!++
  })
  return { ...classes, matrix, unassigned }
}
