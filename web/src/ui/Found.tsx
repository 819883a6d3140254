/** Documents that a search found. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { unmarked } from '../find'
import { count, counted, percent, plain } from '../format'
import { marked } from '../highlight'
import type { Found, Points } from '../payload'
import { href } from '../route'
import { filter, head, nameOf, source, wholeHead } from '../store'
import { Collect } from './Collect'
import { documentTitle, factsOf } from './Documents'
import { TakeTable, type ColumnOf } from './Table'
import { Sorry, TopicLink, usePoints, Wait } from './small'

const AGAIN = 1000

interface Answer {
  words: string
  found?: Found
  error: string
}

/** Search, and ask again every second while the index is still being made; the last answer stays until the next comes. */
function useSearch(words: string): Answer & { waiting: boolean } {
  const [answer, setAnswer] = useState<Answer>({ words: '', error: '' })
  useEffect(() => {
    let wanted = true
    let timer = 0
    const ask = () =>
      source.search(words).then(
        (found) => {
          if (!wanted) return
          setAnswer({ words, found, error: '' })
          if (found.ready < 1) timer = window.setTimeout(ask, AGAIN)
        },
        (error: Error) => {
          if (wanted) setAnswer({ words, error: error.message })
        },
      )
    if (words.trim()) void ask()
    else setAnswer({ words, error: '' })
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [words])
  return { ...answer, waiting: answer.words !== words }
}

type Row = Found['documents'][number]

const SHOWN = 20

/** What a search looks through, in words. */
export function searched(): string {
  const { has, left, n } = wholeHead.value!
  if (has.search) return 'the full text of all documents'
  if (!has.text) return 'ids and titles (this run holds no texts)'
  return left
    ? `ids, titles and the ${count(left.kept)} of ${count(n)} texts that this file holds`
    : 'ids, titles and texts of all documents'
}

export function FoundDocuments({ words, name }: { words: string; name: string }): JSX.Element {
  const { found: every, error, waiting } = useSearch(words)
  const points = usePoints().value
  const [more, setMore] = useState(false)
  useEffect(() => setMore(false), [words])
  if (error) return <Sorry>{error}</Sorry>
  if (!every) return <Wait>Searching …</Wait>
  const found = filter.value && points ? among(every, points) : every
  const topicOfRow = (row: number) => points?.topic[row] ?? -1
  const columns: ColumnOf<Row>[] = [
    { name: 'row', value: (each) => each.row },
    { name: 'id', value: (each) => each.id },
    { name: 'title', value: (each) => each.title },
    { name: 'topic', value: (each) => topicOfRow(each.row) },
    { name: 'topic_name', value: (each) => nameOf(topicOfRow(each.row)) },
    { name: 'passage', value: (each) => unmarked(each.passage) },
  ]
  const shown = more ? found.documents : found.documents.slice(0, SHOWN)
  return (
    <div aria-busy={waiting} class={waiting ? 'found stale' : 'found'}>
      <div class="controls">
        <span role="status">
          {tally(found)} Searched: {searched()}.
        </span>
        {found.documents.length > 0 && (
          <TakeTable name={name} columns={columns} rows={() => found.documents} />
        )}
      </div>
      {found.ready < 1 && (
        <p class="wait">
          <progress value={found.ready} max={1} /> The index is still being made ({percent(found.ready, 0)}):
          more may be found.
        </p>
      )}
      <ol class="document-list">
        {shown.map((each) => (
          <li key={each.row}>
            <a class="title" href={href('document', each.row)}>
              {documentTitle({ ...each, snippet: unmarked(each.passage) })}
            </a>
            {each.passage && <Passage text={each.passage} />}
            {points && (
              <p class="facts">
                <TopicLink topic={topicOfRow(each.row)} />
                <When row={each.row} />
                <Collect row={each.row} name={documentTitle({ ...each, snippet: null })} />
              </p>
            )}
          </li>
        ))}
      </ol>
      {found.documents.length > SHOWN && !more && (
        <button type="button" onClick={() => setMore(true)}>
          show all {count(found.documents.length)}
        </button>
      )}
    </div>
  )
}

/** Those of the documents found that are among those shown; how many more there are beyond the best is not known. */
function among(found: Found, points: Points): Found {
  const documents = found.documents.filter(({ row }) => points.topic[row]! < head.value!.topics.length)
  return { ...found, documents, total: documents.length, more: found.documents.length < found.total }
}

function tally({ documents, total, more }: Found): string {
  const all = `${counted(total, 'document')}${more ? ' or more' : ''}`
  return documents.length < total ? `${all}, the best ${count(documents.length)} of them here.` : `${all}.`
}

function When({ row }: { row: number }): JSX.Element | null {
  const points = usePoints().value
  const date = points ? factsOf(points, row).date : null
  return date ? <time dateTime={date}>{date}</time> : null
}

/** A passage with what was found marked; blanks at the edges of pieces are kept, as they stand between words. */
function Passage({ text }: { text: string }): JSX.Element {
  const line = (part: string) => `${/^\s/.test(part) ? ' ' : ''}${plain(part)}${/\s$/.test(part) ? ' ' : ''}`
  return (
    <p class="snippet" dir="auto">
      {marked(text).map(({ text: part, found }, i) =>
        found ? <mark key={i}>{plain(part)}</mark> : line(part),
      )}
    </p>
  )
}
