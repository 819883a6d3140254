/** A section without a view of its own: text and a table, whatever it is about. */
import { expect, test } from 'vitest'
import type { ColumnOf } from '../src/ui/Table'
import { TableSection } from '../src/views/TableSection'

interface Row {
  cells: (string | number | null)[]
  i: number
}

test('any columns and rows become a table that sorts numbers as numbers', () => {
  const rows = [
    ['moon', 3, 0.25, '2026-11-18'],
    [null, 10, null, null],
  ]
  const of = { name: 'toy', title: 'A toy', text: ['Why.'], columns: ['word', 'n', 'share', 'day'], rows }
  const parts = (TableSection({ of }).props as { children: { props: Record<string, unknown> }[] }).children
  const table = parts.flat().find(({ props }) => 'columns' in props)!
  const columns = table.props.columns as ColumnOf<Row>[]
  const shown = table.props.rows as Row[]
  expect(columns.map((column) => column.number)).toEqual([false, true, true, false])
  expect(columns.map((column) => column.line)).toEqual([false, false, false, true])
  expect(shown.map((row) => columns.map((column) => column.show!(row)))).toEqual([
    ['moon', '3', '0.250', '2026-11-18'],
    ['–', '10', '–', '–'],
  ])
  expect(shown.map((row) => columns[1]!.value(row))).toEqual([3, 10])
})
