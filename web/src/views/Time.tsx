/** Topics over time: the streamgraph, or a chart for each topic; a click lists the documents. */
import { useSignal, type Signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { colourOf } from '../colour'
import { binName, count, counted, daysOfIso, percent, plain } from '../format'
import type { Bin, Binned, Time as Times } from '../payload'
import { href, param, setParams } from '../route'
import { rowsWhere } from '../rows'
import { nameOf } from '../store'
import { nextStart, sharesOf, wordsIn, type Cell } from '../stream'
import { Events } from '../time/Events'
import { Facets } from '../time/Facets'
import { StreamChart } from '../time/Stream'
import { Documents } from '../ui/Documents'
import { Figure } from '../ui/Figure'
import { TopicLegend } from '../ui/Legend'
import { revealNext } from '../ui/reveal'
import { Empty, Sorry, TopicLink, Wait, usePoints, useTime, useWidth } from '../ui/small'
import { Table } from '../ui/Table'
import './Time.css'

const BINS: Bin[] = ['day', 'week', 'month', 'quarter', 'year', 'decade']

export function Time(): JSX.Element {
  const { value: time, error } = useTime()
  return (
    <>
      <h1>Topics over time</h1>
      {error ? (
        <Sorry>{error}</Sorry>
      ) : time === undefined ? (
        <Wait />
      ) : time === null ? (
        <Empty>No dates are known.</Empty>
      ) : (
        <Shown time={time} />
      )}
    </>
  )
}

function Shown({ time }: { time: Times }): JSX.Element {
  const bins = BINS.filter((each) => time.bins[each])
  const asked = param('bin') as Bin
  const bin = bins.includes(asked) ? asked : time.bins[time.bin] ? time.bin : bins[0]!
  const binned = time.bins[bin]!
  const shares = param('of') === 'shares'
  const facets = param('form') === 'facets'
  const common = param('y') !== 'own'
  const [place, width] = useWidth()
  const at = useSignal<Cell | null>(null)
  const below = useRef<HTMLDivElement>(null)
  const totals = useMemo(
    () => binned.starts.map((_, i) => binned.counts.reduce((sum, row) => sum + row[i]!, 0)),
    [binned],
  )
  const chosen = chosenCell(binned)
  const choose = ({ topic, bin: place }: Cell) => {
    setParams({ topic, at: binned.starts[place]! })
    revealNext(() => below.current?.querySelector('h2'))
  }
  const describe = (cell: Cell) => {
    const n = binned.counts[cell.topic]![cell.bin]!
    const share = percent(totals[cell.bin] ? n / totals[cell.bin]! : 0)
    return `${plain(nameOf(cell.topic), 60)}, ${binName(binned.starts[cell.bin]!, bin)}: ${counted(n, 'document')}, ${share} of all`
  }
  const close = () => {
    setParams({ topic: '', at: '' })
    revealNext(() => document.querySelector<HTMLElement>('figure h2'))
  }
  const name = (topic: number) =>
    `${plain(nameOf(topic), 60)}, ${counted(
      binned.counts[topic]!.reduce((sum, n) => sum + n, 0),
      'document',
    )}`
  useEffect(() => {
    at.value = null
  }, [bin])
  const chart = { binned, bin, shares, width, at, chosen, choose, name }
  return (
    <>
      <p class="lede">
        {facets
          ? 'Each topic has its own chart on the same calendar.'
          : `Each band is a topic, as thick as ${shares ? 'its share of the documents' : 'the number of its documents'} at that time. ` +
            'The words in it are the topic’s, larger where they weigh more in that period.'}
        {time.undated > 0 &&
          ` ${counted(time.undated, 'document')} with a topic ${time.undated === 1 ? 'has' : 'have'} no date and ${time.undated === 1 ? 'is' : 'are'} not here.`}
      </p>
      <Figure
        name="time"
        title={`${shares ? 'Share of the documents' : 'Documents'} by ${bin}`}
        twin={() => <Twin binned={binned} bin={bin} totals={totals} shares={shares} />}
        controls={<Controls bins={bins} bin={bin} shares={shares} facets={facets} common={common} />}>
        <div ref={place} class="time-place">
          {facets ? <Facets {...chart} common={common} /> : <StreamChart {...chart} />}
        </div>
        <Readout at={at} binned={binned} describe={describe} stays={facets} />
        <TopicLegend />
      </Figure>
      <div ref={below} class="time-below">
        {chosen && (
          <Chosen cell={chosen} binned={binned} bin={bin} close={close}>
            <Facets {...chart} only={[chosen.topic]} common={false} />
            <Readout at={at} binned={binned} describe={describe} stays={false} />
          </Chosen>
        )}
      </div>
      <Events binned={binned} bin={bin} choose={choose} />
    </>
  )
}

function chosenCell(binned: Binned): Cell | null {
  const topic = Number(param('topic', '-1'))
  const bin = binned.starts.indexOf(param('at'))
  return binned.counts[topic] && bin >= 0 ? { topic, bin } : null
}

function Controls({
  bins,
  bin,
  shares,
  facets,
  common,
}: {
  bins: Bin[]
  bin: Bin
  shares: boolean
  facets: boolean
  common: boolean
}): JSX.Element {
  const choice = (name: string, label: string, now: string, options: [value: string, text: string][]) => (
    <label>
      {label}{' '}
      <select
        value={now}
        onChange={(event) =>
          setParams({ [name]: event.currentTarget.value, ...(name === 'bin' ? { at: '' } : {}) })
        }>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      {choice('form', 'as', facets ? 'facets' : '', [
        ['', 'one stream'],
        ['facets', 'a chart for each topic'],
      ])}
      {bins.length > 1 &&
        choice(
          'bin',
          'by',
          bin,
          bins.map((each) => [each, each]),
        )}
      {choice('of', 'of', shares ? 'shares' : '', [
        ['', 'counts'],
        ['shares', 'shares'],
      ])}
      {facets &&
        choice('y', 'heights', common ? '' : 'own', [
          ['', 'comparable'],
          ['own', 'each its own'],
        ])}
    </>
  )
}

/** One line that says what is pointed at; it keeps its place, and `stays` in sight where the charts are many. */
function Readout({
  at,
  binned,
  describe,
  stays,
}: {
  at: Signal<Cell | null>
  binned: Binned
  describe(cell: Cell): string
  stays: boolean
}): JSX.Element {
  const cell = at.value
  const words = cell ? wordsIn(binned, cell).map((word) => plain(word, 30)) : []
  return (
    <p class={`time-readout${stays ? ' stays' : ''}`} aria-live="polite">
      {cell && binned.counts[cell.topic]?.[cell.bin] !== undefined ? (
        <>
          <span class="swatch" style={{ background: colourOf(cell.topic) }} aria-hidden="true" />{' '}
          <strong>{describe(cell)}</strong>
          {words.length > 0 && <span> · {words.join(', ')}</span>}
        </>
      ) : (
        `Point at a ${stays ? 'chart' : 'band'} to read it, click for the topic’s own line and its documents; or use the arrow keys and Enter.`
      )}
    </p>
  )
}

function Chosen({
  cell,
  binned,
  bin,
  close,
  children,
}: {
  cell: Cell
  binned: Binned
  bin: Bin
  close(): void
  /** The topic's own line. */
  children: ComponentChildren
}): JSX.Element {
  const { value: points, error } = usePoints()
  const from = binned.starts[cell.bin]!
  const to = nextStart(from, bin)
  const rows = useMemo(
    () => (points ? rowsWhere(points, { topic: cell.topic, from: daysOfIso(from), to: daysOfIso(to) }) : []),
    [points, cell.topic, from, to],
  )
  return (
    <section class="time-chosen" aria-label="Documents chosen in the chart">
      <h2>
        {counted(binned.counts[cell.topic]![cell.bin]!, 'document')} of <TopicLink topic={cell.topic} />,{' '}
        {binName(from, bin)}
      </h2>
      <p class="controls">
        <a href={href('topic', cell.topic, { from, to })}>See them in the topic</a>
        <button type="button" onClick={close}>
          close
        </button>
      </p>
      <div class="chart">{children}</div>
      {error ? (
        <Sorry>{error}</Sorry>
      ) : !points ? (
        <Wait />
      ) : (
        <Documents
          name="period"
          caption={`Documents of ${nameOf(cell.topic)}, ${binName(from, bin)}`}
          points={points}
          rows={rows}
          topics={false}
        />
      )}
    </section>
  )
}

interface Row {
  start: string
  at: number
  total: number
}

/** Bins as rows, topics as columns; the numbers are those of the chart. */
function Twin({
  binned,
  bin,
  totals,
  shares,
}: {
  binned: Binned
  bin: Bin
  totals: number[]
  shares: boolean
}): JSX.Element {
  const rows: Row[] = binned.starts.map((start, at) => ({ start, at, total: totals[at]! }))
  const values = shares ? sharesOf(binned.counts) : binned.counts
  const kept = (value: number) => (shares ? Number(value.toFixed(5)) : value)
  const said = (value: number) => (value ? (shares ? percent(value) : count(value)) : '·')
  return (
    <Table<Row>
      name="time-table"
      caption={`${shares ? 'Share of the documents' : 'Documents'} by ${bin} and topic`}
      rows={rows}
      id={(row) => row.start}
      page={rows.length > 60 ? 40 : 60}
      columns={[
        { name: bin, value: (row) => row.start, show: (row) => binName(row.start, bin) },
        {
          name: shares ? 'documents' : 'all',
          value: (row) => row.total,
          show: (row) => count(row.total),
          number: true,
        },
        ...values.map((of, topic) => ({
          name: `${topic} ${plain(nameOf(topic), 24)}`,
          key: `topic_${topic}`,
          about: plain(nameOf(topic), 80),
          number: true,
          value: (row: Row) => kept(of[row.at]!),
          show: (row: Row) => said(of[row.at]!),
        })),
      ]}
    />
  )
}
