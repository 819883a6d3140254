/** Lines of equal density, as on a map of mountains: how many documents lie where, seen from afar. */
import type { Points } from '../payload'
import { strideOf } from './groups'
import { FINEST } from './lasso'

const SIDE = 96 // cells
const BLUR = 2 // cells to either side, twice
export const LEVELS = [0.03, 0.12, 0.3, 0.55] // of the highest density that counts as such
const HIGH = 0.98 // of the cells with documents; the few above do not set the scale

/** Documents in each cell, made smooth, with an empty edge around: (SIDE + 2)² numbers, row by row. */
export function densityOf(points: Points, topics: number): { side: number; values: Float32Array } {
  const side = SIDE + 2
  let values = new Float32Array(side * side)
  const cell = (value: number) => 1 + Math.min(SIDE - 1, Math.floor((value * SIDE) / (FINEST + 1)))
  for (let row = 0; row < points.x.length; row += strideOf(points.x.length))
    if (points.topic[row]! >= 0 && points.topic[row]! < topics)
      values[cell(points.y[row]!) * side + cell(points.x[row]!)]! += 1
  for (let again = 0; again < 2; again++) {
    values = blurred(values, side, 1, side)
    values = blurred(values, side, side, 1)
  }
  for (let i = 0; i < side; i++)
    for (const at of [i, (side - 1) * side + i, i * side, i * side + side - 1]) values[at] = 0
  return { side, values }
}

function blurred(values: Float32Array, side: number, step: number, line: number): Float32Array<ArrayBuffer> {
  const found = new Float32Array(values.length)
  for (let i = 0; i < side; i++)
    for (let j = 0; j < side; j++) {
      let sum = 0
      for (let k = Math.max(0, j - BLUR); k <= Math.min(side - 1, j + BLUR); k++)
        sum += values[i * line + k * step]!
      found[i * line + j * step] = sum / (2 * BLUR + 1)
    }
  return found
}

/** A path for each level, from low to high, in the world; each holds closed lines. */
export function contoursOf(points: Points, topics: number): string[] {
  const { side, values } = densityOf(points, topics)
  const there = values.filter((value) => value > 0).sort()
  const high = there[Math.floor(HIGH * there.length)] ?? 0
  return high > 0 ? LEVELS.map((level) => pathOf(ringsAt(values, side, level * high))) : []
}

/** Where the edges of a cell are met: top, right, bottom, left, by which of its corners are above the level. */
const TURNS: number[][] = [
  [],
  [3, 0],
  [0, 1],
  [3, 1],
  [1, 2],
  [3, 0, 1, 2],
  [0, 2],
  [3, 2],
  [2, 3],
  [2, 0],
  [0, 1, 2, 3],
  [2, 1],
  [1, 3],
  [1, 0],
  [0, 3],
  [],
]

/** Closed lines around what is above a level (marching squares), as places of the world. */
export function ringsAt(values: Float32Array, side: number, level: number): [number, number][][] {
  const next = new Map<number, number>() // from a met edge to the one after it
  for (let y = 0; y < side - 1; y++)
    for (let x = 0; x < side - 1; x++) {
      const at = y * side + x
      const above = [at, at + 1, at + side + 1, at + side].reduce(
        (sum, corner, i) => sum + (values[corner]! > level ? 1 << i : 0),
        0,
      )
      // an edge is named by the corner it begins at: twice that for those across, one more for those down
      const edges = [2 * at, 2 * (at + 1) + 1, 2 * (at + side), 2 * at + 1]
      const turns = TURNS[above]!
      for (let i = 0; i < turns.length; i += 2) next.set(edges[turns[i]!]!, edges[turns[i + 1]!]!)
    }
  const rings: [number, number][][] = []
  while (next.size) {
    const ring: [number, number][] = []
    let edge = next.keys().next().value!
    while (next.has(edge)) {
      ring.push(placeOf(edge, values, side, level))
      const after = next.get(edge)!
      next.delete(edge)
      edge = after
    }
    rings.push(ring)
  }
  return rings
}

function placeOf(edge: number, values: Float32Array, side: number, level: number): [number, number] {
  const from = edge >> 1
  const to = from + (edge & 1 ? side : 1)
  const part = (level - values[from]!) / (values[to]! - values[from]!)
  const [x, y] = [from % side, Math.floor(from / side)]
  const world = (value: number) => (value - 0.5) / SIDE
  return edge & 1 ? [world(x), world(y + part)] : [world(x + part), world(y)]
}

const pathOf = (rings: [number, number][][]): string =>
  rings
    .filter((ring) => ring.length > 3)
    .map((ring) => `M${ring.map(([x, y]) => `${x.toFixed(4)} ${y.toFixed(4)}`).join('L')}Z`)
    .join('')
