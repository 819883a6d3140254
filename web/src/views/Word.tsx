/** One word: how often, in which topics, in which documents. */
import type { JSX } from 'preact'
import { colourOf } from '../colour'
import { count, counted, percent, plain } from '../format'
import type { Terms } from '../payload'
import { href, route } from '../route'
import { head, nameOf } from '../store'
import { findTerm, likeTerms, usesOf, type KnownTerm, type Use } from '../terms'
import { FoundDocuments } from '../ui/Found'
import { Table, TakeTable, type ColumnOf } from '../ui/Table'
import { allTopics, Sorry, TopicLink, useTerms, Wait, Word } from '../ui/small'
import './Word.css'

export function WordView(): JSX.Element {
  const word = (route.value.of ?? '').trim()
  const { value: terms, error } = useTerms()
  if (!word)
    return (
      <>
        <h1>Word</h1>
        <Sorry>
          No word was named: <a href={href('search')}>search for one</a>.
        </Sorry>
      </>
    )
  const known = terms ? findTerm(terms, word) : null
  const uses = usesOf(allTopics(), word)
  return (
    <>
      <h1 dir="auto">“{plain(word, 120)}”</h1>
      {error && <Sorry>{error}</Sorry>}
      {!terms && !error && <Wait />}
      {terms && (
        <p class="lede">
          <Meaning word={word} known={known} terms={terms} phrase={uses.length > 0} />
        </p>
      )}
      {terms && !known && <Alike word={word} terms={terms} />}
      <div class="word-columns">
        {known && known.topics.length > 0 && <Where known={known} />}
        {uses.length > 0 && <Uses uses={uses} />}
      </div>
      <section aria-labelledby="word-documents">
        <h2 id="word-documents">Documents with it</h2>
        <FoundDocuments words={word} name="documents-with-word" />
      </section>
    </>
  )
}

function Meaning({
  word,
  known,
  terms,
  phrase,
}: {
  word: string
  known: KnownTerm | null
  terms: Terms
  phrase: boolean
}): JSX.Element {
  if (known) {
    const often = Number.isInteger(known.total)
      ? `occurs ${counted(known.total, 'time')}`
      : `has the weight ${known.total.toFixed(1)}`
    return (
      <>
        It {often} in all documents: number {count(known.place + 1)} of{' '}
        {count(terms.words.length + terms.left)} terms by frequency.
      </>
    )
  }
  if (/\s/.test(word)) {
    const parts = word.split(/\s+/).filter((part) => findTerm(terms, part))
    return (
      <>
        {phrase
          ? 'A phrase: its words often stand together in a topic.'
          : 'These words are no term of their own in this run.'}
        {parts.length > 0 && (
          <>
            {' '}
            Its words:{' '}
            {parts.map((part, i) => (
              <span key={i}>
                {i > 0 && ', '}
                <Word word={part} />
              </span>
            ))}
            .
          </>
        )}
      </>
    )
  }
  const rare = terms.left > 0 ? `, or one of ${count(terms.left)} rare terms that are not listed here` : ''
  return (
    <>It is not among the terms that topics are made of: too rare, too common, or written otherwise{rare}.</>
  )
}

function Alike({ word, terms }: { word: string; terms: Terms }): JSX.Element | null {
  const stem = word.length > 4 ? word.slice(0, Math.max(4, word.length - 3)) : word
  const { found } = likeTerms(terms, stem, 8)
  if (!found.length || /\s/.test(word)) return null
  return (
    <p>
      Terms that look like it:{' '}
      {found.map((each, i) => (
        <span key={each.word}>
          {i > 0 && ', '}
          <a href={href('word', each.word)}>{plain(each.word, 60)}</a>
        </span>
      ))}
      .
    </p>
  )
}

const WHERE: ColumnOf<KnownTerm['topics'][number]>[] = [
  { name: 'topic', value: ([topic]) => topic },
  { name: 'name', value: ([topic]) => nameOf(topic) },
  { name: 'percent', value: ([, share]) => share },
]

/** p(topic | term): of ten times that the word occurs, how many are in which topic. */
function Where({ known }: { known: KnownTerm }): JSX.Element {
  const rest = Math.max(0, 100 - known.topics.reduce((sum, [, share]) => sum + share, 0))
  return (
    <section aria-labelledby="word-where">
      <div class="heading">
        <h2 id="word-where">Where it is used</h2>
        <TakeTable name="where-used" columns={WHERE} rows={() => known.topics} />
      </div>
      <p class="word-about">Of all uses of this word, how many fall to which topic.</p>
      <ul class="word-bars">
        {known.topics.map(([topic, share]) => (
          <Bar key={topic} share={share} colour={colourOf(topic)}>
            <TopicLink topic={topic} />
          </Bar>
        ))}
        {rest >= 1 && (
          <Bar share={rest} colour="var(--grey)">
            <span class="none">all other topics</span>
          </Bar>
        )}
      </ul>
    </section>
  )
}

function Bar({
  share,
  colour,
  children,
}: {
  share: number
  colour: string
  children: JSX.Element
}): JSX.Element {
  return (
    <li>
      <span class="word-name">{children}</span>
      <span class="word-track" aria-hidden="true">
        <span style={{ width: `${Math.min(100, share)}%`, background: colour }} />
      </span>
      <span class="word-share">{percent(share / 100, 0)}</span>
    </li>
  )
}

function Uses({ uses }: { uses: Use[] }): JSX.Element {
  return (
    <section aria-labelledby="word-uses">
      <h2 id="word-uses">Topics that have it among their words</h2>
      <p class="word-about">Of all words of a topic, how many are this one.</p>
      <Table
        name="uses"
        caption="Topics with this word"
        rows={uses}
        id={(each) => each.topic}
        page={20}
        columns={[
          {
            name: 'topic',
            value: (each) => nameOf(each.topic),
            show: (each) => <TopicLink topic={each.topic} />,
          },
          {
            name: 'share',
            number: true,
            value: (each) => each.share,
            show: (each) => percent(each.share, 2),
            about: 'p(word | topic)',
          },
          {
            name: 'times more',
            number: true,
            value: (each) => (each.overall ? each.share / each.overall : null),
            show: (each) => (each.overall ? `×${(each.share / each.overall).toFixed(1)}` : '–'),
            about: 'than in all documents',
          },
          {
            name: 'keyword',
            number: true,
            down: false,
            value: (each) => each.place,
            show: (each) => (each.place === null ? '–' : `no. ${each.place}`),
            about: 'its place among the keywords of the topic',
          },
        ]}
        also={[
          { name: 'number', value: (each) => each.topic },
          { name: 'documents', value: (each) => head.value!.topics[each.topic]!.size },
        ]}
      />
    </section>
  )
}
