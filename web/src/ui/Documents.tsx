/** Documents as a list: sorted by what the points know, fetched a page at a time. */
import type { ComponentChildren, JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Listed, Points } from '../payload'
import { count, decimal, isoOfDays, plain } from '../format'
import { href, param, setParams } from '../route'
import { head, nameOf, source } from '../store'
import { Pages, TakeTable, type ColumnOf } from './Table'
import { Empty, Meter, Sorry, TopicLink, useAnswer } from './small'

const PAGE = 25
const MOST_TAKEN = 20_000

export const NO_DATE = -2147483648
export const NO_LABEL = 65535

type Order = 'typical' | 'membership' | 'confidence' | 'date' | 'row'

interface Shown extends Listed { topic: number; other: number; membership: number; confidence: number | null; date: string | null; label: string | null }

/** What the points know of a document. */
export function factsOf(points: Points, row: number): Omit<Shown, keyof Listed> {
  const date = points.date?.[row] ?? NO_DATE
  const label = points.label?.[row] ?? NO_LABEL
  return {
    topic: points.topic[row]!, other: points.other[row]!, membership: points.membership[row]! / 255,
    confidence: points.confidence[row] === 255 ? null : points.confidence[row]! / 254,
    date: date === NO_DATE ? null : isoOfDays(date),
    label: label === NO_LABEL ? null : (head.value?.labels?.[label] ?? null),
  }
}

/** Sort rows by what the points know; ties keep the order of the run. */
export function orderRows(rows: ArrayLike<number>, points: Points, by: Order, down: boolean): Uint32Array {
  const sorted = Uint32Array.from(rows)
  const sign = down ? -1 : 1
  const key: ArrayLike<number> | null =
    by === 'typical' ? points.rank : by === 'membership' ? points.membership : by === 'confidence' ? points.confidence : by === 'date' ? points.date : null
  const value = key ? (row: number) => key[row]! : (row: number) => row
  return sorted.sort((a, b) => sign * (value(a) - value(b)) || a - b)
}

export interface DocumentsProps {
  /** The name of the file it is taken along as, and of its parameters in the address. */
  name: string
  caption: string
  points: Points
  rows: ArrayLike<number>
  /** Show the topic of each (where they are not all of one). */
  topics?: boolean
  order?: Order
  /** What else is to be said of a document: where it moved, how far it is. */
  note?(row: number): ComponentChildren
}

export function Documents({ name, caption, points, rows, topics = true, order = 'typical', note }: DocumentsProps): JSX.Element {
  const chosen = param(`${name}.sort`, order)
  const by = chosen.replace(/^-/, '') as Order
  const down = chosen.startsWith('-')
  const sorted = useMemo(() => orderRows(rows, points, by, down), [rows, points, by, down])
  const asked = Math.max(0, Math.floor(Number(param(`${name}.page`, '1'))) - 1 || 0)
  const setPage = (page: number) => setParams({ [`${name}.page`]: page ? page + 1 : '' })
  const pages = Math.max(1, Math.ceil(sorted.length / PAGE))
  const at = Math.min(asked, pages - 1)
  const shown = [...sorted.slice(at * PAGE, (at + 1) * PAGE)]
  const { value: listed, error } = useAnswer(shown.join(','), () => source.listed(shown))
  if (!rows.length) return <Empty>No documents.</Empty>
  const filled = (each: Listed): Shown => ({ ...each, ...factsOf(points, each.row) })
  const orders: [Order, string, boolean][] = [['typical', 'most typical', true], ['membership', 'membership', true], ['confidence', 'how sure', head.value!.has.confidence],
    ['date', 'date', !!points.date], ['row', 'order of the corpus', true]]
  return (
    <section class="documents" aria-label={caption}>
      <div class="controls">
        <label>sorted by{' '}
          <select value={by} onChange={(event) => { setParams({ [`${name}.sort`]: event.currentTarget.value, [`${name}.page`]: '' }) }}>
            {orders.filter(([, , there]) => there).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
          </select>
        </label>
        <button type="button" aria-pressed={down} onClick={() => setParams({ [`${name}.sort`]: `${down ? '' : '-'}${by}` })}>reversed</button>
        <TakeTable name={name} columns={COLUMNS} rows={async () => (await source.listed([...sorted.slice(0, MOST_TAKEN)])).map(filled)} />
      </div>
      {error && <Sorry>{error}</Sorry>}
      <ol class="document-list" start={at * PAGE + 1} aria-busy={!listed}>
        {(listed ?? shown.map((row) => ({ row, id: null, title: null, snippet: '…' }))).map((each) => <Item key={each.row} document={filled(each)} topics={topics} note={note?.(each.row)} />)}
      </ol>
      {pages > 1 && <Pages at={at} pages={pages} total={sorted.length} what="documents" of={caption} go={setPage} />}
    </section>
  )
}

const COLUMNS: ColumnOf<Shown>[] = [
  { name: 'row', value: (each) => each.row }, { name: 'id', value: (each) => each.id }, { name: 'title', value: (each) => each.title },
  { name: 'topic', value: (each) => each.topic }, { name: 'topic_name', value: (each) => nameOf(each.topic) },
  { name: 'membership', value: (each) => Number(each.membership.toFixed(3)) }, { name: 'runner_up', value: (each) => each.other },
  { name: 'confidence', value: (each) => each.confidence && Number(each.confidence.toFixed(3)) },
  { name: 'label', value: (each) => each.label }, { name: 'date', value: (each) => each.date }, { name: 'beginning', value: (each) => each.snippet },
]

export function documentTitle({ row, id, title, snippet }: Listed): string {
  return plain(title ?? '', 120) || plain(id ?? '', 120) || plain(snippet ?? '', 80) || `document ${count(row + 1)}`
}

function Item({ document, topics, note }: { document: Shown; topics: boolean; note?: ComponentChildren }): JSX.Element {
  const { row, snippet, topic, other, membership, confidence, date, label } = document
  return (
    <li>
      <a class="title" href={href('document', row)}>{documentTitle(document)}</a>
      {snippet && <p class="snippet" dir="auto">{plain(snippet, 220)}</p>}
      <p class="facts">
        {topics && <TopicLink topic={topic} />}
        {note && <span>{note}</span>}
        <Meter share={topic < 0 ? null : membership} text={decimal(membership)} title="membership: the share of this document that its topic explains" />
        {topic < 0 && other >= 0 && <span>nearest: <TopicLink topic={other} /></span>}
        {confidence !== null && <span title="the share of the runs that put it here">{Math.round(confidence * 100)} % of runs</span>}
        {date && <time dateTime={date}>{date}</time>}
        {label && <span class="label">{plain(label, 40)}</span>}
      </p>
    </li>
  )
}
