import { describe, expect, it } from 'vitest'
import {
  flowsOf,
  forced,
  formatFlow,
  layoutFlows,
  listable,
  orderColumns,
  parseFlow,
  ribbonPath,
  rowsOfFlow,
  spread,
  type Flow,
} from '../src/flows'

// topics here 0, 1, none × topics there 0, 1, 2, none
const MATRIX = [
  [2, 50, 10, 0],
  [40, 0, 0, 5],
  [0, 3, 0, 7],
]
const MATCHES = [
  { here: 0, there: 1 },
  { here: 1, there: 0 },
  { here: -1, there: 2 },
]

describe('flows', () => {
  it('are what is not zero, largest first, and tell who stayed', () => {
    const flows = flowsOf(MATRIX, MATCHES)
    expect(flows.map(({ n }) => n)).toEqual([50, 40, 10, 5, 3, 2])
    expect(flows.filter(({ stayed }) => stayed).map(({ here, there }) => [here, there])).toEqual([
      [0, 1],
      [1, 0],
    ])
  })

  it('leave out what has no topic in both runs', () => {
    expect(flowsOf(MATRIX, MATCHES).some(({ here, there }) => here < 0 && there < 0)).toBe(false)
  })

  it('put partners side by side and no topic last', () => {
    const { here, there } = orderColumns(flowsOf(MATRIX, MATCHES))
    expect(here).toEqual([0, 1, -1])
    expect(there).toEqual([2, 1, 0, -1])
  })

  it('fill each bar exactly, without overlap, on both sides', () => {
    const { left, right, ribbons } = layoutFlows(flowsOf(MATRIX, MATCHES), 400)
    for (const [bars, side, at] of [
      [left, 'here', 'left'],
      [right, 'there', 'right'],
    ] as const) {
      for (const bar of bars) {
        const mine = ribbons.filter((ribbon) => ribbon[side] === bar.topic).sort((a, b) => a[at] - b[at])
        expect(mine.reduce((sum, { n }) => sum + n, 0)).toBe(bar.n)
        let y = bar.y
        for (const ribbon of mine) {
          expect(ribbon[at]).toBeCloseTo(y)
          y += ribbon.height
        }
        expect(y).toBeLessThanOrEqual(bar.y + bar.height + 1e-9)
      }
      for (const [i, bar] of bars.slice(1).entries()) {
        expect(bar.y).toBeGreaterThan(bars[i]!.y + bars[i]!.height)
      }
    }
  })

  it('use the same scale on both sides and fit into the height', () => {
    const { left, right, ribbons, height } = layoutFlows(flowsOf(MATRIX, MATCHES), 400)
    expect(height).toBeLessThanOrEqual(400 + 1e-9)
    const unit = ribbons[0]!.height / ribbons[0]!.n
    for (const ribbon of ribbons) expect(ribbon.height / ribbon.n).toBeCloseTo(unit)
    for (const bar of [...left, ...right]) expect(bar.height).toBeCloseTo(Math.max(2, bar.n * unit))
  })

  it('mark small ones, and survive none at all', () => {
    const flows = flowsOf(
      [
        [1000, 1, 0],
        [0, 0, 0],
      ],
      [{ here: 0, there: 0 }],
    )
    expect(layoutFlows(flows, 100).ribbons.map(({ small }) => small)).toEqual([false, true])
    expect(layoutFlows([], 100)).toEqual({ left: [], right: [], ribbons: [], height: 0 })
  })

  it('are closed paths, never thinner than a hair', () => {
    expect(ribbonPath({ left: 0, right: 10, height: 4 }, 0, 100)).toBe(
      'M0 0C50 0 50 10 100 10V14C50 14 50 4 0 4Z',
    )
    expect(ribbonPath({ left: 0, right: 0, height: 0.01 }, 0, 10)).toContain('V0.8')
  })
})

describe('texts beside bars', () => {
  it('keep their distance and stay inside', () => {
    const placed = spread([1, 2, 3, 50, 99], 14, 6, 100)
    for (const [i, y] of placed.slice(1).entries()) expect(y - placed[i]!).toBeGreaterThanOrEqual(14)
    expect(placed[0]).toBeGreaterThanOrEqual(6)
    expect(placed.at(-1)).toBeLessThanOrEqual(100)
  })

  it('stay where they are when there is room', () =>
    expect(spread([10, 40, 90], 14, 0, 100)).toEqual([10, 40, 90]))
})

describe('the address of a flow', () => {
  it('goes there and back', () => {
    for (const flow of [
      { here: 3, there: 7 },
      { here: -1, there: 0 },
      { here: 12, there: -1 },
    ])
      expect(parseFlow(formatFlow(flow))).toEqual(flow)
  })

  it('refuses what is none', () => {
    for (const text of ['', '-', '3', 'a-b', '3-4-5', '-1-2']) expect(parseFlow(text)).toBeNull()
  })
})

describe('documents of a flow', () => {
  // rows:        0  1  2  3  4  5   6   7
  const topic = [0, 0, 0, 1, 1, 1, -1, -1]
  const there = [0, 0, 1, 1, 1, -1, 0, 1]
  const moved: [number, number, number][] = [[2, 0, 1]]
  const size = (of: number) => topic.filter((each) => each === of).length
  const flow = (here: number, to: number): Flow => ({
    here,
    there: to,
    n: topic.filter((each, row) => each === here && there[row] === to).length,
    stayed: here >= 0 && here === to,
  })
  const all = [flow(0, 0), flow(0, 1), flow(1, 1), flow(1, -1), flow(-1, 0), flow(-1, 1)]

  it('are listed where they are known exactly, and only there', () => {
    const can = listable(moved, size)
    expect(all.map(can)).toEqual([true, true, false, false, false, false]) // of topic 1 it is not known who lost it
    for (const each of all.filter(can)) {
      const rows = rowsOfFlow(each, moved, topic)
      expect(rows).toEqual(
        topic.map((_, row) => row).filter((row) => topic[row] === each.here && there[row] === each.there),
      )
    }
  })

  it('are not listed as having stayed where some that moved are not known', () => {
    expect(listable([], size)(flow(0, 0))).toBe(false)
  })

  it('are all of a topic where all went one way', () => {
    const only: Flow = { here: -1, there: 1, n: 2, stayed: false }
    expect(listable(moved, size)(only)).toBe(true)
    expect(rowsOfFlow(only, moved, topic)).toEqual([6, 7])
  })
})

it('documents of topics without a partner could not have stayed', () => {
  expect(forced(flowsOf(MATRIX, MATCHES), MATCHES)).toBe(10) // 10 to topic 2, which has none; 2 went from 0 to 0 though they could have stayed
  const fewer = [...MATCHES.slice(1), { here: 0, there: -1 }]
  expect(forced(flowsOf(MATRIX, fewer), fewer)).toBe(62)
})
