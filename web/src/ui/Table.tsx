/** A table that sorts by any column, comes page by page, and can be taken along as CSV or JSON. */
import type { ComponentChildren, JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { asCsv, asRecords, download, type Cell } from '../export'
import { count, percent } from '../format'
import { param, setParams } from '../route'
import { workbook, zipped, type Sheet } from '../xlsx'
import { reveal } from './reveal'

export interface ColumnOf<T> {
  /** Heading, and the column's name in what is taken along. */
  name: string
  /** What tells it from other columns, in the address and in JSON, where the heading does not: topics may share a name. */
  key?: string
  /** What it sorts by and what is taken along. */
  value(row: T): Cell
  /** What is shown; by default the value. */
  show?(row: T): ComponentChildren
  /** Numbers stand to the right. */
  number?: boolean
  /** Never broken into lines, as a date. */
  line?: boolean
  /** Sort the largest first when it is first asked for; so by default for numbers. */
  down?: boolean
  /** What the heading means, in a few words. */
  about?: string
  /** Long text, which needs room to be read. */
  wide?: boolean
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const keyOf = <T,>(column: ColumnOf<T>): string => column.key ?? column.name
const classOf = <T,>(column: ColumnOf<T>): string =>
  column.number ? 'number' : column.wide ? 'wide' : column.line ? 'line' : ''

interface TableProps<T> {
  /** The name of the file it is taken along as, and of its parameters in the address. */
  name: string
  /** What it is a table of, for those who cannot see it. */
  caption: string
  columns: ColumnOf<T>[]
  rows: T[]
  /** What tells its rows apart (not called `key`, which JSX keeps for itself). */
  id(row: T): string | number
  /** Rows a page. */
  page?: number
  /** The column it is sorted by at first (its key, or its name), "-name" for the largest first; as given by default. */
  sort?: string
  /** More to take along than what is shown. */
  also?: ColumnOf<T>[]
  mark?(row: T): boolean
  /** Rows that stay at the end whatever it is sorted by: what is left, and sums. */
  foot?: T[]
}

export function compareCells(a: Cell, b: Cell): number {
  if (a === b) return 0
  if (a === null) return 1 // what is not known comes last
  if (b === null) return -1
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true })
}

export function sortRows<T>(rows: T[], column: ColumnOf<T> | undefined, down: boolean): T[] {
  if (!column) return rows
  const sign = down ? -1 : 1
  return rows
    .map((row) => [column.value(row), row] as const)
    .sort(([a], [b]) => (a === null || b === null ? compareCells(a, b) : sign * compareCells(a, b)))
    .map(([, row]) => row)
}

