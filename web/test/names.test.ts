/** Names on the map: every topic has one, none lies on another, and each is on its group or has a line to it. */
import { describe, expect, test } from 'vitest'
import { contoursOf, densityOf, ringsAt } from '../src/map/contours'
import { gridOf, rowsWithin } from '../src/map/grid'
import { groundOf, groupsOf, strideOf, topicsAbove } from '../src/map/groups'
import { wrapped } from '../src/map/layers'
import { lineTo, meets, overlap, placeNames, type Name, type PlacedName } from '../src/map/names'
import type { Points, TreeNode } from '../src/payload'

function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

/** Discs of documents, larger ones and smaller ones, as a run has them. */
function scattered(topics: number, each = 40): Points {
  const roll = dice(topics)
  const [x, y, topic] = [[], [], []] as number[][]
  for (let t = 0; t < topics; t++) {
    const [cx, cy, radius] = [0.08 + 0.84 * roll(), 0.08 + 0.84 * roll(), 0.01 + 0.06 * roll() ** 2]
    for (let i = 0; i < each; i++) {
      const [angle, far] = [6.283 * roll(), radius * Math.sqrt(roll())]
      x!.push(Math.round(65535 * (cx + far * Math.cos(angle))))
      y!.push(Math.round(65535 * (cy + far * Math.sin(angle))))
      topic!.push(t)
    }
  }
  return {
    x: Uint16Array.from(x!),
    y: Uint16Array.from(y!),
    topic: Int16Array.from(topic!),
  } as unknown as Points
}

const SIZE = { width: 1312, height: 704 }
const boxOf = ({ at, width, height }: PlacedName, scale: number) => ({
  left: at[0] * scale - width / 2,
  right: at[0] * scale + width / 2,
  top: at[1] * scale - height / 2,
  bottom: at[1] * scale + height / 2,
})

function named(points: Points, topics: number): Name[] {
  return groupsOf(points, (row) => points.topic[row]!, topics).map((group, topic) => ({
    key: `t${topic}`,
    kind: 'topic',
    topic,
    lines: ['one of', 'the topics'],
    font: 11,
    width: 60 + ((7 * topic) % 50),
    height: 26,
    ...group!,
  }))
}

describe.each([5, 30, 89])('%i topics', (topics) => {
  const points = scattered(topics)
  const scale = SIZE.height - 28
  const placed = placeNames(named(points, topics), scale, SIZE, groundOf(points))

  test('every one has a name', () => {
    expect(new Set(placed.map((name) => name.topic)).size).toBe(topics)
  })
  test.each([1, 1.19])('none lies on another, however near (× %f)', (nearer) => {
    placed.forEach((one, i) => {
      for (const other of placed.slice(0, i))
        expect(
          overlap(boxOf(one, nearer * scale), boxOf(other, nearer * scale)),
          `${one.key} ${other.key}`,
        ).toBe(false)
    })
  })
  test('each is on its own group, or has a line that ends at one of its documents', () => {
    for (const { aside, at, x, y, radius, topic } of placed) {
      if (!aside) expect(Math.hypot(at[0] - x, at[1] - y)).toBeLessThanOrEqual(radius)
      const there = [...points.topic.keys()].some(
        (row) =>
          points.topic[row] === topic &&
          Math.abs(points.x[row]! / 65535 - x) < 1e-9 &&
          Math.abs(points.y[row]! / 65535 - y) < 1e-9,
      )
      expect(there).toBe(true)
    }
  })
  test('all are on the screen', () => {
    for (const name of placed) {
      const box = boxOf(name, scale)
      const [across, down] = [(SIZE.width - scale) / 2, (SIZE.height - scale) / 2]
      expect(box.left + across).toBeGreaterThanOrEqual(0)
      expect(box.right + across).toBeLessThanOrEqual(SIZE.width)
      expect(box.top + down).toBeGreaterThanOrEqual(0)
      expect(box.bottom + down).toBeLessThanOrEqual(SIZE.height)
    }
  })
  test('the same again', () => {
    expect(placeNames(named(points, topics), scale, SIZE, groundOf(points))).toEqual(placed)
  })
})

