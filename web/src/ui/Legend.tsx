/** Which topics have a colour: a click gives one or takes it away. */
import type { JSX } from 'preact'
import { colourOf, focus, N_COLOURS, toggleFocus } from '../colour'
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

/** Topics with a colour first, in the order of colours, then the others, largest first. */
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
  const on = entries.filter((each) => each.on)
  const off = entries.filter((each) => !each.on)
  return (
    <div class="legend">
      <ul aria-label={`${what} with a colour`}>
        {on.map((each) => (
          <Item key={each.key} entry={each} toggle={toggle} />
        ))}
      </ul>
      {off.length > 0 && (
        <details>
          <summary>
            {count(off.length)} {on.length ? 'other ' : ''}
            {what}, in grey{on.length >= N_COLOURS ? '; one more takes the colour of the first' : ''}
          </summary>
          <ul aria-label={`${what} in grey`}>
            {off.map((each) => (
              <Item key={each.key} entry={each} toggle={toggle} />
            ))}
          </ul>
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
        title={entry.on ? 'take its colour away' : 'give it a colour'}>
        <span class="swatch" style={{ background: entry.colour }} aria-hidden="true" />
        <span class="legend-name">{plain(entry.name, 60)}</span>{' '}
        <span class="legend-size">{count(entry.size)}</span>
      </button>
    </li>
  )
}
