/** One topic: its words, its course, its neighbours, its documents. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { count, counted, daysOfIso, decimal, percent, plain } from '../format'
import type { Points, Topic } from '../payload'
import { href, param, route, setParams } from '../route'
import { head, nameOf, topicOf } from '../store'
import { Documents, NO_DATE } from '../ui/Documents'
import { FocusSwatch, Rename } from '../ui/Keywords'
import { Empty, Meter, Sorry, TopicLink, usePoints, Wait } from '../ui/small'
import { Course } from './Course'
import { TopicWords } from './TopicWords'
import './Topic.css'

export function TopicView(): JSX.Element {
  const of = route.value.of ?? ''
  const number = of === 'none' || of === '-1' ? -1 : Number(of)
  const topic = topicOf(number)
  if (of === '' || !Number.isInteger(number) || (number >= 0 && !topic)) {
    return <><h1>Topic</h1><Sorry>There is no such topic in this run: <a href={href('topics')}>see the topics</a>.</Sorry></>
  }
  return topic ? <One topic={topic} /> : <None />
}

function One({ topic }: { topic: Topic }): JSX.Element {
  return (
    <>
      <Neighbours topic={topic.topic} />
      <h1 class="topic-title"><FocusSwatch topic={topic.topic} /><span>{plain(nameOf(topic.topic), 120)}</span><Rename topic={topic.topic} /></h1>
      <Facts topic={topic} />
      <div class="topic-columns">
        <TopicWords topic={topic} />
        <div>
          {head.value!.spark && topic.spark && <Course topic={topic} />}
          <Nearest topic={topic} />
        </div>
      </div>
      <OwnDocuments topic={topic} />
    </>
  )
}

/** The topics before and after it, by number. */
function Neighbours({ topic }: { topic: number }): JSX.Element {
  const step = (to: number, text: string) => topicOf(to) && <a href={href('topic', to)} title={plain(nameOf(to), 80)}>{text}</a>
  return (
    <nav class="steps" aria-label="Other topics">
      {step(topic - 1, '‹ previous topic')}<span>topic {count(topic + 1)} of {count(head.value!.topics.length)}</span>{step(topic + 1, 'next topic ›')}
    </nav>
  )
}

function Facts({ topic }: { topic: Topic }): JSX.Element {
  const { about, has } = head.value!
  const runs = about.runs === null ? 'the runs' : `${count(about.runs)} runs`
  const facts: [string, string, string][] = [
    ['documents', count(topic.size), `${percent(topic.share)} of all`],
    ['membership', decimal(topic.membership), 'of a document is explained by this topic, on average'],
  ]
  if (has.confidence && topic.confidence !== null) facts.push(['how sure', percent(topic.confidence, 0), `of ${runs} put a document of it here, on average`])
  if (topic.stability !== null) facts.push(['stability', percent(topic.stability, 0), `of ${runs} keep two of its documents together`])
  return (
    <dl class="topic-facts">
      {facts.map(([name, value, meaning]) => <div key={name}><dt>{name}</dt><dd><b>{value}</b> <span>{meaning}</span></dd></div>)}
    </dl>
  )
}

function Nearest({ topic }: { topic: Topic }): JSX.Element | null {
  if (!topic.nearest.length) return null
  return (
    <section aria-labelledby="topic-nearest">
      <h2 id="topic-nearest">Nearest topics</h2>
      <p class="topic-about">How alike their words are: 0 % nothing in common, 100 % the same.</p>
      <ul class="topic-nearest">
        {topic.nearest.map(([other, alike]) => <li key={other}><TopicLink topic={other} /><Meter share={alike} title="cosine of their term weights" /></li>)}
      </ul>
    </section>
  )
}

// -- documents --------------------------------------------------------------------------------------------------------

interface Filter { from: string; to: string; label: number }

function filterOf(): Filter {
  const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(param(name)) ? param(name) : '')
  return { from: day('from'), to: day('to'), label: /^\d+$/.test(param('label')) ? Number(param('label')) : -1 }
}

