/** One document: its text with the words that put it where it is, and the sum they make. */
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { colourOf, GREY } from '../colour'
import { count, counted, decimal, percent, plain, significant } from '../format'
import { segments, voices, type Voice } from '../highlight'
import type { Points, Whole, Why } from '../payload'
import { flowing } from '../reading'
import { go, href, param, route, setParams } from '../route'
import { head, nameOf, opened, source, topicOf, wholeHead } from '../store'
import { MoveDocument } from '../ui/Edit'
import { Collect } from '../ui/Collect'
import { useKeys } from '../ui/keys'
import { documentTitle, factsOf, FEW, FewRuns } from '../ui/Documents'
import { TakeTable, type ColumnOf } from '../ui/Table'
import { Meter, Sorry, TopicLink, useAnswer, useAllPoints, Wait, Word } from '../ui/small'
import { Address, Beside } from './Beside'
import { Contributions, Explained } from './Contributions'
import { Similar } from './Similar'
import './Document.css'

export function DocumentView(): JSX.Element {
  const row = Number(route.value.of ?? NaN)
  const known = Number.isInteger(row) && row >= 0 && row < wholeHead.value!.n
  const { value: document, error } = useAnswer(
    known ? `${row} of ${head.value!.topics.length} after ${head.value!.edits?.version ?? 0}` : '',
    () => (known ? source.whole(row) : Promise.reject(new Error(''))),
  )
  const points = useAllPoints().value
  if (!known)
    return (
      <>
        <h1>Document</h1>
        <Sorry>
          There is no such document in this run: <a href={href('search')}>search for it</a>.
        </Sorry>
      </>
    )
  if (error)
    return (
      <>
        <h1>Document {count(row + 1)}</h1>
        <Sorry>{error}</Sorry>
      </>
    )
  if (!document)
    return (
      <>
        <h1>Document {count(row + 1)}</h1>
        <Wait />
      </>
    )
  return <One document={document} points={points} />
}

function One({ document, points }: { document: Whole; points: Points | undefined }): JSX.Element {
  const { row, id, label, date, why } = document
  const title = documentTitle(document)
  useEffect(() => {
    opened.value = { row, title }
  }, [row, title])
  const facts = points ? factsOf(points, row) : null
  const when = date ?? facts?.date
  const what = label ?? facts?.label
  return (
    <>
      {points && <Steps row={row} points={points} />}
      <h1 dir="auto">{title}</h1>
      <p class="facts document-facts">
        {id !== null && plain(id, 120) !== title && <span>{plain(id, 120)}</span>}
        {when && <time dateTime={when}>{when}</time>}
        {what && <span class="label">{plain(what, 60)}</span>}
        <Address url={document.url} />
        <Collect row={row} name={title} />
      </p>
      <p class="lede">
        <Where facts={facts} document={document} />
      </p>
      {facts && <MoveDocument id={id} topic={facts.topic} />}
      {facts && facts.topic >= 0 && facts.confidence !== null && facts.confidence < FEW && <FewRuns />}
      <div class="document-columns">
        <TextAndWords document={document} />
        <aside class="document-aside" aria-label="Why it is here">
          {why && param('word') && <Explained why={why} word={param('word')} />}
          <Memberships document={document} points={points} />
          <Beside document={document} />
          {points && <Similar document={document} points={points} />}
        </aside>
      </div>
      {why ? (
        <details
          class="document-numbers"
          open={param('numbers') === '1'}
          onToggle={({ currentTarget: { open } }) => {
            if (open !== (param('numbers') === '1')) setParams({ numbers: open ? 1 : '' })
          }}>
          <summary>The numbers behind it</summary>
          {why.other >= 0 && <RunnerUp why={why} />}
          <Contributions why={why} />
        </details>
      ) : (
        <NoReasons document={document} />
      )}
    </>
  )
}

