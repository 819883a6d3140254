/** Which documents are shown: by values of columns, days, topics and words, all together, as the address says. No DOM here. */
import { filterOf, type Filter } from './filter'
import { daysOfIso } from './format'
import type { Head, Points } from './payload'
import { NO_DATE } from './rows'

/** Parameters of the address that narrow every view. */
export const FACETS = ['where', 'is', 'values', 'since', 'until', 'among', 'holds'] as const

export interface Facets {
  /** By column; of one column any of the values is enough. */
  values: Filter[][]
  /** Days since 1970, the last one among them. */
  since: number | null
  until: number | null
  /** −1: those in no topic. */
  topics: number[]
  /** Words that a document holds, all of them. */
  holds: string
}

/** The column of known classes, which is none of `Head.by`. */
export const CLASSES = -1

/** What an address asks for; null: for all documents. What is not there is not asked for. */
export function facetsOf(head: Head | null, params: Record<string, string>): Facets | null {
  if (!head) return null
  const asked = [[params.where ?? '', params.is ?? ''] as const, ...parseValues(params.values ?? '')]
  const found = asked.flatMap(
    ([name, value]) => filterOf(head, name, value) ?? classOf(head, name, value) ?? [],
  )
  const columns = [...new Set(found.map(({ column }) => column))]
  const topics = (params.among ?? '')
    .split('.')
    .filter((each) => /^(-1|\d+)$/.test(each))
    .map(Number)
  const facets: Facets = {
    values: columns.map((column) => found.filter((each) => each.column === column)),
    since: dayOf(params.since),
    until: dayOf(params.until),
    topics: [...new Set(topics)].filter((topic) => topic < head.topics.length),
    holds: (params.holds ?? '').trim(),
  }
  const none = !columns.length && facets.since === null && facets.until === null && !facets.topics.length
  return none && !facets.holds ? null : facets
}

const dayOf = (text = ''): number | null => {
  const days = /^\d{4}-\d{2}-\d{2}$/.test(text) ? daysOfIso(text) : NaN
  return Number.isFinite(days) ? days : null
}

export const classesName = (head: Head): string =>
  head.by?.columns.some(({ name }) => name === 'class') ? 'known class' : 'class'

function classOf(head: Head, name: string, value: string): Filter | null {
  const code = name === classesName(head) ? (head.labels?.indexOf(value) ?? -1) : -1
  return code < 0 ? null : { column: CLASSES, code, name, value }
}

/** "region:north~party:Whig" → [[region, north], [party, Whig]]; ~ and : are written %7E and %3A. */
export function parseValues(text: string): [name: string, value: string][] {
  return text.split('~').flatMap((part) => {
    const at = part.indexOf(':')
    try {
      return at < 1 ? [] : [[decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1))]]
    } catch {
      return [] // not ours
    }
  })
}

/** A text as it stands between : and ~ in the address. */
export const betweenMarks = (text: string): string =>
  text.replace(/[%~:]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

export function formatValues(all: (readonly [name: string, value: string])[]): string {
  return all.map(([name, value]) => `${betweenMarks(name)}:${betweenMarks(value)}`).join('~')
}

/** The points, of which those that are not asked for are in no topic that there is: the one after the last. */
export function narrowed(points: Points, facets: Facets, holding: Uint8Array | null, topics: number): Points {
  const { values, since, until, topics: among } = facets
  const tests = values.map((some): ((row: number) => boolean) => {
    const codes = some[0]!.column === CLASSES ? points.label : points.by[some[0]!.column]
    const wanted = new Set(some.map(({ code }) => code))
    return codes ? (row) => wanted.has(codes[row]!) : () => true // of what the points do not know nothing is asked
  })
  if (since !== null || until !== null) {
    const [first, last] = [since ?? -Infinity, until ?? Infinity]
    tests.push((row) => {
      const day = points.date?.[row] ?? NO_DATE
      return day !== NO_DATE && day >= first && day <= last
    })
  }
  if (among.length) {
    const wanted = new Set(among)
    tests.push((row) => wanted.has(points.topic[row]!))
  }
  if (holding) tests.push((row) => holding[row] === 1)
  return {
    ...points,
    topic: points.topic.map((topic, row) => (tests.every((test) => test(row)) ? topic : topics)),
  }
}
