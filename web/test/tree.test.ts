import { describe, expect, test } from 'vitest'
import type { Points, TreeNode } from '../src/payload'
import { childrenOf, keyTo, layout, leavesOf, nodeColours, pathTo, rowsIn, sizesIn } from '../src/tree'

const node = (parent: number | null, size: number, parts_at: number | null = null, aside = 0): TreeNode => ({
  parent,
  size,
  keywords: [],
  topic: null,
  parts_at,
  aside,
  whole: false,
})
// 0 → 1 (→ 3, 4), 2 (→ 5, 6; one of its documents in neither)
const NODES = [
  node(null, 10, 2),
  node(0, 6, 4),
  node(0, 4, 3, 1),
  node(1, 4),
  node(1, 2),
  node(2, 2),
  node(2, 1),
]
const SIZES = NODES.map(({ size }) => size)
const points = (deepest: number[], topic: number[]): Points =>
  ({ node: Uint16Array.from(deepest), topic: Int16Array.from(topic) }) as unknown as Points

describe('the tree', () => {
  test('a cut has the children of nodes that have parted by then', () => {
    expect(childrenOf(NODES)).toEqual([[1, 2], [3, 4], [5, 6], [], [], [], []])
    expect(childrenOf(NODES, 3)).toEqual([[1, 2], [], [5, 6], [], [], [], []])
    expect(leavesOf(NODES)).toBe(4)
    for (let k = 1; k <= 4; k++) {
      const children = childrenOf(NODES, k)
      const reached = (at: number): number =>
        children[at]!.length ? children[at]!.map(reached).reduce((a, b) => a + b) : 1
      expect(reached(0)).toBe(k)
    }
  })

  test('boxes lie within their parents, by documents, and leave room for what was set aside', () => {
    const boxes = layout(SIZES, childrenOf(NODES), 0, 3)
    expect(boxes).toHaveLength(NODES.length)
    const at = (wanted: number) => boxes.find((box) => box.node === wanted)!
    expect([at(0).from, at(0).to, at(1).to]).toEqual([0, 1, 0.6])
    expect(at(6).to).toBeCloseTo(0.9)
    for (const box of boxes.slice(1)) {
      const above = at(NODES[box.node]!.parent!)
      expect(box.level).toBe(above.level + 1)
      expect(box.from).toBeGreaterThanOrEqual(above.from)
      expect(box.to).toBeLessThanOrEqual(above.to + 1e-12)
    }
    expect(layout(SIZES, childrenOf(NODES), 1, 2).map((box) => box.node)).toEqual([1, 3, 4])
  })

  test('keys lead to the parent, the first child, and the neighbours in a column, and never out of sight', () => {
    const children = childrenOf(NODES)
    const boxes = layout(SIZES, children, 0, 3)
    const go = (at: number, key: string) => keyTo(boxes, children, NODES, at, key)
    expect([go(0, 'ArrowRight'), go(1, 'ArrowDown'), go(2, 'ArrowUp'), go(4, 'ArrowLeft')]).toEqual([
      1, 2, 1, 1,
    ])
    expect([go(4, 'ArrowDown'), go(6, 'ArrowDown'), go(6, 'Home'), go(3, 'End')]).toEqual([5, 6, 0, 6])
    const few = layout(SIZES, children, 1, 1)
    expect(keyTo(few, children, NODES, 1, 'ArrowRight')).toBe(1)
    expect(keyTo(few, children, NODES, 1, 'ArrowLeft')).toBe(1)
  })

  test('documents of a node are those below it too, and only of topics that are shown', () => {
    const found = points([3, 4, 5, 2, 65535, 3], [0, 0, 1, 1, -1, 2])
    expect([...rowsIn(NODES, found, 1, 2)]).toEqual([0, 1])
    expect([...rowsIn(NODES, found, 2, 2)]).toEqual([2, 3])
    expect([...rowsIn(NODES, found, 0, 3)]).toEqual([0, 1, 2, 3, 5])
    expect(sizesIn(NODES, found, 2)).toEqual([4, 2, 2, 1, 1, 1, 0])
    expect(pathTo(NODES, 5)).toEqual([0, 2, 5])
  })
})

test('nodes have the colours of topics; parts of one differ from it and from each other, the root lies between', () => {
  const nodes = NODES.map((each, i) => ({ ...each, topic: i === 1 ? 0 : i === 2 ? 1 : null }))
  const found = nodeColours(nodes, ['#aa0000', '#0000aa'], '#ffffff', '#000000')
  expect(found.slice(1, 3)).toEqual(['#aa0000', '#0000aa'])
  expect(new Set(found).size).toBe(nodes.length)
  const channels = (hex: string) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
  const [r, , b] = channels(found[0]!)
  expect(r).toBeGreaterThan(b!) // the first topic is larger
  expect(b).toBeGreaterThan(0)
  const [red, , blue] = channels(found[4]!)
  expect(red).toBeGreaterThan(blue!) // a part keeps the hue of its topic
})
