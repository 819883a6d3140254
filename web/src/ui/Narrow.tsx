/** Which documents every view shows: what is asked for, in a sentence, and the controls that ask for it. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { classesName, FACETS, formatValues } from '../facets'
import { count, isoOfDays, plain } from '../format'
import { param, setParams } from '../route'
import { filter, head, holdingError, holdingKnown, nameOf, wholeHead } from '../store'
import { Sorry, Wait } from './small'
import './Narrow.css'

/** Whether the controls are open: they stay so from view to view. */
const open = signal(false)

/** Values that are offered for a column: of more, the rest is reached by the view of columns. */
const MOST = 300

export function NarrowButton(): JSX.Element {
  return (
    <button
      type="button"
      class="narrow-button"
      aria-expanded={open.value}
      aria-controls="narrow"
      aria-pressed={filter.value !== null}
      title="Show only some documents, in every view"
      onClick={() => {
        open.value = !open.value
      }}>
      Filter
    </button>
  )
}

const all = () => setParams(Object.fromEntries(FACETS.map((name) => [name, ''])))

/** Values asked for, by column, also the one that an older link asks for in its own way. */
const valuesAsked = () => filter.value?.values.flat().map(({ name, value }) => [name, value] as const) ?? []

function askFor(name: string, value: string): void {
  const others = valuesAsked().filter(([each]) => each !== name)
  setParams({ where: '', is: '', values: formatValues(value ? [...others, [name, value]] : others) })
}

export function NarrowPanel(): JSX.Element | null {
  if (!open.value) return null
  const { by, labels, topics, columns } = wholeHead.value!
  const asked = (name: string) => valuesAsked().find(([each]) => each === name)?.[1] ?? ''
  const told = columns.some(({ name }) => name === 'by0') ? (by?.columns ?? []) : []
  const facets: [string, string[]][] = [
    ...(labels?.length ? [[classesName(wholeHead.value!), labels] as [string, string[]]] : []),
    ...told.map(({ name, values }): [string, string[]] => [name, values]),
  ]
  return (
    <section id="narrow" class="narrow card" aria-label="Filter">
      <Holds />
      <label>
        topic{' '}
        <select value={param('among')} onChange={(event) => setParams({ among: event.currentTarget.value })}>
          <option value="">any</option>
          {topics.map(({ topic }) => (
            <option key={topic} value={topic}>
              {plain(nameOf(topic), 60)}
            </option>
          ))}
          {/\./.test(param('among')) && <option value={param('among')}>several</option>}
        </select>
      </label>
      {columns.some(({ name }) => name === 'date') && (
        <>
          <Day name="since" text="from" />
          <Day name="until" text="until" />
        </>
      )}
      {facets.map(([name, values]) => (
        <label key={name}>
          {plain(name, 40)}{' '}
          <select value={asked(name)} onChange={(event) => askFor(name, event.currentTarget.value)}>
            <option value="">any</option>
            {values.slice(0, MOST).map((value) => (
              <option key={value} value={value}>
                {plain(value, 60) || '(empty)'}
              </option>
            ))}
          </select>
        </label>
      ))}
    </section>
  )
}

/** Words that documents hold; they are looked for when typing has ended. */
function Holds(): JSX.Element {
  const asked = param('holds')
  const [typed, setTyped] = useState(asked)
  useEffect(() => setTyped(asked), [asked])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        setParams({ holds: typed.trim() })
      }}>
      <label>
        with the words{' '}
        <input
          type="search"
          value={typed}
          maxLength={200}
          size={16}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={() => setParams({ holds: typed.trim() })}
        />
      </label>
    </form>
  )
}

function Day({ name, text }: { name: 'since' | 'until'; text: string }): JSX.Element {
  return (
    <label>
      {text}{' '}
      <input
        type="date"
        value={param(name)}
        onChange={(event) => setParams({ [name]: event.currentTarget.value })}
      />
    </label>
  )
}

/** Views that count or compare all documents, whatever is asked for. */
const OF_ALL = ['by', 'choose', 'compare', 'edits', 'about', 'basket']

/** That only some documents are shown, and the way back to all of them. */
export function Narrowed({ view }: { view: string }): JSX.Element | null {
  if (!filter.value) return null
  const { values, since, until, topics, holds } = filter.value
  const [n, whole] = [head.value!.n, wholeHead.value!.n]
  const parts: [string, JSX.Element][] = values.map((some) => [
    some[0]!.name,
    <>
      whose <b>{plain(some[0]!.name, 60)}</b> is{' '}
      <b>{some.map(({ value }) => plain(value, 60)).join(' or ')}</b>
    </>,
  ])
  if (since !== null) parts.push(['since', <>from {isoOfDays(since)}</>])
  if (until !== null) parts.push(['until', <>until {isoOfDays(until)}</>])
  if (topics.length)
    parts.push([
      'topics',
      <>
        in <b>{topics.map((topic) => plain(nameOf(topic), 60)).join(' or ')}</b>
      </>,
    ])
  if (holds && holdingKnown.value && !holdingError.value)
    parts.push([
      'holds',
      <>
        that hold <b>{plain(holds, 60)}</b>
      </>,
    ])
  const elsewhere = OF_ALL.includes(view) || view.startsWith('section-')
  return (
    <>
      {holdingError.value && <Sorry>{holdingError.value}</Sorry>}
      {!holdingKnown.value && <Wait>Searching …</Wait>}
      <p class="filtered" role="status">
        {elsewhere ? 'Elsewhere only' : 'Only'} documents{' '}
        {parts.map(([key, part], i) => (
          <span key={key}>
            {i > 0 && ', '}
            {part}
          </span>
        ))}
        : {count(n)} of {count(whole)}. Words and names of topics are those of all.{' '}
        <button type="button" onClick={all}>
          show all documents
        </button>
      </p>
    </>
  )
}
