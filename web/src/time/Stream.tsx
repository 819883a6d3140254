/** The streamgraph: a band for each topic, with the words of each period inside it. */
import type { Signal } from '@preact/signals'
import { area } from 'd3-shape'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { asNumbers, colourOf, focus, inkOn } from '../colour'
import { count, plain } from '../format'
import type { Bin, Binned } from '../payload'
import { isDark } from '../ui/scheme'
import { binEdges, candidatesOf, edgesAt, placeWords, roundBelow, streamOf, type Placed, type Shape } from '../stream'
import { calendarTicks, measuring } from './axis'

export interface Cell { topic: number; bin: number }

export interface ChartProps {
  binned: Binned
  bin: Bin
  shares: boolean
  width: number
  /** What is pointed at. */
  at: Signal<Cell | null>
  /** What is listed below. */
  chosen: Cell | null
  choose(cell: Cell): void
  describe(cell: Cell): string
}

const TALL = 460
const SMALL = 340 // on a narrow screen
const FOOT = 24
const LONGEST = 28 // letters of a word in a band

interface Drawn { topic: number; shape: Shape; path: string }

/** Bands in pixels. */
function useBands({ binned, bin, shares, width }: ChartProps, left: number, height: number) {
  return useMemo(() => {
    const edges = binEdges(binned.starts, bin)
    const stream = streamOf(binned, bin, shares)
    const [first, last] = [edges[0]!, edges[edges.length - 1]!]
    const x = (day: number) => left + ((day - first) / (last - first)) * (width - left - 1)
    const y = (value: number) => 6 + ((stream.high - value) / (stream.high - stream.low)) * (height - FOOT - 12)
    const line = area<number>((i) => stream.at[i]!, (i) => i, (i) => i)
    const bands: Drawn[] = stream.bands.map(({ topic, low, high }) => {
      const shape = { x: stream.at.map(x), top: high.map(y), bottom: low.map(y) }
      const thick = (i: number) => shape.bottom[i]! - shape.top[i]! > 0.05
      line.defined((i) => thick(i) || thick(i - 1) || thick(i + 1)) // no line where there is no band
      line.x((i) => shape.x[i]!).y0((i) => shape.bottom[i]!).y1((i) => shape.top[i]!).digits(1)
      return { topic, shape, path: line(stream.at.keys()) ?? '' }
    })
    const middles = binned.starts.map((_, i) => x((edges[i]! + edges[i + 1]!) / 2))
    return { bands, middles, borders: edges.map(x), ticks: calendarTicks(binned.starts, bin, edges, x), y, span: stream.high - stream.low }
  }, [binned, bin, shares, width, left, height])
}

const MOST_WORDED = 40 // topics; more have no room for words, and would take long

/** Words of all topics, by one scale; where there are very many topics, of those in colour. */
function useWords(binned: Binned, bands: Drawn[], middles: number[], shownTopics: string): Map<number, Placed[]> {
  return useMemo(() => {
    const widthOf = measuring(600)
    const asked = bands.length <= MOST_WORDED ? bands.map((each) => each.topic) : focus.value
    const topics = asked.filter((topic) => binned.words[topic]?.length)
    const candidates = new Map(topics.map((topic) =>
      [topic, candidatesOf(binned.words[topic]!.map(([word, weights]) => [plain(word, LONGEST), weights]))] as const))
    const heaviest = Math.max(0, ...[...candidates.values()].map((each) => each[0]?.weight ?? 0))
    return new Map(bands.filter(({ topic }) => candidates.has(topic)).map(({ topic, shape }) =>
      [topic, placeWords(shape, candidates.get(topic)!, middles, heaviest, widthOf)] as const))
  }, [binned, bands, middles, shownTopics])
}

export function binAt(borders: number[], x: number): number {
  let found = 0
  for (let i = 0; i < borders.length - 1 && borders[i]! <= x; i++) found = i
  return found
}

