/** One topic: its words, its course, its neighbours, its documents. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { count, counted, daysOfIso, isoOfDays, percent, plain } from '../format'
import type { Points, Topic } from '../payload'
import { href, param, route, setParams } from '../route'
import { rowsWhere, type Wanted } from '../rows'
import { head, nameOf, noteOf, topicOf } from '../store'
import { Documents } from '../ui/Documents'
import { EditTopic } from '../ui/Edit'
import { FocusSwatch, Rename } from '../ui/Keywords'
import { TakeTable, type ColumnOf } from '../ui/Table'
import { Meter, Sorry, TopicLink, usePoints, Wait } from '../ui/small'
import { Course } from './Course'
import { TopicCuts } from './TopicCuts'
import { TopicWords } from './TopicWords'
import './Topic.css'

export function TopicView(): JSX.Element {
  const of = route.value.of ?? ''
  const number = of === 'none' || of === '-1' ? -1 : Number(of)
  const topic = topicOf(number)
  if (of === '' || !Number.isInteger(number) || (number >= 0 && !topic)) {
    return (
      <>
        <h1>Topic</h1>
        <Sorry>
          There is no such topic in this run: <a href={href('topics')}>see the topics</a>.
        </Sorry>
      </>
    )
  }
  return topic ? <One topic={topic} /> : <None />
}

function One({ topic }: { topic: Topic }): JSX.Element {
  return (
    <>
      <Neighbours topic={topic.topic} />
      <h1 class="topic-title">
        <FocusSwatch topic={topic.topic} />
        <span>{plain(nameOf(topic.topic), 120)}</span>
        <Rename topic={topic.topic} />
      </h1>
      {topic.passage && (
        <blockquote class="topic-passage" title="from a typical document">
          {plain(topic.passage, 400)}
        </blockquote>
      )}
      {noteOf(topic.topic) && <p class="topic-note">{plain(noteOf(topic.topic), 2000)}</p>}
      <Facts topic={topic} />
      <EditTopic topic={topic.topic} />
      <div class="topic-columns">
        <TopicWords topic={topic} />
        <div>
          {head.value!.spark && topic.spark && <Course topic={topic} />}
          <Nearest topic={topic} />
          <TopicCuts topic={topic} />
        </div>
      </div>
      <OwnDocuments topic={topic} />
    </>
  )
}

/** The topics before and after it, by number. */
function Neighbours({ topic }: { topic: number }): JSX.Element {
  const step = (to: number, text: string) =>
    topicOf(to) && (
      <a href={href('topic', to)} title={plain(nameOf(to), 80)}>
        {text}
      </a>
    )
  return (
    <nav class="steps" aria-label="Other topics">
      {step(topic - 1, '‹ previous topic')}
      <span>
        topic {count(topic + 1)} of {count(head.value!.topics.length)}
      </span>
      {step(topic + 1, 'next topic ›')}
    </nav>
  )
}

