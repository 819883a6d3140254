/** How this was made, so that it can be made again, and how to read it. */
import type { ComponentChildren, JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { About as Made } from '../payload'
import { download } from '../export'
import { count, counted, decimal, plain, significant } from '../format'
import { head, names, source } from '../store'
import { Timings } from './AboutTimings'
import { CUTS, FIT, GLOSSARY, KEYS, LAYOUTS, STOPPED } from './about-words'
import './About.css'

export function About(): JSX.Element {
  const { about: made, title, n, unassigned, topics } = head.value!
  return (
    <>
      <h1>How this was made</h1>
      <p class="lede">
        {plain(title, 80)}: {counted(n, 'document')} in {counted(topics.length, 'topic')}
        {unassigned > 0 && ` (${counted(unassigned, 'document')} in none)`}; by Quire {plain(made.quire, 40)}
        {made.created ? `, ${day(made.created)}` : ''}.
      </p>
      <Command text={made.command} />
      <div class="about-grid">
        <Recipe made={made} />
        <Part title="Options">
          <Facts
            of={Object.entries(made.options ?? {}).map(([name, value]) => [
              name.replaceAll('_', ' '),
              shown(value),
            ])}
            none="All as they are by default."
          />
        </Part>
        <Terms made={made} />
        <Part title="The fit">
          <Facts of={fitFacts(made)} none="Nothing is known of it." />
        </Part>
        <Part title="Noticed while reading">
          {made.notes?.length ? (
            <ul>
              {made.notes.map((note) => (
                <li key={note}>{plain(note)}</li>
              ))}
            </ul>
          ) : (
            <p class="none">Nothing unusual.</p>
          )}
        </Part>
        {Object.keys(made.scores ?? {}).length > 0 && (
          <Part title="Against known classes">
            <Facts of={scoreFacts(made)} />
          </Part>
        )}
        <OnThisPage made={made} />
        <Part title="Versions">
          <Facts
            of={Object.entries(made.versions ?? {}).map(([name, value]) => [name, plain(String(value), 60)])}
          />
        </Part>
      </div>
      {Object.keys(made.timings ?? {}).length > 0 && <Timings timings={made.timings} />}
      <Part title="Words used on this page">
        <Facts of={GLOSSARY} wide />
      </Part>
      <Part title="Keyboard">
        <Facts of={KEYS.map(([keys, does]) => [<kbd>{keys}</kbd>, does])} wide />
      </Part>
      <Part title="Cite, and licence">
        <p>
          Quire {plain(made.quire, 40)}
          {made.paper && made.paper !== 'Quire'
            ? `, recipe ${plain(made.recipe, 40)} after ${plain(made.paper, 120)}`
            : ''}
          ; name the version, the recipe and the seed above, and the documents’ own source. Quire is under the
          BSD 3-Clause licence; the documents belong to their authors.
        </p>
      </Part>
      <p>
        <button type="button" onClick={save}>
          Save all of this as JSON
        </button>
      </p>
    </>
  )
}

function save(): void {
  const { about, title, n, unassigned, left, has } = head.value!
  download(
    'about.json',
    JSON.stringify({ title, documents: n, unassigned, topics: names.value, ...about, left, has }, null, 1),
    'application/json',
  )
}

const day = (created: string): string => plain(created.slice(0, 16).replace('T', ' '), 20)

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value), 300)
}

