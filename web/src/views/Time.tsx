/** Topics over time: the streamgraph, or a chart for each topic; a click lists the documents. */
import { useSignal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { colourOf } from '../colour'
import { binName, count, counted, daysOfIso, percent, plain } from '../format'
import type { Bin, Binned, Points, Time as Times } from '../payload'
import { href, param, setParams } from '../route'
import { nameOf } from '../store'
import { binEdges, nextStart } from '../stream'
import { Facets } from '../time/Facets'
import { StreamChart, type Cell } from '../time/Stream'
import { Documents } from '../ui/Documents'
import { Figure } from '../ui/Figure'
import { TopicLegend } from '../ui/Legend'
import { Empty, Sorry, TopicLink, Wait, usePoints, useTime, useWidth } from '../ui/small'
import { Table } from '../ui/Table'
import './Time.css'

const BINS: Bin[] = ['day', 'week', 'month', 'quarter', 'year', 'decade']

export function Time(): JSX.Element {
  const { value: time, error } = useTime()
  return (
    <>
      <h1>Topics over time</h1>
      {error ? <Sorry>{error}</Sorry> : time === undefined ? <Wait /> : time === null ? <Empty>No dates are known.</Empty> : <Shown time={time} />}
    </>
  )
}

/** Words of a topic in a bin, heaviest first. */
export function wordsIn(binned: Binned, { topic, bin }: Cell, most = 6): string[] {
  return (binned.words[topic] ?? [])
    .map(([word, weights]) => [word, weights.find(([at]) => at === bin)?.[1] ?? 0] as const)
    .filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1]).slice(0, most).map(([word]) => plain(word, 30))
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
  const totals = useMemo(() => binned.starts.map((_, i) => binned.counts.reduce((sum, row) => sum + row[i]!, 0)), [binned])
  const chosen = chosenCell(binned)
  const choose = ({ topic, bin: place }: Cell) => {
    setParams({ topic, at: binned.starts[place]! })
    requestAnimationFrame(() => below.current?.querySelector('h2')?.scrollIntoView({ block: 'nearest' }))
  }
  const describe = (cell: Cell) => {
    const n = binned.counts[cell.topic]![cell.bin]!
    return `${plain(nameOf(cell.topic), 60)}, ${binName(binned.starts[cell.bin]!, bin)}: ${counted(n, 'document')}, ${percent(totals[cell.bin] ? n / totals[cell.bin]! : 0)} of them all`
  }
  useEffect(() => { at.value = null }, [bin])
  const chart = { binned, bin, shares, width, at, chosen, choose, describe }
  return (
    <>
      <p class="lede">
        {facets ? 'Each topic has its own chart on the same calendar.'
          : `Each band is a topic, as thick as ${shares ? 'its share of the documents' : 'the number of its documents'} at that time. The words in it are the topic’s, larger where they weigh more in that period.`}
        {time.undated > 0 && ` ${counted(time.undated, 'document')} with a topic ${time.undated === 1 ? 'has' : 'have'} no date and ${time.undated === 1 ? 'is' : 'are'} not here.`}
      </p>
      <Figure name="time" title={`${shares ? 'Share of the documents' : 'Documents'} by ${bin}`} twin={() => <Twin binned={binned} bin={bin} totals={totals} />}
        controls={<Controls bins={bins} bin={bin} shares={shares} facets={facets} common={common} />}>
        <div ref={place} class="time-place">{facets ? <Facets {...chart} common={common} /> : <StreamChart {...chart} />}</div>
        <Readout at={at} binned={binned} describe={describe} stays={facets} />
        <TopicLegend />
      </Figure>
      <div ref={below} class="time-below">{chosen && <Chosen cell={chosen} binned={binned} bin={bin} />}</div>
    </>
  )
}

function chosenCell(binned: Binned): Cell | null {
  const topic = Number(param('topic', '-1'))
  const bin = binned.starts.indexOf(param('at'))
  return binned.counts[topic] && bin >= 0 ? { topic, bin } : null
}

