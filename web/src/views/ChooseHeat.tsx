/** Consensus matrices, side by side: full squares along the diagonal are groups that every run finds. */
import type { JSX } from 'preact'
import type { Choice } from '../payload'
import { count, decimal } from '../format'
import { Figure } from '../ui/Figure'
import { SmallHeat } from '../ui/HeatMap'
import { useWidth } from '../ui/small'
import { Table } from '../ui/Table'

const GAP = 18
const TITLE = 24

export function Consensus({ choice }: { choice: Choice }): JSX.Element {
  const [box, width] = useWidth()
  const columns = Math.max(1, Math.min(choice.heat.length, width < 520 ? 2 : width < 900 ? 3 : 6))
  const side = Math.min(240, Math.floor((width - GAP * (columns - 1)) / columns))
  const rows = Math.ceil(choice.heat.length / columns)
  const height = rows * (TITLE + side + GAP)
  const tried = choice.table.length
  const few =
    choice.heat.length < tried
      ? ` Of the ${count(tried)} numbers that were tried, the ${count(choice.heat.length)} nearest to the chosen one are here.`
      : ''
  const rho = new Map(choice.table.map((row) => [row.k, row.rho_near ?? row.rho ?? null]))
  return (
    <Figure
      name="consensus"
      title="Which documents are found together"
      twin={() => <Twin choice={choice} />}
      about={
        'Each square is a consensus matrix: documents against documents, ordered so that groups lie together, the stronger the colour, ' +
        `the more runs put the two together. Clean blocks mean that runs agree; a haze means that they do not.${few}`
      }>
      <div ref={box}>
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`Consensus matrices of ${choice.heat.map(({ k }) => k).join(', ')} topics`}>
          {choice.heat.map(({ k, rows: cells }, i) => {
            const [x, y] = [(i % columns) * (side + GAP), Math.floor(i / columns) * (TITLE + side + GAP)]
            const known = rho.get(k)
            return (
              <g key={k} class={k === choice.k ? 'choose-chosen' : ''}>
                <text x={x} y={y + 15}>
                  {count(k)} topics{known == null ? '' : ` · ρ ${decimal(known, 3)}`}
                </text>
                <SmallHeat rows={cells} x={x} y={y + TITLE} side={side} />
                {k === choice.k && (
                  <rect class="choose-frame" x={x + 1} y={y + TITLE + 1} width={side - 2} height={side - 2} />
                )}
              </g>
            )
          })}
        </svg>
      </div>
    </Figure>
  )
}

/** In words of numbers: how much of a matrix is certain. */
function Twin({ choice }: { choice: Choice }): JSX.Element {
  const rows = choice.heat.map(({ k, rows: cells }) => {
    const all = cells.flat()
    const share = (test: (percent: number) => boolean) => all.filter(test).length / Math.max(1, all.length)
    const rho = choice.table.find((row) => row.k === k)?.rho_near ?? null
    return {
      k,
      rho,
      apart: share((each) => each <= 10),
      together: share((each) => each >= 90),
      unsure: share((each) => each > 10 && each < 90),
    }
  })
  const number = (value: number | null) => (value === null ? '–' : decimal(value, 3))
  return (
    <Table
      name="consensus-table"
      caption="How much of each consensus matrix is certain"
      rows={rows}
      id={(row) => row.k}
      mark={(row) => row.k === choice.k}
      columns={[
        { name: 'topics', value: (row) => row.k, number: true, down: false },
        { name: 'ρ', value: (row) => row.rho, show: (row) => number(row.rho), number: true },
        {
          name: 'nearly always apart',
          value: (row) => row.apart,
          show: (row) => number(row.apart),
          number: true,
        },
        {
          name: 'nearly always together',
          value: (row) => row.together,
          show: (row) => number(row.together),
          number: true,
        },
        { name: 'sometimes', value: (row) => row.unsure, show: (row) => number(row.unsure), number: true },
      ]}
    />
  )
}
