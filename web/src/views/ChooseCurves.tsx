/** What was measured against the number of topics, as curves. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Choice } from '../payload'
import { count, decimal } from '../format'
import { Figure } from '../ui/Figure'
import { LineChart, type Series } from '../ui/LineChart'
import { Table } from '../ui/Table'

export type Row = Choice['table'][number]

interface Drawn {
  column: string
  name: string
  about: string
  colour: string
  dash?: string
}
interface CurvesOf {
  name: string
  title: string
  about: string
  limits?: [number, number]
  series: Drawn[]
}

export const CHARTS: CurvesOf[] = [
  {
    name: 'agreement',
    title: 'Do runs agree?',
    limits: [0, 1],
    about:
      'Dispersion ρ: 1 where every pair of documents is always together or always apart, whatever the start. A good number is the largest before it drops.',
    series: [
      {
        column: 'rho_near',
        name: 'ρ, good runs',
        about: 'over the runs that are nearly as good as the best one',
        colour: 'var(--series-0)',
      },
      {
        column: 'rho_best',
        name: 'ρ, better half',
        about: 'over the better half of the runs',
        colour: 'var(--series-1)',
        dash: '6 3',
      },
      {
        column: 'rho',
        name: 'ρ, all runs',
        about: 'over all runs, as published; it rises with the number of topics by itself',
        colour: 'var(--grey-ink)',
        dash: '2 3',
      },
    ],
  },
  {
    name: 'stability',
    title: 'The same, measured otherwise',
    limits: [0, 1],
    about: 'Three more views on whether runs agree; of the first two more is better, of the last less.',
    series: [
      {
        column: 'stability',
        name: 'ARI of two runs',
        about: 'pairs of documents that two runs treat alike, beyond chance; over the better half',
        colour: 'var(--series-0)',
      },
      {
        column: 'cophenetic',
        name: 'cophenetic correlation',
        about: 'how well the consensus falls into nested groups',
        colour: 'var(--series-1)',
        dash: '6 3',
      },
      {
        column: 'pac',
        name: 'PAC (less is better)',
        about: 'share of pairs that are together in more than 10 % and less than 90 % of the runs',
        colour: 'var(--series-2)',
        dash: '2 3',
      },
    ],
  },
  {
    name: 'held-out',
    title: 'What topics foretell',
    limits: [0, Infinity],
    about:
      'The error that remains, as a share: less is better. On values that were hidden it stops falling once topics describe chance.',
    series: [
      {
        column: 'held_out',
        name: 'held out',
        about: 'on values that the topics were not learnt from',
        colour: 'var(--series-0)',
      },
      {
        column: 'error',
        name: 'learnt from',
        about: 'on the values that they were learnt from; it always falls',
        colour: 'var(--grey-ink)',
        dash: '6 3',
      },
    ],
  },
  {
    name: 'coherence',
    title: 'Do keywords belong together?',
    limits: [-1, 1],
    about:
      'Coherence (NPMI) of the best run’s keywords: 1 where they always occur in the same documents, 0 as by chance. More is better, but small topics have it easy.',
    series: [
      {
        column: 'coherence',
        name: 'coherence',
        about: 'mean NPMI of the best run’s keywords',
        colour: 'var(--series-0)',
      },
    ],
  },
]

/** The series of a chart that were measured. */
export function measured(choice: Choice, chart: CurvesOf): Drawn[] {
  return chart.series.filter(({ column }) => choice.table.some((row) => row[column] != null))
}

export function CurveChart({ choice, chart }: { choice: Choice; chart: CurvesOf }): JSX.Element {
  const drawn = measured(choice, chart)
  const series: Series[] = useMemo(
    () =>
      drawn.map(({ column, name, colour, dash }) => ({
        name,
        colour,
        dash,
        points: choice.table
          .filter((row) => row[column] != null)
          .map((row) => ({ x: row.k!, y: row[column]! })),
      })),
    [choice, chart],
  )
  return (
    <Figure
      name={chart.name}
      title={chart.title}
      about={chart.about}
      twin={() => <Twin choice={choice} chart={chart} drawn={drawn} />}>
      <LineChart
        label={`${chart.title} Against the number of topics`}
        series={series}
        xName="topics"
        whole
        limits={chart.limits}
        marked={[{ x: choice.k, text: `k = ${choice.k}` }]}
        sayX={(k) => `${count(k)} topics`}
        sayY={(value) => decimal(value, 3)}
        height={230}
      />
      {drawn.length > 1 && (
        <dl class="choose-meanings">
          {drawn.map(({ name, about }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{about}</dd>
            </div>
          ))}
        </dl>
      )}
    </Figure>
  )
}

function Twin({ choice, chart, drawn }: { choice: Choice; chart: CurvesOf; drawn: Drawn[] }): JSX.Element {
  return (
    <Table
      name={`${chart.name}-table`}
      caption={chart.title}
      rows={choice.table}
      id={(row) => row.k ?? 0}
      mark={(row) => row.k === choice.k}
      columns={[
        { name: 'topics', value: (row: Row) => row.k ?? null, number: true, down: false },
        ...drawn.map(({ column, name, about }) => ({
          name,
          about,
          number: true,
          value: (row: Row) => row[column] ?? null,
          show: (row: Row) => (row[column] == null ? '–' : decimal(row[column], 4)),
        })),
      ]}
    />
  )
}
