/** Documents as a list: sorted by what the points know, fetched a page at a time. */
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { Listed, Points } from '../payload'
import { CLEAR_ABOUT } from '../clear'
import type { Cell } from '../export'
import { count, counted, decimal, isoOfDays, plain } from '../format'
import { href, param, setParams } from '../route'
import { beginsLarge, NO_CONFIDENCE, NO_DATE, NO_LABEL, orderRows, type Order } from '../rows'
import { head, nameOf, source } from '../store'
import { Collect } from './Collect'
import { Pages, TakeTable, usePages, type ColumnOf } from './Table'
import { Empty, Meter, Sorry, TopicLink, useAnswer } from './small'

const PAGE = 25
/** Documents that are fetched at a time when all are taken along. */
const PIECE = 1000
/** A document that fewer of the runs put where it is makes people wonder: then a sentence says what that means. */
export const FEW = 0.5

interface Shown extends Listed {
  topic: number
  other: number
  membership: number
  confidence: number | null
  date: string | null
  label: string | null
}

/** What the points know of a document. */
export function factsOf(points: Points, row: number): Omit<Shown, keyof Listed> {
  const date = points.date?.[row] ?? NO_DATE
  const label = points.label?.[row] ?? NO_LABEL
  return {
    topic: points.topic[row]!,
    other: points.other[row]!,
    membership: points.membership[row]! / 255,
    confidence: points.confidence[row] === NO_CONFIDENCE ? null : points.confidence[row]! / 254,
    date: date === NO_DATE ? null : isoOfDays(date),
    label: label === NO_LABEL ? null : (head.value?.labels?.[label] ?? null),
  }
}

interface DocumentsProps {
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
  /** Columns for what is taken along, beside what is always there. */
  also?: { name: string; value(row: number): Cell }[]
}

