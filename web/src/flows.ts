/** Where documents went from one run to another, as ribbons between two columns of topics. */

export interface Flow {
  /** −1: no topic. */
  here: number
  there: number
  n: number
  /** The two topics are each other's partner: these documents stayed. */
  stayed: boolean
}

export interface Bar {
  topic: number
  n: number
  y: number
  height: number
}
export interface Ribbon extends Flow {
  left: number
  right: number
  height: number
  small: boolean
}
interface Layout {
  left: Bar[]
  right: Bar[]
  ribbons: Ribbon[]
  height: number
}

/** A matrix whose last row and column are "no topic" → flows, largest first. What has no topic in both runs is none. */
export function flowsOf(matrix: number[][], matches: { here: number; there: number }[]): Flow[] {
  const partner = new Map(
    matches.filter(({ here, there }) => here >= 0 && there >= 0).map(({ here, there }) => [here, there]),
  )
  const found: Flow[] = []
  matrix.forEach((row, i) => {
    row.forEach((n, j) => {
      const here = i === matrix.length - 1 ? -1 : i
      const there = j === row.length - 1 ? -1 : j
      if (n > 0 && (here >= 0 || there >= 0))
        found.push({ here, there, n, stayed: here >= 0 && partner.get(here) === there })
    })
  })
  return found.sort((a, b) => b.n - a.n || a.here - b.here || a.there - b.there)
}

/** Documents that moved, as the payload has them: row, topic here, topic there. */
type Moved = [row: number, here: number, there: number][]

/** From one topic to another that is not its partner. */
export const moves = (flow: Flow): boolean => !flow.stayed && flow.here >= 0 && flow.there >= 0

/**
 * Which flows can be listed. Only documents that moved are known one by one; of the others it is known that they are among
 * the documents of their topic here that are not known to have moved, which are exactly they where the numbers are equal.
 * `size`: documents of a topic here, −1 for none.
 */
export function listable(moved: Moved, size: (topic: number) => number): (flow: Flow) => boolean {
  const gone = new Map<number, number>()
  for (const [, here] of moved) gone.set(here, (gone.get(here) ?? 0) + 1)
  return (flow) => moves(flow) || size(flow.here) - (gone.get(flow.here) ?? 0) === flow.n
}

/** Rows of a flow that can be listed; `topic`: of each row. */
export function rowsOfFlow(flow: Flow, moved: Moved, topic: ArrayLike<number>): number[] {
  if (moves(flow))
    return moved.filter(([, here, there]) => here === flow.here && there === flow.there).map(([row]) => row)
  const gone = new Set(moved.map(([row]) => row))
  return Array.from({ length: topic.length }, (_, row) => row).filter(
    (row) => topic[row] === flow.here && !gone.has(row),
  )
}

/** Documents of topics without a partner, here or there: they count as moved whatever the other run does. */
export function forced(flows: Flow[], matches: { here: number; there: number }[]): number {
  const pairs = matches.filter(({ here, there }) => here >= 0 && there >= 0)
  const [left, right] = [new Set(pairs.map(({ here }) => here)), new Set(pairs.map(({ there }) => there))]
  return flows
    .filter((flow) => moves(flow) && !(left.has(flow.here) && right.has(flow.there)))
    .reduce((sum, flow) => sum + flow.n, 0)
}

/**
 * The order of both columns: those here as they are, "no topic" last; those there by where most of their documents come
 * from, so that partners lie side by side and few ribbons cross.
 */
export function orderColumns(flows: Flow[]): { here: number[]; there: number[] } {
  const last = (topic: number) => (topic < 0 ? Infinity : topic)
  const here = [...new Set(flows.map((flow) => flow.here))].sort((a, b) => last(a) - last(b))
  const place = new Map(here.map((topic, i) => [topic, i]))
  const weight = new Map<number, { sum: number; n: number }>()
  for (const { here: from, there, n } of flows) {
    const now = weight.get(there) ?? { sum: 0, n: 0 }
    weight.set(there, { sum: now.sum + n * place.get(from)!, n: now.n + n })
  }
  const centre = (topic: number) => (topic < 0 ? Infinity : weight.get(topic)!.sum / weight.get(topic)!.n)
  const there = [...weight.keys()].sort((a, b) => (centre(a) === centre(b) ? a - b : centre(a) - centre(b)))
  return { here, there }
}