/** Rows of a topic that pass what the address asks for: days from (with) to (without), a class. */
export function rowsOf(points: Points, topic: number, { from, to, label }: Filter): Uint32Array {
  const first = from ? daysOfIso(from) : -Infinity
  const end = to ? daysOfIso(to) : Infinity
  const dated = from !== '' || to !== ''
  const rows: number[] = []
  for (let row = 0; row < points.topic.length; row++) {
    if (points.topic[row] !== topic) continue
    const date = points.date?.[row] ?? NO_DATE
    if (dated && (date === NO_DATE || date < first || date >= end)) continue
    if (label >= 0 && points.label?.[row] !== label) continue
    rows.push(row)
  }
  return Uint32Array.from(rows)
}

function useRows(topic: number): { points: Points | undefined; error: string; rows: Uint32Array } {
  const { value: points, error } = usePoints()
  const filter = filterOf()
  const rows = useMemo(() => (points ? rowsOf(points, topic, filter) : new Uint32Array()), [points, topic, filter.from, filter.to, filter.label])
  return { points, error, rows }
}

type Which = '' | 'typical' | 'border'

function OwnDocuments({ topic }: { topic: Topic }): JSX.Element {
  const { points, error, rows } = useRows(topic.topic)
  const which = param('show') as Which
  const forms: [Which, string, number][] = [['', 'all', topic.size], ['typical', 'most typical', topic.typical.length], ['border', 'on the border', topic.borderline.length]]
  const chosen = which === 'typical' ? topic.typical : which === 'border' ? topic.borderline : rows
  return (
    <section class="topic-documents" aria-labelledby="topic-documents">
      <h2 id="topic-documents">Documents</h2>
      <div class="controls">
        <fieldset>
          <legend class="unseen">Which documents</legend>
          {forms.filter(([key, , n]) => key === '' || n > 0).map(([key, text]) => (
            <button key={key} type="button" aria-pressed={which === key} onClick={() => setParams({ show: key })}>{text}</button>
          ))}
        </fieldset>
        {which === 'border' && <span class="topic-about">Nearly as much in another topic, which is named beside each.</span>}
        {which === '' && <Chips shown={rows.length} />}
      </div>
      {error ? <Sorry>{error}</Sorry> : points
        ? <Documents name="documents" caption={`Documents of ${plain(nameOf(topic.topic), 80)}`} points={points} rows={chosen} topics={false}
            note={which === 'border' ? (row) => points.other[row]! >= 0 && <span>nearly in <TopicLink topic={points.other[row]!} /></span> : undefined} />
        : <Wait />}
    </section>
  )
}

/** What the list is narrowed to, each to be taken away. */
function Chips({ shown }: { shown: number }): JSX.Element | null {
  const { from, to, label } = filterOf()
  const until = to && new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10)
  const chips: [string, Record<string, string>][] = []
  if (from || to) chips.push([from && to ? (from === until ? from : `${from} to ${until}`) : from ? `from ${from}` : `until ${until}`, { from: '', to: '' }])
  if (label >= 0) chips.push([`class ${plain(head.value!.labels?.[label] ?? String(label), 60)}`, { label: '' }])
  if (!chips.length) return null
  return (
    <span class="chips">
      {chips.map(([text, less]) => <button key={text} type="button" class="chip" onClick={() => setParams(less)} aria-label={`Take away: ${text}`}>{text} <span aria-hidden="true">×</span></button>)}
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
      <nav class="steps" aria-label="Other topics"><a href={href('topics')}>‹ all topics</a></nav>
      <h1>Documents without a topic</h1>
      <p class="lede">
        {counted(head.value!.unassigned, 'document')} {head.value!.unassigned === 1 ? 'lies' : 'lie'} in no topic
        {without > 0 && <>; {count(without)} hold none of the words that topics are made of</>}.
      </p>
      <div class="controls"><Chips shown={rows.length} /></div>
      {error ? <Sorry>{error}</Sorry> : !points ? <Wait /> : rows.length ? <Documents name="documents" caption="Documents without a topic" points={points} rows={rows} topics={false} order="row" /> : <Empty>No documents.</Empty>}
    </>
  )
}