function Controls({ bins, bin, shares, facets, common }: { bins: Bin[]; bin: Bin; shares: boolean; facets: boolean; common: boolean }): JSX.Element {
  const choice = (name: string, label: string, now: string, options: [value: string, text: string][]) => (
    <label>{label}{' '}
      <select value={now} onChange={(event) => setParams({ [name]: event.currentTarget.value, ...(name === 'bin' ? { at: '' } : {}) })}>
        {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  )
  return (
    <>
      {choice('form', 'as', facets ? 'facets' : '', [['', 'one stream'], ['facets', 'a chart for each topic']])}
      {bins.length > 1 && choice('bin', 'by', bin, bins.map((each) => [each, each]))}
      {choice('of', 'of', shares ? 'shares' : '', [['', 'counts'], ['shares', 'shares']])}
      {facets && choice('y', 'heights', common ? '' : 'own', [['', 'comparable'], ['own', 'each its own']])}
    </>
  )
}

/** One line that says what is pointed at; it keeps its place, and `stays` in sight where the charts are many. */
function Readout({ at, binned, describe, stays }: { at: Signal<Cell | null>; binned: Binned; describe(cell: Cell): string; stays: boolean }): JSX.Element {
  const cell = at.value
  const words = cell ? wordsIn(binned, cell) : []
  return (
    <p class={`time-readout${stays ? ' stays' : ''}`} aria-live="polite">
      {cell && binned.counts[cell.topic]?.[cell.bin] !== undefined
        ? <><span class="swatch" style={{ background: colourOf(cell.topic) }} aria-hidden="true" /> <strong>{describe(cell)}</strong>{words.length > 0 && <span> · {words.join(', ')}</span>}</>
        : `Point at a ${stays ? 'chart' : 'band'} to read it, click to list its documents; or use the arrow keys and Enter.`}
    </p>
  )
}

function Chosen({ cell, binned, bin }: { cell: Cell; binned: Binned; bin: Bin }): JSX.Element {
  const { value: points, error } = usePoints()
  const from = binned.starts[cell.bin]!
  const to = nextStart(from, bin)
  const rows = useMemo(() => (points ? rowsOf(points, cell.topic, daysOfIso(from), daysOfIso(to)) : []), [points, cell.topic, from, to])
  return (
    <section class="time-chosen" aria-label="Documents chosen in the chart">
      <h2>{counted(binned.counts[cell.topic]![cell.bin]!, 'document')} of <TopicLink topic={cell.topic} />, {binName(from, bin)}</h2>
      <p class="controls">
        <a href={href('topic', cell.topic, { from, to })}>See them in the topic</a>
        <button type="button" onClick={() => setParams({ topic: '', at: '' })}>close the list</button>
      </p>
      {error ? <Sorry>{error}</Sorry> : points ? <Documents name="period" caption={`Documents of ${nameOf(cell.topic)}, ${binName(from, bin)}`} points={points} rows={rows} topics={false} /> : <Wait />}
    </section>
  )
}

/** Rows of a topic from one day on and before another. */
export function rowsOf(points: Points, topic: number, from: number, to: number): Uint32Array {
  const found: number[] = []
  points.date?.forEach((day, row) => { if (day >= from && day < to && points.topic[row] === topic) found.push(row) })
  return Uint32Array.from(found)
}

interface Row { start: string; end: string; at: number; total: number }

/** Bins as rows, topics as columns. */
function Twin({ binned, bin, totals }: { binned: Binned; bin: Bin; totals: number[] }): JSX.Element {
  const edges = binEdges(binned.starts, bin)
  const rows: Row[] = binned.starts.map((start, at) => ({ start, end: nextStart(start, bin), at, total: totals[at]! }))
  return (
    <Table<Row> name="time-table" caption={`Documents by ${bin} and topic`} rows={rows} id={(row) => row.start} page={edges.length > 60 ? 40 : 60}
      columns={[
        { name: bin, value: (row) => row.start, show: (row) => binName(row.start, bin) },
        { name: 'all', value: (row) => row.total, show: (row) => count(row.total), number: true },
        ...binned.counts.map((counts, topic) => ({
          name: `${topic} ${plain(nameOf(topic), 24)}`, value: (row: Row) => counts[row.at]!, show: (row: Row) => (counts[row.at] ? count(counts[row.at]!) : '·'), number: true, about: plain(nameOf(topic), 80),
        })),
      ]} />
  )
}