function NoReasons({ document }: { document: Whole }): JSX.Element | null {
  if (!head.value!.has.words)
    return (
      <p class="empty">
        This run was made from numbers without words: it cannot be told which words put a document where it
        is.
      </p>
    )
  if (document.text === null || !document.memberships.length) return null
  return (
    <p class="empty">
      Which words put it there, among {counted(head.value!.topics.length, 'topic')}, had no room in this file.
    </p>
  )
}

function Where({
  facts,
  document,
}: {
  facts: ReturnType<typeof factsOf> | null
  document: Whole
}): JSX.Element {
  if (!facts) return <>…</>
  const runs = head.value!.about.runs
  const { topic, other, confidence } = facts
  const membership = document.memberships.find(([each]) => each === topic)?.[1] ?? facts.membership // which is rounded
  if (topic < 0) {
    if (other < 0)
      return (
        <>It lies in no topic{document.why ? '' : ': it holds none of the words that topics are made of'}.</>
      )
    return (
      <>
        It lies in no topic, as it is unsure; the nearest is <TopicLink topic={other} />.
      </>
    )
  }
  const sure =
    confidence === null
      ? ''
      : runs === null
        ? `; ${percent(confidence, 0)} of the runs put it there`
        : `; ${count(Math.round(confidence * runs))} of ${count(runs)} runs put it there`
  return (
    <>
      In topic <TopicLink topic={topic} />, which explains {percent(membership, 0)} of it
      {membership < 0.5 && other >= 0 && (
        <>
          {' '}
          (it lies between topics, also near <TopicLink topic={other} />)
        </>
      )}
      {sure}.
    </>
  )
}

/** The documents before and after it in its topic, the most typical first. */
function Steps({ row, points }: { row: number; points: Points }): JSX.Element {
  const topic = points.topic[row]!
  const rank = points.rank[row]!
  const [before, after] = useMemo(() => {
    let before = -1
    let after = -1
    for (let other = 0; topic >= 0 && other < points.topic.length; other++) {
      if (points.topic[other] !== topic) continue
      if (points.rank[other] === rank - 1) before = other
      else if (points.rank[other] === rank + 1) after = other
    }
    return [before, after]
  }, [row, points])
  useKeys({
    j: () => after >= 0 && go(href('document', after)),
    k: () => before >= 0 && go(href('document', before)),
  })
  return (
    <nav class="steps" aria-label="Other documents">
      {before >= 0 && (
        <a href={href('document', before)} title="the next more typical document of the topic (key k)">
          ‹ previous
        </a>
      )}
      {topic >= 0 && (
        <span>
          document {count(rank + 1)} of {count(topicOf(topic)?.size ?? 0)} in <TopicLink topic={topic} />, the
          most typical first
        </span>
      )}
      {after >= 0 && (
        <a href={href('document', after)} title="the next less typical document of the topic (key j)">
          next ›
        </a>
      )}
    </nav>
  )
}

/** What has no topic is marked in a grey that is seen in a text. */
const inkOf = (topic: number): string => (colourOf(topic) === GREY ? 'var(--grey-ink)' : colourOf(topic))

// -- the text ---------------------------------------------------------------------------------------------------------

function TextAndWords({ document }: { document: Whole }): JSX.Element {
  const { text, length, why } = document
  const left = head.value!.left
  if (text === null) {
    return (
      <div class="document-text none-kept">
        {left ? (
          <>
            Its text was left out of this file. See it with <code>{left.command}</code>.
          </>
        ) : (
          'This run holds no text of it.'
        )}
      </div>
    )
  }
  return (
    <div class="document-reading">
      {why && <Legend why={why} />}
      <Marked text={text} why={why} />
      {length > text.length && (
        <p class="empty">
          The first {count(text.length)} of {count(length)} characters.
        </p>
      )}
    </div>
  )
}