function Part({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="about-part">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

type Fact = [name: ComponentChildren, value: ComponentChildren]

function Facts({ of, none, wide }: { of: Fact[]; none?: string; wide?: boolean }): JSX.Element {
  if (!of.length) return <p class="none">{none ?? 'Not known.'}</p>
  return (
    <dl class={`about-facts${wide ? ' wide' : ''}`}>
      {of.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The command, and a button that copies it; where the browser forbids that, the text is selected instead. */
function Command({ text }: { text: string }): JSX.Element {
  const place = useRef<HTMLElement>(null)
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied.')
    } catch {
      if (place.current) getSelection()?.selectAllChildren(place.current)
      setSaid('Selected: copy it with Ctrl-C or ⌘C.')
    }
  }
  return (
    <section class="about-part about-command">
      <h2>To make it again</h2>
      <pre tabIndex={0} role="region" aria-label="The command">
        <code ref={place}>{plain(text)}</code>
      </pre>
      <p>
        <button type="button" onClick={() => void copy()}>
          Copy the command
        </button>{' '}
        <span role="status" class="none">
          {said}
        </span>
      </p>
    </section>
  )
}

function Recipe({ made }: { made: Made }): JSX.Element {
  const facts: Fact[] = [
    ['recipe', <strong>{plain(made.recipe, 60)}</strong>],
    ['what it does', plain(made.recipe_about)],
  ]
  if (made.paper)
    facts.push(['paper', made.paper === 'Quire' ? 'none: it is Quire’s own' : plain(made.paper)])
  facts.push(['seed', String(made.seed)], ['runs', made.runs ? `${count(made.runs)}, put together` : 'one'])
  if (made.fingerprint)
    facts.push([
      'fingerprint of the documents',
      <code class="about-print" title="Of the documents: the same fingerprint, the same input.">
        {plain(made.fingerprint, 80)}
      </code>,
    ])
  return (
    <Part title="Recipe">
      <Facts of={facts} />
    </Part>
  )
}

function Terms({ made: { terms } }: { made: Made }): JSX.Element {
  const cut = Object.entries(terms?.cut ?? {}).filter(([, n]) => typeof n !== 'number' || n > 0)
  const facts: Fact[] = [['kept', counted(terms?.kept ?? 0, 'term')]]
  for (const [why, n] of cut)
    facts.push([
      `cut: ${CUTS[why]?.[0] ?? why.replaceAll('_', ' ')}`,
      <>
        {typeof n === 'number' ? count(n) : shown(n)} {CUTS[why] && <span class="none">{CUTS[why][1]}</span>}
      </>,
    ])
  if (terms?.language) facts.push(['language', plain(terms.language, 40)])
  if (terms?.documents_without) facts.push(['without any term', counted(terms.documents_without, 'document')])
  return (
    <Part title="Terms">
      <Facts of={facts} />
    </Part>
  )
}

function fitFacts({ fit }: Made): Fact[] {
  return Object.entries(fit ?? {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      if (name === 'stopped') return ['stopped because', STOPPED[String(value)] ?? shown(value)]
      const text =
        typeof value === 'number'
          ? Number.isInteger(value)
            ? count(value)
            : significantOrWhole(value)
          : shown(value)
      return [
        FIT[name]?.[0] ?? name.replaceAll('_', ' '),
        <>
          {text} {FIT[name] && <span class="none">{FIT[name][1]}</span>}
        </>,
      ]
    })
}

/** With names and meanings where the view of classes has them. */
function scoreFacts({ scores }: Made): Fact[] {
  return Object.entries(scores).map(([key, value]) => {
    const told = head.value!.classes?.scores.find((each) => each.key === key)
    return [
      told?.name ?? key,
      <>
        {decimal(value, 3)} {told && <span class="none">{told.meaning}</span>}
      </>,
    ]
  })
}

const significantOrWhole = (value: number): string =>
  Math.abs(value) >= 1000 ? count(Math.round(value)) : significant(value)

function OnThisPage({ made }: { made: Made }): JSX.Element {
  const { left, has } = head.value!
  const facts: Fact[] = [['map', LAYOUTS[made.layout] ?? plain(made.layout ?? 'not known', 200)]]
  facts.push([
    'read from',
    source.kind === 'file' ? 'this one file; nothing is fetched' : 'a server on this machine',
  ])
  facts.push(['new names', has.rename ? 'are kept in the run' : 'are kept in the address of the page'])
  facts.push([
    'left out',
    left ? (
      <>
        {plain(left.sentence)} See everything with <code>{plain(left.command)}</code>
      </>
    ) : (
      'nothing'
    ),
  ])
  return (
    <Part title="On this page">
      <Facts of={facts} />
    </Part>
  )
}
