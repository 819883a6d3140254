/** Search: words, topics, documents. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { count, counted, plain } from '../format'
import { href, param, setParams } from '../route'
import { holdsWord } from '../relevance'
import { head, nameOf } from '../store'
import { likeTerms, type KnownTerm } from '../terms'
import { FoundDocuments, searched } from '../ui/Found'
import { TakeTable, type ColumnOf } from '../ui/Table'
import { allTopics, Empty, Sorry, Swatch, TopicLink, useTerms, Wait } from '../ui/small'
import './Word.css'
import './Search.css'

const REST = 150
const WORDS = 30
const TOPICS = 12

export function Search(): JSX.Element {
  const asked = param('q')
  return (
    <>
      <h1>Search</h1>
      <Box asked={asked} />
      {asked.trim() ? (
        <>
          <Words asked={asked} />
          <TopicsFound asked={asked} />
          <section aria-labelledby="search-documents">
            <h2 id="search-documents">Documents</h2>
            <FoundDocuments words={asked} name="found" />
          </section>
        </>
      ) : (
        <Empty>Looks through the words that topics are made of, the topics, and {searched()}.</Empty>
      )}
    </>
  )
}

/** What is typed goes into the address when typing rests; the address may also be changed from elsewhere. */
function Box({ asked }: { asked: string }): JSX.Element {
  const [typed, setTyped] = useState(asked)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (document.activeElement !== input.current) setTyped(asked)
  }, [asked])
  useEffect(() => {
    if (typed === asked) return
    const timer = setTimeout(() => setParams({ q: typed }), REST)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <form
      class="search-box"
      role="search"
      aria-label="Search"
      onSubmit={(event) => {
        event.preventDefault()
        setParams({ q: typed })
      }}>
      <input
        ref={input}
        type="search"
        value={typed}
        maxLength={200}
        aria-label="Search for"
        placeholder="one or more words"
        autocomplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  )
}

const WORD_COLUMNS: ColumnOf<KnownTerm>[] = [
  { name: 'word', value: (each) => each.word },
  { name: 'total', value: (each) => each.total },
  { name: 'topic', value: (each) => each.topics[0]?.[0] ?? null },
  { name: 'percent', value: (each) => each.topics[0]?.[1] ?? null },
]

function Words({ asked }: { asked: string }): JSX.Element {
  const { value: terms, error } = useTerms()
  const like = terms && likeTerms(terms, asked, WORDS)
  return (
    <section aria-labelledby="search-words">
      <h2 id="search-words">Words</h2>
      {error && <Sorry>{error}</Sorry>}
      {!like && !error && <Wait />}
      {like && !like.found.length && (
        <Empty>
          No term begins with or holds it.{' '}
          <a href={href('word', asked.trim())}>Look at it as a word all the same</a>.
        </Empty>
      )}
      {like && like.found.length > 0 && (
        <>
          <ul class="search-words">
            {like.found.map(({ word, total, topics }) => (
              <li key={word}>
                <a
                  href={href('word', word)}
                  title={
                    topics[0]
                      ? `${topics[0][1]} % of its uses are in ${plain(nameOf(topics[0][0]), 60)}`
                      : undefined
                  }>
                  {topics[0] && <Swatch topic={topics[0][0]} />}
                  <span>{plain(word, 60)}</span> <span class="search-often">{count(Math.round(total))}</span>
                </a>
              </li>
            ))}
          </ul>
          <div class="foot">
            <span>
              {like.total > like.found.length && `${count(like.found.length)} of `}
              {counted(like.total, 'term')}, with how often {like.total === 1 ? 'it' : 'each'} occurs; the
              colour is that of the topic that uses it most.
            </span>
            <TakeTable
              name="words-found"
              columns={WORD_COLUMNS}
              rows={() => likeTerms(terms!, asked, Infinity).found}
            />
          </div>
        </>
      )}
    </section>
  )
}

function TopicsFound({ asked }: { asked: string }): JSX.Element {
  const wanted = asked.trim().toLowerCase()
  const found = allTopics().filter((each) =>
    holdsWord({ keywords: each.keywords, terms: [] }, nameOf(each.topic), wanted),
  )
  return (
    <section aria-labelledby="search-topics">
      <h2 id="search-topics">Topics</h2>
      {!found.length && <Empty>No topic has it in its name or among its keywords.</Empty>}
      <ul class="search-topics">
        {found.slice(0, TOPICS).map((each) => (
          <li key={each.topic}>
            <TopicLink topic={each.topic} />{' '}
            <span class="search-often">{counted(each.size, 'document')}</span>
            <p>
              {each.keywords.map(([word], i) => (
                <span key={word}>
                  {i > 0 && ', '}
                  {word.toLowerCase().includes(wanted) ? <mark>{plain(word, 40)}</mark> : plain(word, 40)}
                </span>
              ))}
            </p>
          </li>
        ))}
      </ul>
      {found.length > TOPICS && (
        <p>
          <a href={href('topics', null, { has: asked })}>
            all {count(found.length)} of {count(head.value!.topics.length)} topics
          </a>
        </p>
      )}
    </section>
  )
}