test('lines and boxes', () => {
  const box = { left: 10, right: 20, top: 10, bottom: 20 }
  expect(meets([0, 15, 30, 15], box)).toBe(true)
  expect(meets([0, 0, 30, 5], box)).toBe(false)
  expect(meets([12, 12, 13, 13], box)).toBe(true)
  expect(meets([0, 15, 9, 15], box)).toBe(false)
  expect(lineTo(box, 15, 40)).toEqual([15, 40, 15, 20])
})

test('long names have two lines, as even as can be', () => {
  expect(wrapped('coach, win')).toEqual(['coach, win'])
  expect(wrapped('users, technology, digital')).toEqual(['users, technology,', 'digital'])
  expect(wrapped('a'.repeat(40))).toEqual(['a'.repeat(40)])
})

test('a group has a document in its middle; what is in none counts nowhere', () => {
  const points = {
    x: Uint16Array.of(0, 100, 200, 60000),
    y: Uint16Array.of(0, 0, 0, 60000),
    topic: Int16Array.of(0, 0, 0, -1),
  } as unknown as Points
  const [first, second] = groupsOf(points, (row) => points.topic[row]!, 2)
  expect(first!.size).toBe(3)
  expect(first!.x).toBeCloseTo(100 / 65535)
  expect(second).toBeNull()
})

test('of a million documents a fair part is looked at, of few all', () => {
  expect([0, 1, 199_999, 1_000_000].map(strideOf)).toEqual([1, 1, 1, 5])
})

test('nodes below topics know them', () => {
  const node = (parent: number | null, topic: number | null) => ({ parent, topic }) as TreeNode
  expect([...topicsAbove([node(null, null), node(0, 4), node(1, null), node(2, null)])]).toEqual([
    -1, -1, 4, 4,
  ])
})

test('rows in a box, unless there are too many', () => {
  const points = scattered(3)
  const grid = gridOf(points.x, points.y)
  expect(rowsWithin(grid, 0, 0, 1, 1, 200)!.sort((a, b) => a - b)).toEqual([...points.x.keys()])
  expect(rowsWithin(grid, 0, 0, 1, 1, 50)).toBeNull()
  const [x, y] = [points.x[7]! / 65535, points.y[7]! / 65535]
  expect(rowsWithin(grid, x - 1e-6, y - 1e-6, x + 1e-6, y + 1e-6, 9)).toContain(7)
})

describe('contours', () => {
  const points = scattered(6, 200)
  test('lines are closed, and every document of the map counts', () => {
    const { side, values } = densityOf(points, 6)
    expect(values.reduce((sum, value) => sum + value, 0)).toBeGreaterThan(1000)
    for (const ring of ringsAt(values, side, 0.3)) {
      const [first, last] = [ring[0]!, ring.at(-1)!]
      expect(Math.hypot(first[0] - last[0], first[1] - last[1])).toBeLessThan(2.5 / side)
    }
  })
  test('most documents are inside the lowest line, by how often a line to the left crosses it', () => {
    const { side, values } = densityOf(points, 6)
    const rings = ringsAt(values, side, 0.05)
    const inside = ([px, py]: [number, number]) =>
      rings.reduce(
        (odd, ring) =>
          ring.reduce((now, [ax, ay], i) => {
            const [bx, by] = ring[(i + 1) % ring.length]!
            return ay > py !== by > py && px < ax + ((py - ay) / (by - ay)) * (bx - ax) ? !now : now
          }, odd),
        false,
      )
    const rows = [...points.x.keys()].filter((row) => row % 13 === 0)
    const share = rows.filter((row) => inside([points.x[row]! / 65535, points.y[row]! / 65535])).length
    expect(share / rows.length).toBeGreaterThan(0.9)
  })
  test('there is one path a level, and none where there is nothing', () => {
    expect(contoursOf(points, 6)).toHaveLength(4)
    expect(contoursOf(scattered(0), 0)).toEqual([])
  })
})
