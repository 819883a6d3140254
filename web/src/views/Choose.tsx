/** How many topics: the number, why, and what each way of asking says. */
import type { JSX } from 'preact'
import type { Choice } from '../payload'
import { count, decimal, plain, significant } from '../format'
import { head } from '../store'
import { Table, type ColumnOf } from '../ui/Table'
import { CHARTS, CurveChart, measured, type Row } from './ChooseCurves'
import { Elbow } from './ChooseElbow'
import { Consensus } from './ChooseHeat'
import { Search } from './ChooseSearch'
import './Choose.css'

/** Each way, what it looks at, and what to expect of it. */
const WAYS: Record<string, [name: string, looks: string, expect: string]> = {
  consensus: [
    'Consensus',
    'whether runs from different starts put the same documents together',
    'the best where there are few, distinct topics; silent where there are many',
  ],
  held_out: [
    'Held-out error',
    'how well values that were hidden are foretold',
    'falls for long on text; where it flattens is a lower bound rather than an answer',
  ],
  elbow: [
    'Elbow',
    'the singular values of the words’ weights alone',
    'quick; too high by far for few topics, about right for 20 or more',
  ],
  coherence: [
    'Coherence',
    'whether the keywords of a topic occur together',
    'prefers small topics; for information',
  ],
  nmi: [
    'Known classes',
    'how much topics tell about known classes (soft NMI), with the λ that does it best',
    'only as good as the classes',
  ],
}

export function Choose(): JSX.Element {
  const choice = head.value!.choice!
  const { final, others } = split(choice)
  return (
    <>
      <h1>How many topics</h1>
      <p class="choose-answer">
        <span class="choose-k">k = {count(choice.k)}</span>
        {choice.lam !== null && <span class="choose-k">λ = {significant(choice.lam)}</span>}
      </p>
      {choice.lam !== null && (
        <p class="lede">
          λ says how hard small memberships are pressed to zero: at 0 not at all, and the larger it is, the
          fewer topics a document has. Both numbers are those whose topics tell most about the known classes.
        </p>
      )}
      {final.map((sentence) => (
        <p key={sentence} class="choose-why">
          {plain(sentence)}
        </p>
      ))}
      {choice.search && (
        <p class="lede">
          In brackets: the highest soft NMI (1: topics tell the class of every document) and the 95 % interval
          around it. As long as the best shares half of its interval or more with a rival, both are run again.
        </p>
      )}
      {choice.k !== head.value!.topics.length && (
        <p class="lede">
          This run has {count(head.value!.topics.length)} topics: the number was looked for apart from it.
        </p>
      )}
      <Says choice={choice} />
      {others.length > 0 && (
        <details class="choose-said" open={!choice.search}>
          <summary>
            {choice.search ? 'What was found for each number of topics' : 'What each way found'}
          </summary>
          <ul>
            {others.map((sentence) => (
              <li key={sentence}>{plain(sentence)}</li>
            ))}
          </ul>
        </details>
      )}
      <div class="choose-grid">
        {CHARTS.filter((chart) => measured(choice, chart).length > 0).map((chart) => (
          <CurveChart key={chart.name} choice={choice} chart={chart} />
        ))}
      </div>
      {choice.heat.length > 0 && <Consensus choice={choice} />}
      {choice.elbow && choice.elbow.singular_values.length > 0 && <Elbow elbow={choice.elbow} />}
      {choice.search && <Search choice={choice} search={choice.search} />}
      <All choice={choice} />
    </>
  )
}

/** The sentences of the choice itself are the last ones: "Chosen …", "Not all agree …"; of a search, the very last. */
function split({ verdict, by }: Choice): { final: string[]; others: string[] } {
  const chosen = verdict.findIndex((sentence) => sentence.startsWith('Chosen'))
  const at = chosen >= 0 ? chosen : by === 'nmi' ? verdict.length - 1 : 0
  return { final: verdict.slice(Math.max(0, at)), others: verdict.slice(0, Math.max(0, at)) }
}

function Says({ choice }: { choice: Choice }): JSX.Element | null {
  const ways = Object.entries(choice.says).map(([way, k]) => ({ way, k, told: WAYS[way] ?? [way, '', ''] }))
  if (ways.length < 2) return null
  return (
    <section class="choose-ways">
      <h2>What each way says</h2>
      <Table
        name="ways"
        caption="The number that each way would choose"
        rows={ways}
        id={(each) => each.way}
        mark={(each) => each.k === choice.k}
        columns={[
          { name: 'way', value: (each) => each.told[0] },
          {
            name: 'topics',
            value: (each) => each.k,
            show: (each) => <strong>{count(each.k)}</strong>,
            number: true,
          },
          { name: 'looks at', value: (each) => each.told[1] },
          { name: 'what to expect of it', value: (each) => each.told[2] },
        ]}
      />
    </section>
  )
}

const DIGITS: Record<string, number> = { k: 0, runs: 0, used: 1, seconds: 2 }

/** Everything that was measured, number by number of topics. */
function All({ choice }: { choice: Choice }): JSX.Element | null {
  const names = Object.keys(choice.table[0] ?? {}).filter(
    (name) => name !== 'k' && choice.table.some((row) => row[name] !== null),
  )
  if (!names.length) return null
  const told = Object.fromEntries(
    CHARTS.flatMap((chart) => chart.series.map((each) => [each.column, each.about])),
  )
  const more: Record<string, string> = {
    runs: 'runs that were made',
    used: 'topics that are some document’s own, on average',
    objective: 'what the best run reached',
    seconds: 'seconds of a run, on one core, on average',
  }
  const columns: ColumnOf<Row>[] = ['k', ...names].map((name) => ({
    name,
    number: true,
    about: told[name] ?? more[name],
    down: false,
    value: (row) => row[name] ?? null,
    show: (row) => (row[name] == null ? '–' : decimal(row[name], DIGITS[name] ?? 4)),
  }))
  return (
    <section>
      <h2>All that was measured</h2>
      <p class="lede">
        By the names that <code>choice.csv</code> has for them; a heading tells what it means when pointed at.
      </p>
      <Table
        name="choice"
        caption="Measures by number of topics"
        columns={columns}
        rows={choice.table}
        id={(row) => row.k ?? 0}
        mark={(row) => row.k === choice.k}
      />
    </section>
  )
}