/** Bars and ribbons. Heights are in proportion to documents, on both sides alike; a bar is at least `least` high. */
export function layoutFlows(flows: Flow[], height: number, gap = 8, least = 2): Layout {
  const { here, there } = orderColumns(flows)
  const total = flows.reduce((sum, flow) => sum + flow.n, 0)
  const many = Math.max(here.length, there.length, 1)
  const unit = total ? Math.max(0, height - gap * (many - 1)) / total : 0
  const left = column(here, flows, (flow) => flow.here, unit, gap, least)
  const right = column(there, flows, (flow) => flow.there, unit, gap, least)
  const threshold = Math.max(2, total * 0.004) // less than that is a hair: drawn, but grey and not reached by Tab
  const leftAt = placed(left, flows, here, there, 'here', unit)
  const rightAt = placed(right, flows, there, here, 'there', unit)
  const ribbons = flows.map((flow, i) => ({
    ...flow,
    left: leftAt[i]!,
    right: rightAt[i]!,
    height: flow.n * unit,
    small: flow.n < threshold,
  }))
  const ends = [...left, ...right].map((bar) => bar.y + bar.height)
  return { left, right, ribbons, height: ends.length ? Math.max(...ends) : 0 }
}

function column(
  order: number[],
  flows: Flow[],
  side: (flow: Flow) => number,
  unit: number,
  gap: number,
  least: number,
): Bar[] {
  let y = 0
  return order.map((topic) => {
    const n = flows.reduce((sum, flow) => sum + (side(flow) === topic ? flow.n : 0), 0)
    const bar = { topic, n, y, height: Math.max(least, n * unit) }
    y += bar.height + gap
    return bar
  })
}

/** Where each flow begins on its bar: in the order of the bars on the other side, so that ribbons of a bar do not cross. */
function placed(
  bars: Bar[],
  flows: Flow[],
  order: number[],
  across: number[],
  side: 'here' | 'there',
  unit: number,
): number[] {
  const other = side === 'here' ? 'there' : 'here'
  const rank = new Map(across.map((topic, i) => [topic, i]))
  const found = new Array<number>(flows.length).fill(0)
  for (const topic of order) {
    const bar = bars.find((each) => each.topic === topic)!
    const mine = flows.map((flow, i) => ({ flow, i })).filter(({ flow }) => flow[side] === topic)
    mine.sort((a, b) => rank.get(a.flow[other])! - rank.get(b.flow[other])!)
    let y = bar.y
    for (const { flow, i } of mine) {
      found[i] = y
      y += flow.n * unit
    }
  }
  return found
}

/** A ribbon as a path between x = from and x = to; never thinner than a hair. */
export function ribbonPath(
  { left, right, height }: Pick<Ribbon, 'left' | 'right' | 'height'>,
  from: number,
  to: number,
  hair = 0.8,
): string {
  const thick = Math.max(hair, height)
  const half = (from + to) / 2
  const number = (value: number) => Number(value.toFixed(2))
  const [a, b, c, d] = [left, right, left + thick, right + thick].map(number)
  return `M${from} ${a}C${half} ${a} ${half} ${b} ${to} ${b}V${d}C${half} ${d} ${half} ${c} ${from} ${c}Z`
}

/** Middles of texts beside bars, moved apart so that none lies on another; in the order given. */
export function spread(wanted: number[], apart: number, top: number, bottom: number): number[] {
  const placed = [...wanted]
  for (let i = 0; i < placed.length; i++) placed[i] = Math.max(placed[i]!, i ? placed[i - 1]! + apart : top)
  for (let i = placed.length - 1; i >= 0; i--)
    placed[i] = Math.min(placed[i]!, i < placed.length - 1 ? placed[i + 1]! - apart : bottom)
  return placed
}

/** "3-7" of the address → topics; "3-" or "-7" are those without a topic on one side. */
export function parseFlow(text: string): { here: number; there: number } | null {
  const found = /^(\d*)-(\d*)$/.exec(text)
  if (!found || text === '-') return null
  return { here: found[1] ? Number(found[1]) : -1, there: found[2] ? Number(found[2]) : -1 }
}

export const formatFlow = ({ here, there }: { here: number; there: number }): string =>
  `${here < 0 ? '' : here}-${there < 0 ? '' : there}`