function Facts({ topic }: { topic: Topic }): JSX.Element {
  const { about } = head.value!
  const runs = about.runs === null ? 'the runs' : `${count(about.runs)} runs`
  const facts: [string, string, string][] = [
    ['documents', count(topic.size), `${percent(topic.share)} of all`],
  ]
  if (topic.clear !== undefined && topic.size > 0)
    facts.push([
      'clear place',
      percent(topic.clear / topic.size, 0),
      'of its documents are half or more about it',
    ])
  if (topic.stability !== null && topic.size > 1)
    facts.push([
      'stable',
      percent(topic.stability, 0),
      `how often two of its documents came together, over ${runs}`,
    ])
  return (
    <dl class="topic-facts">
      {facts.map(([name, value, meaning]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{value}</b> <span>{meaning}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const NEAREST: ColumnOf<Topic['nearest'][number]>[] = [
  { name: 'topic', value: ([other]) => other },
  { name: 'name', value: ([other]) => nameOf(other) },
  { name: 'similarity', value: ([, alike]) => alike },
]

function Nearest({ topic }: { topic: Topic }): JSX.Element | null {
  if (!topic.nearest.length) return null
  return (
    <section aria-labelledby="topic-nearest">
      <div class="heading">
        <h2 id="topic-nearest">Nearest topics</h2>
        <TakeTable name="nearest-topics" columns={NEAREST} rows={() => topic.nearest} />
      </div>
      <p class="topic-about">How alike their words are: 0 % nothing in common, 100 % the same.</p>
      <ul class="topic-nearest">
        {topic.nearest.map(([other, alike]) => (
          <li key={other}>
            <TopicLink topic={other} />
            <Meter share={alike} title="cosine of their term weights" />
          </li>
        ))}
      </ul>
    </section>
  )
}

// -- documents --------------------------------------------------------------------------------------------------------

/** What the address narrows the list to: days from (with) to (without), a class. A day that is none asks for nothing. */
function filterOf(): Omit<Wanted, 'topic'> {
  const day = (name: string) => {
    const days = /^\d{4}-\d{2}-\d{2}$/.test(param(name)) ? daysOfIso(param(name)) : NaN
    return Number.isFinite(days) ? days : undefined
  }
  return {
    from: day('from'),
    to: day('to'),
    label: /^\d+$/.test(param('label')) ? Number(param('label')) : undefined,
  }
}

function useRows(topic: number): { points: Points | undefined; error: string; rows: Uint32Array } {
  const { value: points, error } = usePoints()
  const { from, to, label } = filterOf()
  const rows = useMemo(
    () => (points ? rowsWhere(points, { topic, from, to, label }) : new Uint32Array()),
    [points, topic, from, to, label],
  )
  return { points, error, rows }
}

type Which = '' | 'typical' | 'border'

function OwnDocuments({ topic }: { topic: Topic }): JSX.Element {
  const { points, error, rows } = useRows(topic.topic)
  const forms: [Which, string, number][] = [
    ['', 'all', topic.size],
    ['typical', 'most typical', topic.typical.length],
    ['border', 'on the border', topic.borderline.length],
  ]
  const which = forms.find(([key]) => key === param('show'))?.[0] ?? ''
  const chosen = useMemo(() => {
    const inside = new Set(rows)
    return which === ''
      ? rows
      : (which === 'typical' ? topic.typical : topic.borderline).filter((row) => inside.has(row))
  }, [which, rows, topic])
  return (
    <section class="topic-documents" aria-labelledby="topic-documents">
      <h2 id="topic-documents">Documents</h2>
      <div class="controls">
        <fieldset>
          <legend class="unseen">Which documents</legend>
          {forms
            .filter(([key, , n]) => key === '' || n > 0)
            .map(([key, text]) => (
              <button
                key={key}
                type="button"
                aria-pressed={which === key}
                onClick={() => setParams({ show: key })}>
                {text}
              </button>
            ))}
        </fieldset>
        {which === 'border' && (
          <span class="topic-about">Nearly as much in another topic, which is named beside each.</span>
        )}
        <Chips shown={chosen.length} />
      </div>
      {error ? (
        <Sorry>{error}</Sorry>
      ) : points ? (
        <Documents
          name="documents"
          caption={`Documents of ${plain(nameOf(topic.topic), 80)}`}
          points={points}
          rows={chosen}
          topics={false}
          note={
            which === 'border'
              ? (row) =>
                  points.other[row]! >= 0 && (
                    <span>
                      nearly in <TopicLink topic={points.other[row]!} />
                    </span>
                  )
              : undefined
          }
        />
      ) : (
        <Wait />
      )}
    </section>
  )
}

/** What the list is narrowed to, each to be taken away. */
function Chips({ shown }: { shown: number }): JSX.Element | null {
  const { from, to, label } = filterOf()
  const first = from === undefined ? '' : isoOfDays(from)
  const last = to === undefined ? '' : isoOfDays(to - 1)
  const chips: [string, Record<string, string>][] = []
  if (first || last)
    chips.push([
      first && last
        ? first === last
          ? first
          : `${first} to ${last}`
        : first
          ? `from ${first}`
          : `until ${last}`,
      { from: '', to: '' },
    ])
  if (label !== undefined)
    chips.push([`class ${plain(head.value!.labels?.[label] ?? String(label), 60)}`, { label: '' }])
  if (!chips.length) return null
  return (
    <span class="chips">
      {chips.map(([text, less]) => (
        <button
          key={text}
          type="button"
          class="chip"
          onClick={() => setParams(less)}
          aria-label={`Take away: ${text}`}>
          {text} <span aria-hidden="true">×</span>
        </button>
      ))}
      <span>{counted(shown, 'document')}</span>
    </span>
  )
}

/** Documents without a topic. */
function None(): JSX.Element {
  const { points, error, rows } = useRows(-1)
  const without = head.value!.about.terms.documents_without
  return (
    <>
      <nav class="steps" aria-label="Other topics">
        <a href={href('topics')}>‹ all topics</a>
      </nav>
      <h1>Documents without a topic</h1>
      <p class="lede">
        {counted(head.value!.unassigned, 'document')} {head.value!.unassigned === 1 ? 'lies' : 'lie'} in no
        topic
        {without > 0 && <>; {count(without)} hold none of the words that topics are made of</>}.
      </p>
      <div class="controls">
        <Chips shown={rows.length} />
      </div>
      {error ? (
        <Sorry>{error}</Sorry>
      ) : points ? (
        <Documents
          name="documents"
          caption="Documents without a topic"
          points={points}
          rows={rows}
          topics={false}
          order="row"
        />
      ) : (
        <Wait />
      )}
    </>
  )
}