export function Table<T>(props: TableProps<T>): JSX.Element {
  const { name, columns, rows, page = 50, foot = [] } = props
  const list = useRef<HTMLDivElement>(null)
  const chosen = param(`${name}.sort`, props.sort ?? '')
  const down = chosen.startsWith('-')
  const column = columns.find((each) => keyOf(each) === chosen.replace(/^-/, ''))
  const sorted = sortRows(rows, column, down)
  const { at, pages, go } = usePages(name, rows.length, page, list)
  return (
    <div class="table">
      <div class="scroll" tabIndex={0} role="region" aria-label={props.caption} ref={list}>
        <table>
          <caption class="unseen">{props.caption}</caption>
          <thead>
            <tr>
              {columns.map((each) => (
                <Heading
                  key={keyOf(each)}
                  table={name}
                  of={each}
                  sorted={each === column ? (down ? 'down' : 'up') : ''}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(at * page, (at + 1) * page).map((row) => (
              <Row key={props.id(row)} of={row} columns={columns} mark={props.mark?.(row)} />
            ))}
          </tbody>
          {foot.length > 0 && (
            <tfoot>
              {foot.map((row) => (
                <Row key={props.id(row)} of={row} columns={columns} />
              ))}
            </tfoot>
          )}
        </table>
      </div>
      <div class="foot">
        {pages > 1 && <Pages at={at} pages={pages} total={rows.length} go={go} of={props.caption} />}
        <TakeTable
          name={name}
          columns={[...columns, ...(props.also ?? [])]}
          rows={() => [...sorted, ...foot]}
        />
      </div>
    </div>
  )
}

function Heading<T>({
  table,
  of: column,
  sorted,
}: {
  table: string
  of: ColumnOf<T>
  sorted: 'up' | 'down' | ''
}): JSX.Element {
  const next = sorted ? sorted === 'up' : (column.down ?? column.number ?? false)
  return (
    <th
      scope="col"
      class={classOf(column)}
      title={column.about}
      aria-sort={sorted === 'down' ? 'descending' : sorted ? 'ascending' : 'none'}>
      <button
        type="button"
        onClick={() =>
          setParams({ [`${table}.sort`]: `${next ? '-' : ''}${keyOf(column)}`, [`${table}.page`]: '' })
        }>
        {column.name}
        <span aria-hidden="true" class="order">
          {sorted === 'down' ? ' ↓' : sorted ? ' ↑' : ''}
        </span>
      </button>
    </th>
  )
}

function Row<T>({
  of: row,
  columns,
  mark = false,
}: {
  of: T
  columns: ColumnOf<T>[]
  mark?: boolean
}): JSX.Element {
  return (
    <tr class={mark ? 'marked' : ''}>
      {columns.map((each) => (
        <td key={keyOf(each)} class={classOf(each)}>
          {each.show ? each.show(row) : each.value(row)}
        </td>
      ))}
    </tr>
  )
}

/** The page of a list that the address asks for, how many there are, and the way to another: it is read from its top. */
export function usePages(
  name: string,
  total: number,
  page: number,
  list: { current: HTMLElement | null },
): { at: number; pages: number; go(to: number): void } {
  const pages = Math.max(1, Math.ceil(total / page))
  const asked = Math.max(0, Math.floor(Number(param(`${name}.page`, '1'))) - 1 || 0)
  const go = (to: number) => {
    setParams({ [`${name}.page`]: to ? to + 1 : '' })
    requestAnimationFrame(() => {
      if (list.current && list.current.getBoundingClientRect().top < 0) reveal(list.current)
    })
  }
  return { at: Math.min(asked, pages - 1), pages, go }
}

interface PagesProps {
  at: number
  pages: number
  total: number
  what?: string
  of?: string
  go(page: number): void
}

/** At an end its button stays, so that who has just pressed it is not thrown back to the top of the page. */
export function Pages({ at, pages, total, what = 'rows', of, go }: PagesProps): JSX.Element {
  const step = (to: number, name: string, sign: string) => {
    const there = to >= 0 && to < pages
    return (
      <button
        type="button"
        aria-disabled={!there}
        onClick={() => {
          if (there) go(to)
        }}
        aria-label={name}>
        {sign}
      </button>
    )
  }
  return (
    <nav class="pages" aria-label={of ? `Pages: ${of}` : 'Pages'}>
      {step(at - 1, 'Previous page', '‹')}
      <span>
        page {count(at + 1)} of {count(pages)} · {count(total)} {what}
      </span>
      {step(at + 1, 'Next page', '›')}
    </nav>
  )
}

interface TakeProps<T> {
  name: string
  columns: ColumnOf<T>[]
  rows(tell: (share: number) => void): T[] | Promise<T[]>
}

/** Buttons that save a table. `rows` may have to be fetched, and tell how far that is. */
export function TakeTable<T>({ name, columns, rows }: TakeProps<T>): JSX.Element {
  const sheet = async (tell: (share: number) => void) => ({
    name,
    columns: columns.map((each) => each.name),
    keys: columns.map(keyOf),
    rows: (await rows(tell)).map((row) => columns.map((each) => each.value(row))),
  })
  return <TakeSheet name={name} sheet={sheet} />
}

interface SheetProps {
  name: string
  /** `keys`: what columns are called in JSON, where that is not what they are called else. */
  sheet(tell: (share: number) => void): Promise<Sheet & { keys?: string[] }>
  /** Sheets that a workbook has beside it. */
  beside?(): Sheet[]
}

/** Buttons that save a sheet: as CSV, as a workbook, as JSON. */
export function TakeSheet({ name, sheet, beside = () => [] }: SheetProps): JSX.Element {
  const [said, say] = useState('')
  const [busy, setBusy] = useState(false)
  const take = async (as: 'csv' | 'xlsx' | 'json') => {
    if (busy) return
    setBusy(true)
    try {
      const made = await sheet((share) => say(`reading: ${percent(share, 0)}`))
      if (as === 'csv') download(`${name}.csv`, `\ufeff${asCsv(made.columns, made.rows)}`, 'text/csv')
      else if (as === 'xlsx') download(`${name}.xlsx`, await zipped(workbook([made, ...beside()])), XLSX)
      else
        download(
          `${name}.json`,
          JSON.stringify(asRecords(made.keys ?? made.columns, made.rows), null, 1),
          'application/json',
        )
      say('')
    } catch (error) {
      say((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  const button = (as: 'csv' | 'xlsx' | 'json') => (
    <button type="button" aria-disabled={busy} onClick={() => void take(as)}>
      {as.toUpperCase()}
    </button>
  )
  return (
    <span class="take">
      <span role="status">{said}</span>
      {button('csv')}
      {button('xlsx')}
      {button('json')}
    </span>
  )
}
