/** A section that needs no view of its own: paragraphs and a table, whatever they are about. */
import type { JSX } from 'preact'
import { plain, significant } from '../format'
import type { TableSection as Section } from '../payload'
import { Table, type ColumnOf } from '../ui/Table'

interface Row {
  cells: (string | number | null)[]
  i: number
}

const DAY = /^\d{4}-\d\d-\d\d$/

export function TableSection({ of }: { of: Section }): JSX.Element {
  const columns = of.columns.map(
    (name, j): ColumnOf<Row> => ({
      name: plain(name, 80),
      key: String(j),
      number: of.rows.some((cells) => typeof cells[j] === 'number'),
      line: of.rows.every((cells) => cells[j] === null || DAY.test(String(cells[j]))),
      value: (row) => row.cells[j] ?? null,
      show: (row) => shown(row.cells[j] ?? null),
    }),
  )
  return (
    <>
      <h1>{plain(of.title, 80)}</h1>
      {of.text.map((paragraph, i) => (
        <p key={i}>{plain(paragraph)}</p>
      ))}
      <Table
        name={of.name}
        caption={plain(of.title, 80)}
        rows={of.rows.map((cells, i): Row => ({ cells, i }))}
        id={(row) => row.i}
        columns={columns}
      />
    </>
  )
}

const shown = (cell: string | number | null): string =>
  cell === null
    ? '–'
    : typeof cell === 'string'
      ? plain(cell)
      : Number.isInteger(cell)
        ? String(cell)
        : significant(cell)