export function StreamChart(props: ChartProps): JSX.Element {
  const { at, binned, choose, describe, width, shares } = props
  const height = width < 500 ? SMALL : TALL
  const { bands, middles, borders, ticks, y, span } = useBands(props, shares ? 40 : 0, height)
  const words = useWords(binned, bands, middles, focus.value.join())
  const dark = isDark()
  const point = (topic: number) => (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).ownerSVGElement!.getBoundingClientRect()
    at.value = { topic, bin: binAt(borders, event.clientX - box.left) }
  }
  const keys = (place: number) => (event: KeyboardEvent) => {
    const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const beside = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    const now = at.value?.topic === bands[place]!.topic ? at.value.bin : 0
    if (aside) at.value = { topic: bands[place]!.topic, bin: Math.max(0, Math.min(middles.length - 1, now + aside)) }
    else if (beside) (event.currentTarget as SVGElement).parentElement!.querySelectorAll<SVGElement>('.time-band')[place + beside]?.focus()
    else if (event.key === 'Enter' || event.key === ' ') choose({ topic: bands[place]!.topic, bin: now })
    else return
    event.preventDefault()
  }
  return (
    <svg class="time-stream" width={width} height={height} role="group" aria-label="Bands of topics; arrow keys move between bins and bands" onMouseLeave={() => { at.value = null }}>
      <Calendar ticks={ticks} height={height} />
      {shares ? <Percents y={y} left={40} width={width} /> : null}
      <g>
        {bands.map(({ topic, path }, place) => (
          <path key={topic} class={`time-band${focus.value.includes(topic) ? '' : ' grey'}`} d={path} style={{ fill: colourOf(topic) }} tabIndex={place === 0 ? 0 : -1} role="button"
            aria-label={describe({ topic, bin: Math.min(middles.length - 1, peakOf(binned.counts[topic]!)) })}
            onMouseMove={point(topic)} onClick={(event) => { point(topic)(event); choose(at.value!) }} onKeyDown={keys(place)}
            onFocus={(event) => {
              if (!event.currentTarget.matches(':focus-visible')) return
              at.value = { topic, bin: at.value?.bin ?? peakOf(binned.counts[topic]!) }
            }} />
        ))}
      </g>
      <g class="time-words" aria-hidden="true">
        {[...words].map(([topic, placed]) => {
          const ink = dark === undefined ? '' : inkOn(asNumbers(colourOf(topic)))
          return placed.map((each) => (
            <text key={`${topic} ${each.word} ${each.bin}`} x={each.x} y={each.y + 0.35 * each.size} style={{ fontSize: `${each.size.toFixed(1)}px`, fill: ink }}>{each.word}</text>
          ))
        })}
      </g>
      {!shares && <Scale y={y} span={span} />}
      <Mark at={at} chosen={props.chosen} bands={bands} middles={middles} />
    </svg>
  )
}

export const peakOf = (counts: number[]): number => counts.indexOf(Math.max(...counts))

/** Shows what is pointed at, and what is listed: a line across its band. It alone is drawn again as the pointer moves. */
function Mark({ at, chosen, bands, middles }: { at: Signal<Cell | null>; chosen: Cell | null; bands: Drawn[]; middles: number[] }): JSX.Element {
  const line = (cell: Cell | null, kind: string) => {
    const band = cell && bands.find((each) => each.topic === cell.topic)
    if (!cell || !band || middles[cell.bin] === undefined) return null
    const x = middles[cell.bin]!
    const [top, bottom] = edgesAt(band.shape, x)
    return (
      <g class={`time-mark ${kind}`}>
        <path d={band.path} class="time-outline" />
        <line x1={x} x2={x} y1={top - 3} y2={bottom + 3} class="time-halo" /><line x1={x} x2={x} y1={top - 3} y2={bottom + 3} />
      </g>
    )
  }
  return <g aria-hidden="true">{line(chosen, 'chosen')}{line(at.value, 'pointed')}</g>
}

export function Calendar({ ticks, height, top = 0 }: { ticks: { x: number; text: string; line: boolean }[]; height: number; top?: number }): JSX.Element {
  return (
    <g class="axis" aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick.x}>
          {tick.line && <line x1={tick.x} x2={tick.x} y1={top} y2={height - 6} />}
          <text x={tick.x + (tick.line ? 3 : 0)} y={height - 7} style={{ textAnchor: tick.line ? 'start' : 'middle' }}>{tick.text}</text>
        </g>
      ))}
    </g>
  )
}

/** How many documents a height stands for: a stream has no zero to count from. */
function Scale({ y, span }: { y: (value: number) => number; span: number }): JSX.Element {
  const n = roundBelow(span / 4)
  const height = Math.abs(y(0) - y(n))
  return (
    <g class="time-scale" aria-hidden="true">
      <path d={`M7,10h-4v${height.toFixed(1)}h4`} />
      <text x={12} y={10 + height / 2 + 4}>{count(n)} {n === 1 ? 'document' : 'documents'}</text>
    </g>
  )
}

function Percents({ y, left, width }: { y: (value: number) => number; left: number; width: number }): JSX.Element {
  return (
    <g class="axis" aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}><line x1={left} x2={width} y1={y(share)} y2={y(share)} /><text x={left - 6} y={y(share) + 4} style={{ textAnchor: 'end' }}>{100 * share} %</text></g>
      ))}
    </g>
  )
}