function Legend({ why }: { why: Why }): JSX.Element {
  const shade = (strength: Voice['strength']) => (
    <span
      class={`document-word mine s${strength}`}
      style={{ '--colour': inkOf(why.topic) }}
      aria-hidden="true">
      a
    </span>
  )
  return (
    <p class="document-legend">
      <span>
        {shade(1)}
        {shade(2)}
        {shade(3)}
        {shade(4)} speaks for {plain(nameOf(why.topic), 40)}, the stronger the more
      </span>
      {why.other >= 0 && (
        <span>
          <span class="document-word other s3" style={{ '--colour': inkOf(why.other) }} aria-hidden="true">
            word
          </span>{' '}
          for {plain(nameOf(why.other), 40)}
        </span>
      )}
      <span>Click a word to have it explained.</span>
    </p>
  )
}

/** Characters of a text that is read in a box of its own, so that what is below it can be reached. */
const LONG = 40_000

/** The text; each first place of a word can be reached with the Tab key, all can be clicked. */
function Marked({ text: written, why }: { text: string; why: Why | null }): JSX.Element {
  const text = useMemo(() => flowing(written), [written])
  const pieces = useMemo(() => segments(text, why?.terms.map(([, forms]) => forms) ?? []), [text, why])
  const told = useMemo(() => (why ? voices(why) : []), [why])
  const chosen = param('word')
  const met = new Set<number>()
  return (
    <div
      class={`document-text${text.length > LONG ? ' long' : ''}`}
      dir="auto"
      tabIndex={0}
      role="region"
      aria-label="Text">
      {pieces.map(({ text: part, term }, i) => {
        const voice = told[term]
        if (!why || !voice || voice.strength === 0) return part
        const word = why.terms[term]![0]
        const first = !met.has(term)
        met.add(term)
        const choose = () => setParams({ word: chosen === word ? '' : word })
        return (
          <mark
            key={i}
            class={`document-word ${voice.side} s${voice.strength}${chosen === word ? ' chosen' : ''}`}
            style={{ '--colour': inkOf(voice.side === 'mine' ? why.topic : why.other) }}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a <button> would not flow with the text
            role="button"
            tabIndex={first ? 0 : -1}
            aria-pressed={chosen === word}
            onClick={choose}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === ' ') {
                event.preventDefault()
                choose()
              }
            }}>
            {part}
          </mark>
        )
      })}
    </div>
  )
}

// -- beside it --------------------------------------------------------------------------------------------------------

const MEMBERSHIPS: ColumnOf<Whole['memberships'][number]>[] = [
  { name: 'topic', value: ([topic]) => topic },
  { name: 'name', value: ([topic]) => nameOf(topic) },
  { name: 'membership', value: ([, share]) => share },
]

function Memberships({
  document,
  points,
}: {
  document: Whole
  points: Points | undefined
}): JSX.Element | null {
  const own = points ? points.topic[document.row]! : -1
  if (!document.memberships.length) return null
  return (
    <section aria-labelledby="document-memberships">
      <div class="heading">
        <h2 id="document-memberships">Memberships</h2>
        <TakeTable
          name={`memberships-${document.row}`}
          columns={MEMBERSHIPS}
          rows={() => document.memberships}
        />
      </div>
      <ul class="document-memberships">
        {document.memberships.slice(0, 6).map(([topic, share]) => (
          <li key={topic} class={topic === own ? 'own' : ''}>
            <TopicLink topic={topic} />
            <Meter share={share} text={decimal(share)} title="how much of this document the topic explains" />
          </li>
        ))}
      </ul>
    </section>
  )
}

function RunnerUp({ why }: { why: Why }): JSX.Element {
  return (
    <section aria-labelledby="document-other">
      <h2 id="document-other">Runner-up</h2>
      <p class="document-other">
        <TopicLink topic={why.other} />
        <span>
          score {significant(why.other_score)} beside {significant(why.score)}
        </span>
      </p>
      <p class="document-otherwords">
        {topicOf(why.other)
          ?.keywords.slice(0, 10)
          .map(([word], i) => (
            <span key={word}>
              {i > 0 && ', '}
              <Word word={word} />
            </span>
          ))}
      </p>
    </section>
  )
}
