/** Home: every topic in a row, with its words, its size, its course over time and how sure it is. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { binName, count, counted, decimal, percent, plain } from '../format'
import type { Head, Topic } from '../payload'
import { holdsWord, orderTopics, rise, totalsOf, wordsOf, type Order } from '../relevance'
import { href, param, setParams } from '../route'
import { head, nameOf, names } from '../store'
import { FocusSwatch, Keywords, lambda, Relevance, RelevanceAbout, Rename } from '../ui/Keywords'
import { Spark } from '../ui/Spark'
import { Table, TakeTable, type ColumnOf } from '../ui/Table'
import { Empty, Meter, TopicLink } from '../ui/small'
import { Sizes } from './Sizes'
import './Topics.css'

type Form = '' | 'table' | 'chart'
const FORMS: [Form, string][] = [
  ['', 'as rows'],
  ['table', 'as a table'],
  ['chart', 'as a chart'],
]

export function Topics(): JSX.Element {
  const all = head.value!
  const form = FORMS.find(([each]) => each === param('as'))?.[0] ?? ''
  const sort = ordersOf(all).find(([each]) => each === param('sort'))?.[0] ?? 'size'
  const shown = orderTopics(all.topics, sort, names.value).filter((each) =>
    holdsWord(each, nameOf(each.topic), param('has')),
  )
  return (
    <>
      <h1>{counted(all.topics.length, 'topic')}</h1>
      <p class="lede">{sentence(all)}</p>
      <Controls form={form} sort={sort} all={all} shown={shown} />
      {!shown.length && (
        <Empty>
          No topic holds that word.{' '}
          <a href={href('search', null, { q: param('has') })}>Search the documents for it</a>.
        </Empty>
      )}
      {shown.length > 0 &&
        (form === 'table' ? (
          <TopicTable topics={shown} />
        ) : form === 'chart' ? (
          <Sizes topics={shown} />
        ) : (
          <Rows topics={shown} all={all} />
        ))}
    </>
  )
}

function sentence({ n, topics, unassigned, about, has }: Head): JSX.Element {
  const sure =
    topics.reduce((sum, each) => sum + (each.confidence ?? 0) * each.size, 0) / Math.max(1, n - unassigned)
  return (
    <>
      {counted(n, 'document')} {n === 1 ? 'lies' : 'lie'} in {counted(topics.length, 'topic')} by the words{' '}
      {n === 1 ? 'it holds' : 'they share'}
      {unassigned > 0 && (
        <>
          ;{' '}
          <a href={href('topic', 'none')}>
            {count(unassigned)} {unassigned === 1 ? 'lies' : 'lie'} in none
          </a>
        </>
      )}
      .
      {has.confidence && about.runs !== null && (
        <>
          {' '}
          On average, {percent(sure, 0)} of {count(about.runs)} runs put a document where it is.
        </>
      )}
    </>
  )
}

function ordersOf({ has, spark }: Head): [Order, string][] {
  const orders: [Order, string, boolean][] = [
    ['size', 'size', true],
    ['name', 'name', true],
    ['sure', 'how sure', has.confidence],
    ['rising', 'rising', !!spark],
  ]
  return orders.filter(([, , there]) => there).map(([value, text]) => [value, text])
}

function Controls({
  form,
  sort,
  all,
  shown,
}: {
  form: Form
  sort: Order
  all: Head
  shown: Topic[]
}): JSX.Element {
  return (
    <>
      <div class="controls">
        <label>
          sorted by{' '}
          <select
            value={sort}
            onChange={(event) =>
              setParams({ sort: event.currentTarget.value === 'size' ? '' : event.currentTarget.value })
            }>
            {ordersOf(all).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <HasWord />
        <fieldset>
          <legend class="unseen">Form</legend>
          {FORMS.map(([value, text]) => (
            <button
              key={value}
              type="button"
              aria-pressed={form === value}
              onClick={() => setParams({ as: value })}>
              {text}
            </button>
          ))}
        </fieldset>
        {form !== 'table' && <Relevance />}
      </div>
      {form !== 'table' && (
        <div class="heading topics-about">
          <p>
            <RelevanceAbout />
          </p>
          {form === '' && (
            <TakeTable name="topics" columns={[...columnsOf(all), ...alsoOf(all)]} rows={() => shown} />
          )}
        </div>
      )}
    </>
  )
}

/** The word that topics must hold; typing is taken over when it rests. */
function HasWord(): JSX.Element {
  const asked = param('has')
  const [typed, setTyped] = useState(asked)
  useEffect(() => setTyped(asked), [asked])
  useEffect(() => {
    if (typed === asked) return
    const timer = setTimeout(() => setParams({ has: typed }), 150)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label>
      that hold{' '}
      <input
        type="search"
        value={typed}
        maxLength={100}
        size={14}
        placeholder="a word"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  )
}

function Rows({ topics, all }: { topics: Topic[]; all: Head }): JSX.Element {
  const { spark, has } = all
  const many = all.topics.length > 40 // then one line of words is enough
  const from = spark && binName(spark.starts[0] ?? '', spark.bin)
  const to = spark && binName(spark.starts.at(-1) ?? '', spark.bin)
  return (
    <div
      class={`topics-rows${spark ? ' with-time' : ''}${has.confidence ? ' with-sure' : ''}${many ? ' many' : ''}`}>
      <div class="topics-head" aria-hidden="true">
        <span>topic</span>
        <span>words, by their share in the topic</span>
        {spark && (
          <span class="topics-span">
            <span>{from}</span>
            <span>{to}</span>
          </span>
        )}
        <span class="number">documents</span>
        {has.confidence && <span>how sure</span>}
      </div>
      <ol>
        {topics.map((each) => (
          <li key={each.topic}>
            <Name topic={each.topic} />
            <Keywords topic={each.topic} words={wordsOf(each, lambda(), many ? 6 : 10)} />
            {spark && each.spark && (
              <div class="topics-spark">
                <Spark
                  width={90}
                  topic={each.topic}
                  values={each.spark}
                  bin={spark.bin}
                  starts={spark.starts}
                />{' '}
                <span class="topics-when">
                  {from} to {to}
                </span>
              </div>
            )}
            <p class="topics-size">
              <b>{count(each.size)}</b> <span>{percent(each.share)}</span>
            </p>
            {has.confidence && (
              <p class="topics-sure">
                <Sure topic={each} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}

function Name({ topic }: { topic: number }): JSX.Element {
  const name = nameOf(topic)
  return (
    <h2 class="topics-name">
      <FocusSwatch topic={topic} />
      <a href={href('topic', topic)} title={plain(name, 200)}>
        {plain(name, 80)}
      </a>
      <Rename topic={topic} />
    </h2>
  )
}

function Sure({ topic }: { topic: Topic }): JSX.Element {
  const runs = head.value!.about.runs
  const stable =
    topic.stability === null || topic.size < 2
      ? ''
      : `; two of its documents are together in ${percent(topic.stability, 0)} of the runs`
  const text = `how sure: on average ${percent(topic.confidence ?? 0, 0)} of ${runs ?? 'the'} runs put a document of it here${stable}`
  return <Meter share={topic.confidence} title={text} />
}

const round = (value: number | null, digits = 4) => (value === null ? null : Number(value.toFixed(digits)))

/** All figures; with the names that people gave, also as CSV and JSON. */
function TopicTable({ topics }: { topics: Topic[] }): JSX.Element {
  const all = head.value!
  return (
    <Table
      name="topics"
      caption="Topics"
      columns={columnsOf(all)}
      also={alsoOf(all)}
      rows={topics}
      id={(each) => each.topic}
      page={100}
    />
  )
}

function columnsOf(all: Head): ColumnOf<Topic>[] {
  const totals = totalsOf(all.topics)
  const maybe = (there: boolean, column: ColumnOf<Topic>) => (there ? [column] : [])
  const share = (value: number | null) => (value === null ? '–' : percent(value))
  const words = (each: Topic) => each.keywords.map(([word]) => word).join(', ')
  return [
    { name: 'topic', number: true, down: false, value: (each) => each.topic },
    { name: 'name', value: (each) => nameOf(each.topic), show: (each) => <TopicLink topic={each.topic} /> },
    { name: 'documents', number: true, value: (each) => each.size, show: (each) => count(each.size) },
    {
      name: 'share',
      number: true,
      value: (each) => each.share,
      show: (each) => percent(each.share),
      about: 'of all documents',
    },
    {
      name: 'membership',
      number: true,
      value: (each) => round(each.membership),
      show: (each) => decimal(each.membership),
      about: 'how much of a document its topic explains, on average',
    },
    ...maybe(all.has.confidence, {
      name: 'how sure',
      number: true,
      value: (each) => round(each.confidence),
      show: (each) => share(each.confidence),
      about: 'share of the runs that put a document here, on average',
    }),
    ...maybe(
      all.topics.some((each) => each.stability !== null),
      {
        name: 'stability',
        number: true,
        value: (each) => round(each.stability),
        show: (each) => share(each.stability),
        about: 'how often two of its documents are together, over pairs and runs',
      },
    ),
    ...maybe(!!all.spark, {
      name: 'rise',
      number: true,
      value: (each) => round(rise(each.spark, totals)),
      show: (each) => `×${decimal(rise(each.spark, totals) ?? NaN)}`,
      about: 'its share among the later half of the documents, divided by that among the earlier half',
    }),
    { name: 'keywords', wide: true, value: words, show: (each) => plain(words(each), 200) },
  ]
}

/** What is taken along beside what is shown. */
function alsoOf(all: Head): ColumnOf<Topic>[] {
  return [
    { name: 'name_by_quire', value: (each) => each.name },
    { name: 'nearest', value: (each) => each.nearest.map(([topic]) => topic).join(' ') },
    ...(all.spark?.starts ?? []).map((start, bin) => ({
      name: start,
      value: (each: Topic) => each.spark?.[bin] ?? 0,
    })),
  ]
}
