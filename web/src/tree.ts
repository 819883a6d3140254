/** The tree of topics as an icicle: a column a level, heights by documents. No DOM here. */
import { between } from './palette'
import type { Points, TreeNode } from './payload'

/** A node where it is drawn: its column, and from where to where it reaches, from 0 to 1. */
export interface Box {
  node: number
  level: number
  from: number
  to: number
}

/** The children of every node, as they follow each other; in a cut of k topics those of nodes that have parted by then. */
export function childrenOf(nodes: TreeNode[], k = Infinity): number[][] {
  const children = nodes.map((): number[] => [])
  nodes.forEach(({ parent }, number) => {
    if (parent !== null && (nodes[parent]!.parts_at ?? Infinity) <= k) children[parent]!.push(number)
  })
  return children
}

/** How many leaves there are: the largest number of topics that it can be cut at. */
export const leavesOf = (nodes: TreeNode[]): number =>
  nodes.filter(({ parts_at }) => parts_at === null).length

/** From the root down to a node, both among them. */
export function pathTo(nodes: TreeNode[], node: number): number[] {
  const path: number[] = []
  for (let at: number | null = node; at !== null; at = nodes[at]!.parent) path.unshift(at)
  return path
}

/** A node and what is below it, so many levels; what was set aside is left free at the end of its parent. */
export function layout(sizes: number[], children: number[][], root: number, levels: number): Box[] {
  const boxes: Box[] = []
  const place = (node: number, level: number, from: number, to: number): void => {
    boxes.push({ node, level, from, to })
    if (level + 1 >= levels) return
    let at = from
    for (const child of children[node]!) {
      const end = at + ((to - from) * sizes[child]!) / Math.max(sizes[node]!, 1)
      place(child, level + 1, at, end)
      at = end
    }
  }
  place(root, 0, 0, 1)
  return boxes
}

/** Where a key leads from a node that is drawn: to its parent, its first child, or the one above or below in its column. */
export function keyTo(
  boxes: Box[],
  children: number[][],
  nodes: TreeNode[],
  at: number,
  key: string,
): number {
  const own = boxes.find(({ node }) => node === at) ?? boxes[0]!
  const shown = (node: number | null | undefined): number =>
    boxes.some((box) => box.node === node) ? node! : own.node
  const column = boxes.filter(({ level }) => level === own.level)
  const place = column.indexOf(own)
  switch (key) {
    case 'ArrowLeft':
      return shown(nodes[own.node]!.parent)
    case 'ArrowRight':
      return shown(children[own.node]![0])
    case 'ArrowUp':
      return (column[place - 1] ?? own).node
    case 'ArrowDown':
      return (column[place + 1] ?? own).node
    case 'Home':
      return boxes[0]!.node
    case 'End':
      return column[column.length - 1]!.node
    default:
      return own.node
  }
}

/** How many documents each node has, those below it among them, of those in one of the topics. */
export function sizesIn(nodes: TreeNode[], points: Points, topics: number): number[] {
  const sizes = nodes.map(() => 0)
  points.node?.forEach((node, row) => {
    const topic = points.topic[row]!
    if (node < nodes.length && topic >= 0 && topic < topics) sizes[node]!++
  })
  for (let node = nodes.length - 1; node > 0; node--) sizes[nodes[node]!.parent!]! += sizes[node]!
  return sizes
}

/** The documents of a node, those below it among them, in the order of the run. */
export function rowsIn(nodes: TreeNode[], points: Points, node: number, topics: number): Uint32Array {
  const inside = nodes.map(() => false)
  inside[node] = true
  nodes.forEach(({ parent }, number) => {
    if (parent !== null && inside[parent]) inside[number] = true
  })
  const rows: number[] = []
  points.node?.forEach((deepest, row) => {
    const topic = points.topic[row]!
    if (inside[deepest] && topic >= 0 && topic < topics) rows.push(row)
  })
  return Uint32Array.from(rows)
}

const SHADE = 0.25 // how much lighter the first part of a topic is than the topic, and the next darker

/** Colours of nodes: topics have theirs, their parts are lighter and darker by turns, what is above lies between its parts. */
export function nodeColours(nodes: TreeNode[], topics: string[], paper: string, ink: string): string[] {
  const found: (string | undefined)[] = nodes.map(({ topic }) => (topic === null ? undefined : topics[topic]))
  const place = nodes.map(() => 0) // how many of its children were seen
  nodes.forEach(({ parent }, node) => {
    const above = parent === null ? undefined : found[parent]
    if (found[node] || !above) return
    const towards = place[parent!]!++ % 2 ? ink : paper
    found[node] = between([above, towards], [1 - SHADE, SHADE])
  })
  for (let node = nodes.length - 1; node >= 0; node--) {
    if (found[node]) continue
    const parts = nodes.map((_, i) => i).filter((i) => nodes[i]!.parent === node && found[i])
    found[node] = between(
      parts.map((i) => found[i]!),
      parts.map((i) => nodes[i]!.size),
    )
  }
  return found as string[]
}
