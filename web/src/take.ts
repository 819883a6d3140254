/** Documents as they are taken along: with their topic, all their columns and their text. */
import type { Cell } from './export'
import type { Full, Points } from './payload'
import { nameOf, source } from './store'
import { factsOf } from './ui/Documents'
import type { Sheet } from './xlsx'

/** Documents that are fetched at a time. */
const PIECE = 1000

const FIRST = [
  'row',
  'id',
  'title',
  'topic',
  'topic_name',
  'membership',
  'runner_up',
  'runner_up_name',
  'confidence',
]
const LAST = ['label', 'date', 'url']

/** All that is known of some documents, a row each; columns of theirs that others have not are empty there. */
export async function documentsSheet(
  rows: ArrayLike<number>,
  points: Points,
  tell: (share: number) => void = () => {},
): Promise<Sheet> {
  const wanted = Array.from(rows)
  const own: string[] = []
  const place = new Map<string, number>()
  const made: { first: Cell[]; beside: Cell[]; text: string | null }[] = []
  for (let at = 0; at < wanted.length; at += PIECE) {
    if (wanted.length > PIECE) tell(at / wanted.length)
    const some = await source.full(wanted.slice(at, at + PIECE))
    for (const each of some) made.push(record(each, points, own, place))
  }
  return {
    name: 'Documents',
    columns: [
      ...FIRST,
      ...LAST,
      ...own.map((name) => ([...FIRST, ...LAST, 'text'].includes(name) ? `column ${name}` : name)),
      'text',
    ],
    rows: made.map(({ first, beside, text }) => [...first, ...own.map((_, i) => beside[i] ?? null), text]),
  }
}

function record(
  document: Full,
  points: Points,
  own: string[],
  place: Map<string, number>,
): { first: Cell[]; beside: Cell[]; text: string | null } {
  const { row, id, title, text, url } = document
  const { topic, other, membership, confidence, label, date } = factsOf(points, row)
  const digits = (value: number | null) => value && Number(value.toFixed(3))
  const beside: Cell[] = []
  for (const [name, value] of document.beside ?? []) {
    if (!place.has(name)) place.set(name, own.push(name) - 1)
    beside[place.get(name)!] = value
  }
  return {
    first: [
      row, id, title, topic, nameOf(topic), digits(membership), other, other < 0 ? null : nameOf(other), digits(confidence),
      label ?? document.label, date ?? document.date, url ?? null,
    ], // biome-ignore format: in the order of FIRST and LAST
    beside,
    text,
  }
}
