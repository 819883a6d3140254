/** Topics by the values of a column: what follows from the counts. */
import type { ByColumn } from './payload'

/** One topic and one value. */
export interface ByCell {
  topic: number
  value: number
  documents: number
  expected: number
  /** Of the documents with the value, those in the topic; and of those of the topic, those with the value. */
  share: number
  ofTopic: number
  residual: number
  out: number
}

export function cellsOf(column: ByColumn): ByCell[][] {
  const counts = column.weighted ?? column.documents
  const rows = counts.map((row) => sum(row))
  const columns = column.values.map((_, v) => sum(counts.map((row) => row[v]!)))
  const all = sum(rows)
  return counts.map((row, topic) =>
    row.map((n, value) => ({
      topic,
      value,
      documents: column.documents[topic]![value]!,
      expected: all ? (rows[topic]! * columns[value]!) / all : 0,
      share: columns[value] ? n / columns[value] : 0,
      ofTopic: rows[topic] ? n / rows[topic] : 0,
      residual: column.residual[topic]![value]!,
      out: column.out[topic]![value]!,
    })),
  )
}

/** What stands out, the farthest from what was to be expected first. */
export function outstanding(cells: ByCell[][]): ByCell[] {
  return cells
    .flat()
    .filter(({ out }) => out)
    .sort((a, b) => Math.abs(b.residual) - Math.abs(a.residual))
}

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)
