/** Topics by the values of a column. */
import { expect, test } from 'vitest'
import { cellsOf, outstanding } from '../src/by'
import type { ByColumn } from '../src/payload'

const column: ByColumn = {
  name: 'region',
  kind: 'values',
  values: ['north', 'south'],
  documents: [
    [30, 10],
    [10, 50],
  ],
  weighted: null,
  residual: [
    [5.9, -5.9],
    [-6.1, 6.1],
  ],
  out: [
    [1, -1],
    [0, 1],
  ],
  notes: [],
}

test('shares add up to one by value, and by topic; expected counts have the same sums as those found', () => {
  const cells = cellsOf(column)
  for (const v of [0, 1]) expect(cells[0]![v]!.share + cells[1]![v]!.share).toBeCloseTo(1)
  for (const row of cells) expect(row[0]!.ofTopic + row[1]!.ofTopic).toBeCloseTo(1)
  expect(cells[0]![0]!.expected).toBeCloseTo((40 * 40) / 100)
  expect(cells[0]![0]!.expected + cells[0]![1]!.expected).toBeCloseTo(40)
})

test('weights change shares, but not how many documents there are', () => {
  const weighted = [
    [60, 10],
    [10, 20],
  ]
  const cell = cellsOf({ ...column, weighted })[0]![0]!
  expect(cell.documents).toBe(30)
  expect(cell.share).toBeCloseTo(60 / 70)
})

test('what stands out comes by its distance from chance', () => {
  expect(outstanding(cellsOf(column)).map(({ topic, value }) => [topic, value])).toEqual([
    [1, 1],
    [0, 0],
    [0, 1],
  ])
})

test('a column without documents divides by nothing', () => {
  const none = { ...column, documents: [[0, 0]], residual: [[0, 0]], out: [[0, 0]] }
  expect(cellsOf(none)[0]!.map(({ share, expected }) => [share, expected])).toEqual([
    [0, 0],
    [0, 0],
  ])
})