export function Documents({
  name,
  caption,
  points,
  rows,
  topics = true,
  order = 'typical',
  note,
  also = [],
}: DocumentsProps): JSX.Element {
  const list = useRef<HTMLElement>(null)
  const { by, reversed } = orderAsked(param(`${name}.sort`, order), order, points)
  const sorted = useMemo(() => orderRows(rows, points, by, reversed), [rows, points, by, reversed])
  const { at, pages, go } = usePages(name, sorted.length, PAGE, list)
  const shown = [...sorted.slice(at * PAGE, (at + 1) * PAGE)]
  const { value: listed, error } = useAnswer(shown.join(','), () => source.listed(shown))
  if (!rows.length) return <Empty>No documents.</Empty>
  const filled = (each: Listed): Shown => ({ ...each, ...factsOf(points, each.row) })
  const columns = [
    ...COLUMNS,
    ...also.map((column) => ({ name: column.name, value: (each: Shown) => column.value(each.row) })),
  ]
  const documents = (listed ?? shown.map((row) => ({ row, id: null, title: null, snippet: '…' }))).map(filled)
  return (
    <section class="documents" aria-label={caption} ref={list}>
      <div class="controls">
        <label>
          sorted by{' '}
          <select
            value={by}
            onChange={(event) => {
              setParams({ [`${name}.sort`]: event.currentTarget.value, [`${name}.page`]: '' })
            }}>
            {ordersOf(points).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-pressed={reversed}
          title={`now the ${beginsLarge(by) === reversed ? 'smallest' : 'largest'} first`}
          onClick={() =>
            setParams({ [`${name}.sort`]: `${reversed ? '' : '-'}${by}`, [`${name}.page`]: '' })
          }>
          reversed
        </button>
        <TakeTable
          name={name}
          columns={columns}
          rows={async (tell) => (await listedAll(sorted, tell)).map(filled)}
        />
      </div>
      {error && <Sorry>{error}</Sorry>}
      {by === 'confidence' &&
        documents.some((each) => each.topic >= 0 && each.confidence !== null && each.confidence < FEW) && (
          <FewRuns />
        )}
      <ol class="document-list" start={at * PAGE + 1} aria-busy={!listed}>
        {documents.map((each) => (
          <Item
            key={each.row}
            document={each}
            topics={topics}
            runs={by === 'confidence'}
            note={note?.(each.row)}
          />
        ))}
      </ol>
      {pages > 1 && (
        <Pages at={at} pages={pages} total={sorted.length} what="documents" of={caption} go={go} />
      )}
    </section>
  )
}

/** The orders that there is something to sort by for. */
function ordersOf(points: Points): [Order, string][] {
  const orders: [Order, string, boolean][] = [
    ['typical', 'most typical', true],
    ['membership', 'membership', true],
    ['confidence', 'agreement of the runs', head.value?.has.confidence ?? false],
    ['date', 'date', !!points.date],
    ['row', 'order of the corpus', true],
  ]
  return orders.filter(([, , there]) => there).map(([value, text]) => [value, text])
}

function orderAsked(asked: string, otherwise: Order, points: Points): { by: Order; reversed: boolean } {
  const by = ordersOf(points).find(([order]) => order === asked.replace(/^-/, ''))?.[0]
  return by ? { by, reversed: asked.startsWith('-') } : { by: otherwise, reversed: false }
}

/** All of them, however many: in pieces, and it is told how far it is. */
async function listedAll(rows: Uint32Array, tell: (share: number) => void): Promise<Listed[]> {
  const found: Listed[] = []
  for (let at = 0; at < rows.length; at += PIECE) {
    if (rows.length > PIECE) tell(at / rows.length)
    found.push(...(await source.listed([...rows.subarray(at, at + PIECE)])))
  }
  return found
}

/** Why a document may lie where few of the runs had put it. */
export function FewRuns(): JSX.Element {
  const runs = head.value!.about.runs
  return (
    <p class="few-runs">
      The final topics decide where a document lies; where few of the{' '}
      {runs === null ? 'runs' : counted(runs, 'run')} that were made before put it there too, they did not
      agree with it.
    </p>
  )
}

const COLUMNS: ColumnOf<Shown>[] = [
  { name: 'row', value: (each) => each.row },
  { name: 'id', value: (each) => each.id },
  { name: 'title', value: (each) => each.title },
  { name: 'topic', value: (each) => each.topic },
  { name: 'topic_name', value: (each) => nameOf(each.topic) },
  { name: 'membership', value: (each) => Number(each.membership.toFixed(3)) },
  { name: 'runner_up', value: (each) => each.other },
  { name: 'confidence', value: (each) => each.confidence && Number(each.confidence.toFixed(3)) },
  { name: 'label', value: (each) => each.label },
  { name: 'date', value: (each) => each.date },
  { name: 'beginning', value: (each) => each.snippet },
]

export function documentTitle({ row, id, title, snippet }: Listed): string {
  return (
    plain(title ?? '', 120) ||
    plain(id ?? '', 120) ||
    plain(snippet ?? '', 80) ||
    `document ${count(row + 1)}`
  )
}

function Item({
  document,
  topics,
  runs,
  note,
}: {
  document: Shown
  topics: boolean
  /** Say how many of the runs put it here. */
  runs: boolean
  note?: ComponentChildren
}): JSX.Element {
  const { row, snippet, topic, other, membership, confidence, date, label } = document
  return (
    <li>
      <a class="title" href={href('document', row)}>
        {documentTitle(document)}
      </a>
      {snippet && (
        <p class="snippet" dir="auto">
          {plain(snippet, 220)}
        </p>
      )}
      <p class="facts">
        <Collect row={row} name={documentTitle(document)} />
        {topics && <TopicLink topic={topic} />}
        {note && <span>{note}</span>}
        <Meter
          share={topic < 0 ? null : membership}
          text={decimal(membership)}
          title="membership: the share of this document that its topic explains"
        />
        {topic < 0 && other >= 0 && (
          <span>
            nearest: <TopicLink topic={other} />
          </span>
        )}
        {topic >= 0 && other >= 0 && membership < 0.5 && !note && (
          <span title={CLEAR_ABOUT}>
            also near <TopicLink topic={other} />
          </span>
        )}
        {runs && confidence !== null && (
          <span title="the share of the runs that put it here">{Math.round(confidence * 100)} % of runs</span>
        )}
        {date && <time dateTime={date}>{date}</time>}
        {label && <span class="label">{plain(label, 40)}</span>}
      </p>
    </li>
  )
}
