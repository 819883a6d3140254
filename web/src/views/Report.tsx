/** The topics as a document for a colleague: to be printed, or kept as PDF. */
import type { JSX } from 'preact'
import { CLEAR_ABOUT, clearIn, stableAbout, stableOf } from '../clear'
import { binName, count, counted, percent, plain } from '../format'
import type { Head, Listed, Topic } from '../payload'
import { orderTopics } from '../relevance'
import { href } from '../route'
import { head, nameOf, names, noteOf, source } from '../store'
import { Spark } from '../ui/Spark'
import { documentTitle } from '../ui/Documents'
import { Empty, Swatch, useAnswer } from '../ui/small'
import './Report.css'

/** Documents that are named for each topic. */
const NAMED = 3

export function Report(): JSX.Element {
  const all = head.value!
  const topics = orderTopics(all.topics, 'size', names.value).filter((each) => each.size > 0)
  const rows = topics.flatMap(({ typical }) => typical.slice(0, NAMED))
  const { value: listed } = useAnswer(rows.join(','), () => source.listed(rows))
  const byRow = new Map(listed?.map((each) => [each.row, each]))
  return (
    <article class="report">
      <p class="report-tools">
        <button type="button" onClick={() => window.print()}>
          print, or save as PDF
        </button>{' '}
        <a href={href('topics')}>back to the topics</a>
      </p>
      <h1>{plain(all.title, 100) || 'Topics'}</h1>
      <Summary all={all} />
      {!topics.length && <Empty>No documents.</Empty>}
      {topics.map((topic) => (
        <One key={topic.topic} all={all} topic={topic} byRow={byRow} />
      ))}
      <footer>
        <h2>How this was made</h2>
        <p>
          By Quire {plain(all.about.quire, 30)} on {plain(all.about.created.slice(0, 10), 10)}, from the words
          of the documents alone, without a model of language. The same command gives the same topics:{' '}
          <code>{plain(all.about.command, 300)}</code>
        </p>
        <p>
          {CLEAR_ABOUT} {all.has.confidence && stableAbout(all)}
        </p>
      </footer>
    </article>
  )
}

function Summary({ all }: { all: Head }): JSX.Element {
  const clear = clearIn(all.topics)
  return (
    <p class="lede">
      {counted(all.n, 'document')}, {counted(all.topics.length, 'topic')}
      {all.spark &&
        `, ${binName(all.spark.starts[0] ?? '', all.spark.bin)} to ${binName(all.spark.starts.at(-1) ?? '', all.spark.bin)}`}
      .{clear !== null && all.n > 0 && ` ${percent(clear / all.n, 0)} of the documents have a clear place.`}
      {all.unassigned > 0 && ` ${count(all.unassigned)} fit no topic.`}
    </p>
  )
}

function One({ all, topic, byRow }: { all: Head; topic: Topic; byRow: Map<number, Listed> }): JSX.Element {
  const typical = topic.typical.slice(0, NAMED).flatMap((row) => byRow.get(row) ?? [])
  const note = noteOf(topic.topic)
  const stable = stableOf(all, topic)
  return (
    <section class="report-topic">
      <h2>
        <Swatch topic={topic.topic} />{' '}
        <a href={href('topic', topic.topic)}>{plain(nameOf(topic.topic), 120)}</a>
      </h2>
      <p class="report-facts">
        {counted(topic.size, 'document')}, {percent(topic.share)}
        {stable && `; ${stable}`}
        {all.spark && topic.spark && (
          <Spark
            width={120}
            topic={topic.topic}
            values={topic.spark}
            bin={all.spark.bin}
            starts={all.spark.starts}
          />
        )}
      </p>
      {note && <p class="report-note">{plain(note, 2000)}</p>}
      <p>
        <b>Words:</b> {topic.keywords.map(([word]) => plain(word, 40)).join(', ')}
      </p>
      {topic.passage && <blockquote>{plain(topic.passage, 400)}</blockquote>}
      {typical.length > 0 && (
        <ul>
          {typical.map((each) => (
            <li key={each.row}>
              <a href={href('document', each.row)}>{documentTitle(each)}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
