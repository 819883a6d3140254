/** What colours mean; a click takes a topic into focus, so that the others fade. */
import type { JSX } from 'preact'
import { colourOf, focus, toggleFocus } from '../colour'
import { count, plain } from '../format'
import { nameOf } from '../store'
import { allTopics } from './small'
import './Legend.css'

interface Entry {
  key: number
  name: string
  colour: string
  size: number
  on: boolean
}

const FEW = 12 // entries that are seen without a click

/** Topics in focus first, then the others, largest first. */
export function topicEntries(): Entry[] {
  const entry = (topic: number): Entry => ({
    key: topic,
    name: nameOf(topic),
    colour: colourOf(topic),
    size: allTopics()[topic]!.size,
    on: focus.value.includes(topic),
  })
  const others = allTopics()
    .filter((each) => !focus.value.includes(each.topic))
    .sort((a, b) => b.size - a.size)
  return [...focus.value, ...others.map((each) => each.topic)].map(entry)
}

export function Legend({
  entries,
  toggle,
  what = 'topics',
}: {
  entries: Entry[]
  toggle(key: number): void
  what?: string
}): JSX.Element {
  const [first, rest] = [entries.slice(0, FEW), entries.slice(FEW)]
  const list = (some: Entry[], name: string) => (
    <ul aria-label={name}>
      {some.map((each) => (
        <Item key={each.key} entry={each} toggle={toggle} />
      ))}
    </ul>
  )
  return (
    <div class="legend">
      {list(first, `colours of ${what}`)}
      {rest.length > 0 && (
        <details>
          <summary>
            {count(rest.length)} other {what}
          </summary>
          {list(rest, `colours of other ${what}`)}
        </details>
      )}
    </div>
  )
}

export function TopicLegend(): JSX.Element {
  return <Legend entries={topicEntries()} toggle={toggleFocus} />
}

function Item({ entry, toggle }: { entry: Entry; toggle(key: number): void }): JSX.Element {
  return (
    <li>
      <button
        type="button"
        aria-pressed={entry.on}
        onClick={() => toggle(entry.key)}
        title={entry.on ? 'no longer bring it out' : 'bring it out: the others fade'}>
        <span class="swatch" style={{ background: entry.colour }} aria-hidden="true" />
        <span class="legend-name">{plain(entry.name, 60)}</span>{' '}
        <span class="legend-size">{count(entry.size)}</span>
      </button>
    </li>
  )
}
