/** The search for λ: for each number of topics how much they tell about known classes, as λ grows. */
import type { JSX } from 'preact'
import { scaleLinear } from 'd3-scale'
import type { Choice } from '../payload'
import { aired, extent, type Scale } from '../axis'
import { count, decimal, significant } from '../format'
import { BottomAxis, LeftAxis } from '../ui/Axis'
import { Figure } from '../ui/Figure'
import { Curves, type Series } from '../ui/LineChart'
import { useWidth } from '../ui/small'
import { Table } from '../ui/Table'

type Found = NonNullable<Choice['search']>
type Tried = Found['points'][number]

const KINDS: Record<Tried['kind'], string> = {
  node: 'a node of the cubic',
  zero: 'λ = 0',
  candidate: 'where the cubic peaks or dips',
}
const COLOURS: Record<Tried['kind'], string> = {
  node: 'var(--series-0)',
  zero: 'var(--grey-ink)',
  candidate: 'var(--series-1)',
}
const LEFT = 40
const TOP = 26
const BOTTOM = 42
const GAP = 14

export function Search({ choice, search }: { choice: Choice; search: Found }): JSX.Element {
  const [box, width] = useWidth()
  const ks = [...new Set([...search.curves.map(({ k }) => k), ...search.points.map(({ k }) => k)])].sort(
    (a, b) => a - b,
  )
  const columns = Math.max(1, Math.min(ks.length, Math.floor((width + GAP) / (230 + GAP))))
  const wide = (width - GAP * (columns - 1)) / columns
  const high = 190
  const rows = Math.ceil(ks.length / columns)
  const lams = extent(search.points.map(({ lam }) => lam)) ?? [0, 1]
  const told = extent([0, ...search.points.flatMap(({ nmi, low, high: top }) => [nmi, low, top])]) ?? [0, 1]
  const y = aired([Math.max(-0.05, told[0]), Math.min(1.02, told[1])])
  return (
    <Figure
      name="search"
      title="λ and known classes"
      twin={() => <Twin search={search} choice={choice} />}
      controls={<Kinds />}
      about={
        'For each number of topics: soft NMI, what topics tell about known classes (1: everything), against λ, which presses memberships ' +
        'towards zero. The curve is the cubic through the four nodes; a bar is the 95 % interval around the best run; the circle is the best place of all.'
      }>
      <div ref={box}>
        <svg
          width={width}
          height={rows * (TOP + high + BOTTOM)}
          viewBox={`0 0 ${width} ${rows * (TOP + high + BOTTOM)}`}
          role="img"
          aria-label={`Soft NMI against λ for ${ks.join(', ')} topics; best at ${choice.k} topics`}>
          {ks.map((k, i) => {
            const [x0, y0] = [(i % columns) * (wide + GAP), Math.floor(i / columns) * (TOP + high + BOTTOM)]
            const x = scaleLinear(aired(lams, [-Infinity, Infinity], 0.04), [x0 + LEFT, x0 + wide - 4])
            return (
              <Panel
                key={k}
                k={k}
                search={search}
                choice={choice}
                x={x}
                y={scaleLinear(y, [y0 + TOP + high, y0 + TOP])}
              />
            )
          })}
        </svg>
      </div>
    </Figure>
  )
}

function Panel({
  k,
  search,
  choice,
  x,
  y,
}: {
  k: number
  search: Found
  choice: Choice
  x: Scale
  y: Scale
}): JSX.Element {
  const mine = search.points.filter((point) => point.k === k)
  const curve = search.curves.find((each) => each.k === k)
  const [left = 0, right = 0] = x.range()
  const [bottom = 0, top = 0] = y.range()
  const best =
    k === choice.k && choice.lam !== null
      ? mine.find(
          (point) => point.kind !== 'node' && Math.abs(point.lam - choice.lam!) <= 1e-9 + 1e-6 * choice.lam!,
        )
      : undefined
  const series: Series[] = (Object.keys(KINDS) as Tried['kind'][]).map((kind) => ({
    name: kind,
    colour: COLOURS[kind],
    bare: true,
    points: mine
      .filter((point) => point.kind === kind)
      .map(({ lam, nmi, low, high }) => ({ x: lam, y: nmi, low, high })),
  }))
  if (curve)
    series.unshift({
      name: 'cubic',
      colour: 'var(--series-0)',
      smooth: true,
      points: curve.lam.map((lam, i) => ({ x: lam, y: curve.nmi[i]! })),
    })
  return (
    <g class={k === choice.k ? 'choose-chosen' : ''}>
      <text x={left} y={top - 10}>
        {count(k)} topics
        {k === choice.k && choice.lam !== null ? `, best at λ = ${significant(choice.lam)}` : ''}
      </text>
      <LeftAxis scale={y} at={left} grid={right - left} />
      <BottomAxis scale={x} at={bottom} name="λ" />
      <Curves series={series} x={x} y={y} />
      {best && <circle class="choose-best" cx={x(best.lam)} cy={y(best.nmi)} r={8} />}
    </g>
  )
}

function Kinds(): JSX.Element {
  return (
    <span class="choose-kinds">
      {(Object.keys(KINDS) as Tried['kind'][]).map((kind) => (
        <span key={kind}>
          <span class="swatch" style={{ background: COLOURS[kind] }} aria-hidden="true" /> {KINDS[kind]}
        </span>
      ))}
    </span>
  )
}

function Twin({ search, choice }: { search: Found; choice: Choice }): JSX.Element {
  const number = (value: number | null) => (value === null ? '–' : decimal(value, 3))
  return (
    <Table
      name="search-table"
      caption="Each λ that was run"
      rows={search.points}
      id={(row) => `${row.k} ${row.lam} ${row.kind}`}
      mark={(row) => row.k === choice.k && row.lam === choice.lam}
      columns={[
        { name: 'topics', value: (row) => row.k, number: true, down: false },
        {
          name: 'λ',
          value: (row) => row.lam,
          show: (row) => significant(row.lam),
          number: true,
          down: false,
        },
        { name: 'what', value: (row) => KINDS[row.kind] },
        { name: 'runs', value: (row) => row.runs, number: true },
        {
          name: 'mean',
          value: (row) => row.mean,
          show: (row) => number(row.mean),
          number: true,
          about: 'mean soft NMI of its runs',
        },
        {
          name: 'highest',
          value: (row) => row.nmi,
          show: (row) => number(row.nmi),
          number: true,
          about: 'highest soft NMI of its runs',
        },
        {
          name: 'from',
          value: (row) => row.low,
          show: (row) => number(row.low),
          number: true,
          about: 'lower end of the 95 % interval',
        },
        {
          name: 'to',
          value: (row) => row.high,
          show: (row) => number(row.high),
          number: true,
          about: 'upper end of the 95 % interval',
        },
      ]}
    />
  )
}
