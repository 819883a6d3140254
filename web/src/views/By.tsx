/** Topics by the values of a column: who speaks of what, and where that is more or less than chance would have. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { cellsOf, outstanding, type ByCell } from '../by'
import { count, counted, decimal, percent, plain } from '../format'
import type { ByColumn } from '../payload'
import { param, setParams } from '../route'
import { filter, head, nameOf, ownCut, wholeHead } from '../store'
import { TopicLink } from '../ui/small'
import { Table, type ColumnOf } from '../ui/Table'
import './By.css'

export function By(): JSX.Element {
  const columns = head.value!.by!.columns
  const chosen = columns.find(({ name }) => name === param('column')) ?? columns[0]!
  const cells = useMemo(() => cellsOf(chosen), [chosen])
  const n = chosen.documents.flat().reduce((sum, each) => sum + each, 0)
  return (
    <>
      <h1>Topics by column</h1>
      <p class="lede">
        <label>
          Column{' '}
          <select value={chosen.name} onChange={(event) => setParams({ column: event.currentTarget.value })}>
            {columns.map(({ name }) => (
              <option key={name} value={name}>
                {plain(name, 60)}
              </option>
            ))}
          </select>
        </label>{' '}
        {counted(chosen.values.length, 'value')} of {counted(n, 'document')}
        {chosen.weighted && ', by weight'}.{chosen.notes.map((note) => ` ${plain(note)}`)}
      </p>
      <Only column={chosen} />
      <Outstanding column={chosen} cells={cells} />
      <Shares column={chosen} cells={cells} />
    </>
  )
}

/** Show only the documents with one value, in every view that lists or counts them. */
function Only({ column }: { column: ByColumn }): JSX.Element | null {
  if (
    !wholeHead.value!.columns.some(({ name }) => name === 'by0') &&
    ownCut.value === head.value!.topics.length
  )
    return null // a page of an older Quire
  const asked = filter.value?.values.flat().find(({ name }) => name === column.name)?.value ?? ''
  return (
    <p class="controls">
      <label>
        Show only documents with{' '}
        <select
          value={asked}
          onChange={(event) => {
            const value = event.currentTarget.value
            setParams({ where: value && column.name, is: value })
          }}>
          <option value="">any {plain(column.name, 60)}</option>
          {column.values.map((value, v) => (
            <option key={value} value={value}>
              {valueName(column, v)}
            </option>
          ))}
        </select>
      </label>{' '}
      in all views.
    </p>
  )
}

const valueName = (column: ByColumn, value: number): string => plain(column.values[value]!, 60)

function Outstanding({ column, cells }: { column: ByColumn; cells: ByCell[][] }): JSX.Element {
  const rows = useMemo(() => outstanding(cells), [cells])
  const columns: ColumnOf<ByCell>[] = [
    { name: 'Topic', value: (cell) => nameOf(cell.topic), show: (cell) => <TopicLink topic={cell.topic} /> },
    { name: plain(column.name, 40), key: 'value', value: (cell) => valueName(column, cell.value) },
    {
      name: 'Documents',
      number: true,
      value: (cell) => cell.documents,
      show: (cell) => count(cell.documents),
    },
    {
      name: 'Expected',
      number: true,
      about: 'if topic and value were independent',
      value: (cell) => cell.expected,
      show: (cell) => decimal(cell.expected, 1),
    },
    {
      name: 'Of the value',
      number: true,
      about: 'share of the documents with the value that are in the topic',
      value: (cell) => cell.share,
      show: (cell) => percent(cell.share),
    },
    {
      name: 'Of the topic',
      number: true,
      about: 'share of the documents of the topic that have the value',
      value: (cell) => cell.ofTopic,
      show: (cell) => percent(cell.ofTopic),
    },
    {
      name: 'Residual',
      number: true,
      about: 'adjusted and standardised: beyond −2 and 2 one cell alone would be unusual',
      value: (cell) => cell.residual,
      show: (cell) => <Marked cell={cell} text={decimal(cell.residual, 1)} />,
    },
  ]
  return (
    <section>
      <h2>What stands out</h2>
      {rows.length ? (
        <>
          <p>
            Of these at most 5 % are chance (standardised residuals, Benjamini and Hochberg over all topics
            and values).
          </p>
          <Table
            name="by-out"
            caption={`What stands out by ${plain(column.name, 60)}`}
            rows={rows}
            id={(cell) => `${cell.topic}/${cell.value}`}
            columns={columns}
            page={15}
          />
        </>
      ) : (
        <p>Nothing stands out from chance.</p>
      )}
    </section>
  )
}

function Shares({ column, cells }: { column: ByColumn; cells: ByCell[][] }): JSX.Element {
  const columns: ColumnOf<ByCell[]>[] = [
    {
      name: 'Topic',
      value: (row) => nameOf(row[0]!.topic),
      show: (row) => <TopicLink topic={row[0]!.topic} />,
    },
    ...column.values.map(
      (_, v): ColumnOf<ByCell[]> => ({
        name: valueName(column, v),
        key: String(v),
        number: true,
        value: (row) => row[v]!.share,
        show: (row) => <Marked cell={row[v]!} text={percent(row[v]!.share)} />,
      }),
    ),
  ]
  return (
    <section>
      <h2>Share of each value’s documents</h2>
      <Table
        name="by"
        caption={`Topics by ${plain(column.name, 60)}`}
        rows={cells}
        id={(row) => row[0]!.topic}
        columns={columns}
      />
    </section>
  )
}

function Marked({ cell, text }: { cell: ByCell; text: string }): JSX.Element {
  if (!cell.out) return <>{text}</>
  const more = cell.out > 0
  return (
    <span
      class={more ? 'by-more' : 'by-less'}
      title={`${counted(cell.documents, 'document')}, ${decimal(cell.expected, 1)} expected`}>
      {text} <span aria-hidden="true">{more ? '▲' : '▼'}</span>
      <span class="unseen">{more ? ' (more than chance)' : ' (fewer than chance)'}</span>
    </span>
  )
}
