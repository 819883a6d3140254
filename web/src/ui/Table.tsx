/** A table that sorts by any column, comes page by page, and can be taken along as CSV or JSON. */
import type { ComponentChildren, JSX } from 'preact'
import { asCsv, asRecords, download, type Cell } from '../export'
import { count } from '../format'
import { param, setParams } from '../route'

export interface ColumnOf<T> {
  /** Heading, and the column's name in what is taken along. */
  name: string
  /** What it sorts by and what is taken along. */
  value(row: T): Cell
  /** What is shown; by default the value. */
  show?(row: T): ComponentChildren
  /** Numbers stand to the right. */
  number?: boolean
  /** Sort the largest first when it is first asked for; so by default for numbers. */
  down?: boolean
  /** What the heading means, in a few words. */
  about?: string
}

export interface TableProps<T> {
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
  /** The column it is sorted by at first (by name), "-name" for the largest first; as given by default. */
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
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true })
}

export function sortRows<T>(rows: T[], column: ColumnOf<T> | undefined, down: boolean): T[] {
  if (!column) return rows
  const sign = down ? -1 : 1
  return rows.map((row) => [column.value(row), row] as const)
    .sort(([a], [b]) => (a === null || b === null ? compareCells(a, b) : sign * compareCells(a, b)))
    .map(([, row]) => row)
}

export function Table<T>(props: TableProps<T>): JSX.Element {
  const { name, columns, rows, page = 50, foot = [] } = props
  const chosen = param(`${name}.sort`, props.sort ?? '')
  const down = chosen.startsWith('-')
  const column = columns.find((each) => each.name === chosen.replace(/^-/, ''))
  const sorted = sortRows(rows, column, down)
  const pages = Math.max(1, Math.ceil(rows.length / page))
  const asked = Math.max(0, Math.floor(Number(param(`${name}.page`, '1'))) - 1 || 0)
  const setPage = (to: number) => setParams({ [`${name}.page`]: to ? to + 1 : '' })
  const at = Math.min(asked, pages - 1)
  const sortBy = (each: ColumnOf<T>) => {
    const first = each.down ?? each.number ?? false
    const next = each === column ? !down : first
    setParams({ [`${name}.sort`]: `${next ? '-' : ''}${each.name}`, [`${name}.page`]: '' })
  }
  return (
    <div class="table">
      <div class="scroll" tabIndex={0} role="region" aria-label={props.caption}>
        <table>
          <caption class="unseen">{props.caption}</caption>
          <thead>
            <tr>
              {columns.map((each) => (
                <th key={each.name} scope="col" class={each.number ? 'number' : ''} title={each.about}
                  aria-sort={each === column ? (down ? 'descending' : 'ascending') : 'none'}>
                  <button type="button" onClick={() => sortBy(each)}>
                    {each.name}<span aria-hidden="true" class="order">{each === column ? (down ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(at * page, (at + 1) * page).map((row) => (
              <tr key={props.id(row)} class={props.mark?.(row) ? 'marked' : ''}>
                {columns.map((each) => <td key={each.name} class={each.number ? 'number' : ''}>{each.show ? each.show(row) : each.value(row)}</td>)}
              </tr>
            ))}
          </tbody>
          {foot.length > 0 && (
            <tfoot>
              {foot.map((row) => (
                <tr key={props.id(row)}>
                  {columns.map((each) => <td key={each.name} class={each.number ? 'number' : ''}>{each.show ? each.show(row) : each.value(row)}</td>)}
                </tr>
              ))}
            </tfoot>
          )}
        </table>
      </div>
      <div class="foot">
        {pages > 1 && <Pages at={at} pages={pages} total={rows.length} go={setPage} of={props.caption} />}
        <TakeTable name={name} columns={[...columns, ...(props.also ?? [])]} rows={() => [...sorted, ...foot]} />
      </div>
    </div>
  )
}

export function Pages({ at, pages, total, what = 'rows', of, go }: { at: number; pages: number; total: number; what?: string; of?: string; go(page: number): void }): JSX.Element {
  return (
    <nav class="pages" aria-label={of ? `Pages: ${of}` : 'Pages'}>
      <button type="button" disabled={at === 0} onClick={() => go(at - 1)} aria-label="Previous page">‹</button>
      <span>page {count(at + 1)} of {count(pages)} · {count(total)} {what}</span>
      <button type="button" disabled={at >= pages - 1} onClick={() => go(at + 1)} aria-label="Next page">›</button>
    </nav>
  )
}

/** Buttons that save a table. `rows` may have to be fetched. */
export function TakeTable<T>({ name, columns, rows }: { name: string; columns: ColumnOf<T>[]; rows(): T[] | Promise<T[]> }): JSX.Element {
  const take = async (as: 'csv' | 'json') => {
    const names = columns.map((each) => each.name)
    const cells = (await rows()).map((row) => columns.map((each) => each.value(row)))
    if (as === 'csv') download(`${name}.csv`, `\ufeff${asCsv(names, cells)}`, 'text/csv')
    else download(`${name}.json`, JSON.stringify(asRecords(names, cells), null, 1), 'application/json')
  }
  return (
    <span class="take">
      <button type="button" onClick={() => take('csv')}>CSV</button>
      <button type="button" onClick={() => take('json')}>JSON</button>
    </span>
  )
}
