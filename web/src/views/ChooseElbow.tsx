/** The elbow: how the singular values fall, and how likely it is to cut them after each. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Choice } from '../payload'
import { count, decimal, significant } from '../format'
import { Figure } from '../ui/Figure'
import { LineChart, type Marked, type Series } from '../ui/LineChart'
import { Table } from '../ui/Table'

type Found = NonNullable<Choice['elbow']>

export function Elbow({ elbow }: { elbow: Found }): JSX.Element {
  const { singular_values: values, likelihood } = elbow
  const [fall, cut] = useMemo(
    () => [curve('singular value', values), curve('log-likelihood', likelihood)],
    [elbow],
  )
  const twin = () => <Twin elbow={elbow} />
  const which = elbow.sharp
    ? 'The values fall by a third or more at the first elbow, which is taken.'
    : 'The first elbow is not sharp, so the second is taken.'
  return (
    <div class="choose-grid">
      <Figure
        name="singular-values"
        title="Singular values"
        twin={twin}
        about={`How much each further direction adds to the words’ weights. Where the curve bends, what follows is alike. ${which}`}>
        <LineChart
          label="Singular values, largest first"
          series={fall}
          xName="number of values"
          whole
          marked={marks(elbow)}
          limits={[0, Infinity]}
          sayX={(q) => `value ${count(q)}`}
          sayY={significant}
          height={230}
        />
      </Figure>
      {likelihood.length > 0 && (
        <Figure
          name="likelihood"
          title="Where to cut them"
          twin={twin}
          about="Log-likelihood of two groups of values, those before the cut and those after: its peak is the first elbow; the second is looked for after it.">
          <LineChart
            label="Log-likelihood of cutting the singular values"
            series={cut}
            xName="cut after so many values"
            whole
            marked={marks(elbow)}
            sayX={(q) => `cut after ${count(q)}`}
            sayY={(value) => decimal(value, 1)}
            height={230}
          />
        </Figure>
      )}
    </div>
  )
}

function marks({ first, second, k }: Found): Marked[] {
  const named = (x: number, text: string) => ({
    x,
    text: x === k ? `${text}: ${count(x)} topics` : `${text}: ${count(x)}`,
  })
  return first === second
    ? [named(first, 'elbow')]
    : [named(first, 'first elbow'), named(second, 'second elbow')]
}

function curve(name: string, values: number[]): Series[] {
  return [{ name, colour: 'var(--series-0)', points: values.map((y, i) => ({ x: i + 1, y })) }]
}

function Twin({ elbow }: { elbow: Found }): JSX.Element {
  const rows = elbow.singular_values.map((value, i) => ({
    q: i + 1,
    value,
    likelihood: elbow.likelihood[i] ?? null,
  }))
  return (
    <Table
      name="elbow"
      caption="Singular values and the log-likelihood of cutting after each"
      rows={rows}
      id={(row) => row.q}
      mark={(row) => row.q === elbow.k}
      columns={[
        { name: 'values', value: (row) => row.q, number: true, down: false },
        {
          name: 'singular value',
          value: (row) => row.value,
          show: (row) => significant(row.value),
          number: true,
        },
        {
          name: 'log-likelihood of cutting here',
          value: (row) => row.likelihood,
          show: (row) => (row.likelihood === null ? '–' : decimal(row.likelihood, 2)),
          number: true,
        },
      ]}
    />
  )
}
