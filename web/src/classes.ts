/** Classes against topics, as the view of them shows it. */
import type { Classes } from './payload'

export interface ClassView {
  labels: string[]
  /** −1: documents in no topic. */
  topics: number[]
  matrix: number[][]
  totals: number[]
  /** Pairs of a class and a topic: the first so many cells of the diagonal. */
  paired: number
}

/** The matrix with a last column for documents in no topic, where there are any. */
export function withNone({ labels, topics, matrix, unassigned, matched }: Classes): ClassView {
  const none = unassigned.some((n) => n > 0)
  const cells = none ? matrix.map((row, i) => [...row, unassigned[i]!]) : matrix
  return {
    labels,
    topics: none ? [...topics, -1] : topics,
    matrix: cells,
    totals: cells.map((row) => row.reduce((sum, n) => sum + n, 0)),
    paired: matched.filter((label) => label !== null).length,
  }
}

/** The cell of a class, counted among all names of classes, and a topic, both as the address has them; null: there is none. */
export function chosenCell(
  view: ClassView,
  names: string[],
  label: string,
  topic: string,
): [row: number, column: number] | null {
  const name = label === '' ? undefined : names[Number(label)]
  const row = name === undefined ? -1 : view.labels.indexOf(name)
  const column = topic === '' ? -1 : view.topics.indexOf(Number(topic))
  return row < 0 || column < 0 ? null : [row, column]
}
