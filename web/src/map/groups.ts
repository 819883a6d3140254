/** What the points say of groups of documents: where each lies, how far it reaches, and which of them is where. */
import type { Points, TreeNode } from '../payload'
import { FINEST } from './lasso'

export interface Group {
  /** A document in the middle of it, in the world. */
  x: number
  y: number
  /** Most of its documents are not farther from there. */
  radius: number
  size: number
}

const REACHES = 1.5 // root mean squares

/** Groups by the code of each row; codes that are not below n are in none. null: a group without documents. */
export function groupsOf(points: Points, codeOf: (row: number) => number, n: number): (Group | null)[] {
  const sums = new Float64Array(4 * n) // how many, x, y, squares
  for (let row = 0; row < points.x.length; row++) {
    const code = codeOf(row)
    if (!(code >= 0 && code < n)) continue
    const [x, y] = [points.x[row]!, points.y[row]!]
    sums[4 * code]! += 1
    sums[4 * code + 1]! += x
    sums[4 * code + 2]! += y
    sums[4 * code + 3]! += x * x + y * y
  }
  const middle = (code: number) => {
    const [size, x, y] = [sums[4 * code]!, sums[4 * code + 1]!, sums[4 * code + 2]!]
    return [x / Math.max(1, size), y / Math.max(1, size)] as const
  }
  const nearest = new Int32Array(n).fill(-1)
  const least = new Float64Array(n).fill(Infinity)
  for (let row = 0; row < points.x.length; row++) {
    const code = codeOf(row)
    if (!(code >= 0 && code < n)) continue
    const [x, y] = middle(code)
    const far = (points.x[row]! - x) ** 2 + (points.y[row]! - y) ** 2
    if (far < least[code]!) {
      least[code] = far
      nearest[code] = row
    }
  }
  return Array.from({ length: n }, (_, code) => {
    const row = nearest[code]!
    if (row < 0) return null
    const size = sums[4 * code]!
    const [x, y] = middle(code)
    const spread = Math.sqrt(Math.max(0, sums[4 * code + 3]! / size - x * x - y * y))
    return {
      x: points.x[row]! / FINEST,
      y: points.y[row]! / FINEST,
      radius: (REACHES * spread) / FINEST,
      size,
    }
  })
}

/** The topic that each node lies below; −1: it is one, or lies above them. */
export function topicsAbove(nodes: TreeNode[]): Int32Array {
  const above = new Int32Array(nodes.length).fill(-1)
  nodes.forEach(({ parent }, node) => {
    if (parent !== null) above[node] = nodes[parent]!.topic ?? above[parent]!
  })
  return above
}

/** Which topic is where. */
export interface Ground {
  /** How much of a box of the world lies on documents of other topics than this one, 0 to 1. */
  foreign(left: number, top: number, right: number, bottom: number, topic: number): number
}

const SIDE = 256
const EMPTY = -3
const ENOUGH = 200_000 // documents that tell where many are

/** Every how many rows are looked at, where a fair part of them says as much as all. */
export const strideOf = (n: number): number => Math.max(1, Math.floor(n / ENOUGH))

export function groundOf(points: Points): Ground {
  const cells = new Int16Array(SIDE * SIDE).fill(EMPTY)
  const cell = (value: number) => Math.min(SIDE - 1, Math.floor((value * SIDE) / (FINEST + 1)))
  for (let row = 0; row < points.x.length; row += strideOf(points.x.length))
    cells[cell(points.y[row]!) * SIDE + cell(points.x[row]!)] = points.topic[row]!
  return {
    foreign(left, top, right, bottom, topic) {
      const [across, down] = [8, 3]
      let found = 0
      for (let i = 0; i < across; i++)
        for (let j = 0; j < down; j++) {
          const x = Math.floor((left + ((i + 0.5) / across) * (right - left)) * SIDE)
          const y = Math.floor((top + ((j + 0.5) / down) * (bottom - top)) * SIDE)
          if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) continue
          const there = cells[y * SIDE + x]!
          if (there !== EMPTY && there !== topic) found++
        }
      return found / (across * down)
    },
  }
}
