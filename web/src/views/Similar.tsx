/** Documents like the one that is read: those that hold most of the words that tell it from others. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { unmarked } from '../find'
import { plain } from '../format'
import type { Points, Whole } from '../payload'
import { tellingWords } from '../reading'
import { href } from '../route'
import { head, source } from '../store'
import { documentTitle } from '../ui/Documents'
import { Empty, Sorry, TopicLink, useAnswer, useTerms, Wait } from '../ui/small'

/** In a file of more documents than these all texts are unpacked only for who asks. */
const AT_ONCE = 20_000

export function Similar({ document, points }: { document: Whole; points: Points }): JSX.Element | null {
  const { value: terms } = useTerms()
  const [asked, ask] = useState(-1)
  if (document.text === null || !head.value!.has.text) return null
  const shown = source.kind === 'http' || points.topic.length <= AT_ONCE || asked === document.row
  const words = terms && shown ? tellingWords(document, terms) : null
  return (
    <section aria-labelledby="document-similar">
      <h2 id="document-similar">Similar documents</h2>
      {!shown && (
        <button type="button" onClick={() => ask(document.row)}>
          look for them
        </button>
      )}
      {words && <List row={document.row} words={words} points={points} />}
    </section>
  )
}

function List({ row, words, points }: { row: number; words: string[]; points: Points }): JSX.Element {
  const { value: found, error } = useAnswer(`${row} ${words.join(' ')}`, () => source.similar(words, row))
  if (error) return <Sorry>{error}</Sorry>
  if (!found) return <Wait>Looking …</Wait>
  if (!found.documents.length) return <Empty>No other document shares its words.</Empty>
  return (
    <>
      <ul class="document-similar">
        {found.documents.map((each) => (
          <li key={each.row}>
            <a href={href('document', each.row)}>
              {documentTitle({ ...each, id: each.title ? each.id : null, snippet: unmarked(each.passage) })}
            </a>{' '}
            {points.topic[each.row] !== points.topic[row] && <TopicLink topic={points.topic[each.row]!} />}
          </li>
        ))}
      </ul>
      <p class="document-how">
        They share such words as{' '}
        {words
          .slice(0, 6)
          .map((word) => plain(word, 30))
          .join(', ')}
        .
      </p>
    </>
  )
}
