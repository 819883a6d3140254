/** Home: every topic in a row, with its words, its size, its course over time and how stable it is. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { count, counted, decimal, percent, plain, spanName } from '../format'
import { CLEAR_ABOUT, clearIn, stableAbout, stableOf } from '../clear'
import type { Head, Topic } from '../payload'
import { holdsWord, orderTopics, rise, totalsOf, wordsOf, type Order } from '../relevance'
import { href, param, setParams } from '../route'
import { rowsWhere } from '../rows'
import { head, nameOf, names, points, source } from '../store'
import { documentsSheet } from '../take'
import { FocusSwatch, Keywords, lambda, Relevance, RelevanceAbout, Rename } from '../ui/Keywords'
import { Spark } from '../ui/Spark'
import { Table, TakeSheet, TakeTable, type ColumnOf } from '../ui/Table'
import { Empty, Meter, TopicLink } from '../ui/small'
import { Sizes } from './Sizes'
import type { Sheet } from '../xlsx'
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
      <h1>What {all.n === 1 ? 'this document is' : 'these documents are'} about</h1>
      <Lede all={all} />
      <Reading all={all} />
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

/** How many of the largest topics are named at once. */
const LARGEST = 3

/** What this is, for who sees it for the first time. */
function Lede({ all }: { all: Head }): JSX.Element {
  const { n, topics, unassigned } = all
  const largest = orderTopics(topics, 'size', names.value).filter((each) => each.size > 0)
  const named = largest.slice(0, LARGEST)
  const clear = clearIn(topics)
  return (
    <p class="lede topics-lede">
      {counted(n, 'document')}, {counted(topics.length, 'topic')}
      {named.length > 1 && (
        <>
          ; the largest are{' '}
          {named.map((each, i) => (
            <span key={each.topic}>
              {i > 0 && (i === named.length - 1 ? ' and ' : ', ')}
              <a href={href('topic', each.topic)}>“{plain(nameOf(each.topic), 60)}”</a> (
              {percent(each.share, 0)})
            </span>
          ))}
        </>
      )}
      .{' '}
      {clear !== null && n > 0 && (
        <span title={CLEAR_ABOUT}>
          <b>{percent(clear / n, 0)}</b> have a clear place
        </span>
      )}
      {unassigned > 0 && (
        <>
          {clear !== null && '; '}
          <a href={href('topic', 'none')}>
            {count(unassigned)} {unassigned === 1 ? 'fits' : 'fit'} no topic
          </a>
        </>
      )}
      {(clear !== null || unassigned > 0) && '.'}
    </p>
  )
}

/** What the numbers and bars mean, for who asks. */
function Reading({ all }: { all: Head }): JSX.Element {
  return (
    <details class="topics-reading">
      <summary>How to read this</summary>
      <p>
        Documents that use the same words lie together: such a group is a topic, and its name is made of its
        most telling words. A word on a long bar is frequent in the topic. Click a topic to read its
        documents, a word to see where it is used.
      </p>
      <p>{CLEAR_ABOUT}</p>
      {all.has.confidence && <p>{stableAbout(all)}</p>}
      <p>
        <RelevanceAbout />
      </p>
    </details>
  )
}

function ordersOf({ has, spark }: Head): [Order, string][] {
  const orders: [Order, string, boolean][] = [
    ['size', 'size', true],
    ['name', 'name', true],
    ['sure', 'stable', has.confidence],
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
      {form === '' && (
        <div class="heading topics-about">
          <p>{lambda() !== null && <RelevanceAbout />}</p>
          <a href={href('report')}>report</a>
          <span class="topics-take">
            topics
            <TakeTable name="topics" columns={[...columnsOf(all), ...alsoOf(all)]} rows={() => shown} />
          </span>
          <span class="topics-take">
            everything
            <TakeSheet name="documents" sheet={everything} beside={() => [topicsSheet(all)]} />
          </span>
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
  const [from, to, span] = spark
    ? spanName(spark.starts[0] ?? '', spark.starts.at(-1) ?? '', spark.bin)
    : ['', '', '']
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
        {has.confidence && <span title={stableAbout(all)}>stable</span>}
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
                <span class="topics-when">{span}</span>
              </div>
            )}
            <p class="topics-size">
              <b>{count(each.size)}</b> <span>{percent(each.share)}</span>
            </p>
            {has.confidence && (
              <p class="topics-sure">
                <span class="said">stable</span>
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
  return <Meter share={topic.size < 2 ? null : topic.stability} title={stableOf(head.value!, topic)} />
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
    ...maybe(clearIn(all.topics) !== null, {
      name: 'clear',
      number: true,
      value: (each) => round(each.size ? each.clear! / each.size : null),
      show: (each) => share(each.size ? each.clear! / each.size : null),
      about: `share of its documents with a clear place. ${CLEAR_ABOUT}`,
    }),
    {
      name: 'membership',
      number: true,
      value: (each) => round(each.membership),
      show: (each) => decimal(each.membership),
      about: 'how much of a document its topic explains, on average',
    },
    ...maybe(
      all.topics.some((each) => each.stability !== null),
      {
        name: 'stable',
        number: true,
        value: (each) => round(each.stability),
        show: (each) => share(each.stability),
        about: stableAbout(all),
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

/** All documents that are shown, with all that is known of them. */
async function everything(tell: (share: number) => void): Promise<Sheet> {
  const known = points.value.value ?? (await source.points())
  return documentsSheet(rowsWhere(known, {}, head.value!.topics.length), known, tell)
}

function topicsSheet(all: Head): Sheet {
  const columns = [...columnsOf(all), ...alsoOf(all)]
  return {
    name: 'Topics',
    columns: columns.map(({ name }) => name),
    rows: all.topics.map((each) => columns.map(({ value }) => value(each))),
  }
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
