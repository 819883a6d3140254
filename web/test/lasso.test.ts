import { describe, expect, test } from 'vitest'
import type { Place } from '../src/map/camera'
import { gridOf, nearest } from '../src/map/grid'
import { FINEST, counted, formatLasso, inside, parseLasso, simplified } from '../src/map/lasso'

function scattered(n: number, seed = 1): { x: Uint16Array; y: Uint16Array } {
  let state = seed
  const roll = () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
  return {
    x: Uint16Array.from({ length: n }, () => roll() * FINEST),
    y: Uint16Array.from({ length: n }, () => roll() * FINEST),
  }
}

const circle = (corners: number, radius: number): Place[] =>
  Array.from({ length: corners }, (_, i) => [
    0.5 + radius * Math.cos((2 * Math.PI * i) / corners),
    0.5 + radius * Math.sin((2 * Math.PI * i) / corners),
  ])

describe('inside', () => {
  const { x, y } = scattered(20_000)
  test('of a circle are the points nearer than its radius', () => {
    const found = new Set(inside(circle(400, 0.3), x, y))
    let sure = 0
    for (let row = 0; row < x.length; row++) {
      const far = Math.hypot(x[row]! / FINEST - 0.5, y[row]! / FINEST - 0.5)
      if (Math.abs(far - 0.3) < 1e-3) continue // on the line, which is not round
      expect(found.has(row)).toBe(far < 0.3)
      sure++
    }
    expect(sure).toBeGreaterThan(19_000)
  })
  test('agrees with asking every edge, for a star that crosses itself', () => {
    const star = [0, 2, 4, 1, 3].map((i) => circle(5, 0.45)[i]!)
    const odd = (px: number, py: number) =>
      star.reduce((is, [ax, ay], i) => {
        const [bx, by] = star[(i + 1) % 5]!
        return ay * FINEST > py !== by * FINEST > py &&
          px < ax * FINEST + ((py - ay * FINEST) / ((by - ay) * FINEST)) * (bx - ax) * FINEST
          ? !is
          : is
      }, false)
    const expected = Array.from(x.keys()).filter((row) => odd(x[row]!, y[row]!))
    expect([...inside(star, x, y)]).toEqual(expected)
    expect(inside(star, x, y)).not.toContain(
      Array.from(x.keys()).find((row) => Math.hypot(x[row]! / FINEST - 0.5, y[row]! / FINEST - 0.5) < 0.1),
    )
  })
  test('a line is no area, and outside of the map is nothing', () => {
    expect(
      inside(
        [
          [0, 0],
          [1, 1],
        ],
        x,
        y,
      ),
    ).toHaveLength(0)
    expect(
      inside(
        [
          [0.2, 0.5],
          [0.8, 0.5],
          [0.3, 0.5],
        ],
        x,
        y,
      ),
    ).toHaveLength(0)
    expect(
      inside(
        [
          [2, 2],
          [3, 2],
          [3, 3],
        ],
        x,
        y,
      ),
    ).toHaveLength(0)
    expect(
      inside(
        [
          [-1, -1],
          [2, -1],
          [2, 2],
          [-1, 2],
        ],
        x,
        y,
      ),
    ).toHaveLength(x.length)
  })
  test('a million points', () => {
    const many = scattered(1_000_000)
    expect(inside(circle(80, 0.4), many.x, many.y).length / 1e6).toBeCloseTo(Math.PI * 0.16, 2)
  })
})

test('a line drawn with many points has few corners in the address and comes back', () => {
  const drawn = simplified(circle(3000, 0.3), 0.002)
  expect(drawn.length).toBeLessThanOrEqual(80)
  expect(drawn.length).toBeGreaterThan(40)
  const back = parseLasso(formatLasso(drawn))
  back.forEach(([px, py], i) => {
    expect(px).toBeCloseTo(drawn[i]![0], 3)
    expect(py).toBeCloseTo(drawn[i]![1], 3)
  })
  expect(
    parseLasso(
      formatLasso([
        [-0.1, 0],
        [1.2, 0],
        [0, 1],
      ]),
    ),
  ).toEqual([
    [-0.1, 0],
    [1.2, 0],
    [0, 1],
  ])
  for (const bad of ['', '1.2', '1.2_3.4', '1.2_x_3.4', '<b>_1.1_2.2']) expect(parseLasso(bad)).toEqual([])
})

test('the nearest point is the nearest of all', () => {
  const { x, y } = scattered(5000, 3)
  const grid = gridOf(x, y)
  for (const [px, py] of [
    [0.5, 0.5],
    [0, 0],
    [0.99, 0.2],
    [0.31, 0.77],
  ]) {
    const far = (row: number) => (x[row]! - px! * FINEST) ** 2 + (y[row]! - py! * FINEST) ** 2
    const best = Array.from(x.keys()).reduce((a, b) => (far(b) < far(a) ? b : a))
    expect(far(nearest(grid, px!, py!, 0.1))).toBe(far(best))
  }
  expect(nearest(grid, 0.5, 0.5, 1e-9)).toBe(-1)
  expect(nearest(grid, 0.5, 0.5, 0.1, (row) => row === 17) === 17).toBe(
    Math.hypot(x[17]! / FINEST - 0.5, y[17]! / FINEST - 0.5) <= 0.1,
  )
  expect(nearest(gridOf(new Uint16Array(0), new Uint16Array(0)), 0.5, 0.5, 1)).toBe(-1)
})

test('counted', () => {
  expect([...counted([0, 2, 3], Int16Array.of(-1, 5, -1, 4))]).toEqual([
    [-1, 2],
    [4, 1],
  ])
})
