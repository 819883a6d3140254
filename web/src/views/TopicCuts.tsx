/** Where the documents of a topic are when there are fewer topics, or more. */
import type { JSX } from 'preact'
import { coloursAt } from '../colour'
import { whereTo } from '../cuts'
import { count, counted, percent, plain } from '../format'
import type { Head, Points, Topic } from '../payload'
import { href } from '../route'
import { cuts, head, namesAt, ownCut, sourceAt } from '../store'
import { isDark } from '../ui/scheme'
import { Meter, useAnswer, usePoints } from '../ui/small'

/** Topics of a cut that are named, and what share one must have; the others are told together. */
const NAMED = 4
const LEAST = 0.01

export function TopicCuts({ topic }: { topic: Topic }): JSX.Element | null {
  const own = head.value!.topics.length
  const others = cuts.value.filter((cut) => cut !== own)
  const here = usePoints().value
  const { value: there } = useAnswer(others.join(), () =>
    Promise.all(
      others.map(async (cut) => {
        const from = sourceAt(cut)
        return { head: await from.head(), points: await from.points() }
      }),
    ),
  )
  if (!others.length || !here || !there) return null
  return (
    <section aria-labelledby="topic-cuts">
      <h2 id="topic-cuts">With other numbers of topics</h2>
      <p class="topic-about">The topics that its documents are in then.</p>
      {there.map((cut) => (
        <Cut key={cut.head.topics.length} topic={topic} here={here} {...cut} />
      ))}
    </section>
  )
}

function Cut(props: { topic: Topic; here: Points; head: Head; points: Points }): JSX.Element {
  const { topic, here, head, points } = props
  const cut = head.topics.length
  const names = namesAt(head)
  const colours = coloursAt(head, isDark())
  const found = whereTo(here.topic, points.topic, topic.topic)
  const total = found.reduce((sum, [, n]) => sum + n, 0)
  const named = found.filter(([other, n]) => other >= 0 && n >= LEAST * total).slice(0, NAMED)
  const rest = total - named.reduce((sum, [, n]) => sum + n, 0)
  return (
    <>
      <h3 class="topic-cut">{counted(cut, 'topic')}</h3>
      <ul class="topic-nearest">
        {named.map(([other, n]) => (
          <li key={other}>
            <a
              class="topic-link"
              href={href('topic', other, { cut: cut === ownCut.value ? '' : cut, focus: '' })}>
              <span class="swatch" style={{ background: colours[other] }} aria-hidden="true" />{' '}
              <span class="topic-name">{plain(names[other] ?? `topic ${other}`, 80)}</span>
            </a>
            <Meter share={n / total} title={`${count(n)} of ${counted(total, 'document')}`} />
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p class="topic-about">
          {counted(rest, 'document')} ({percent(rest / total)}) elsewhere.
        </p>
      )}
    </>
  )
}
