/** The streamgraph: a band for each topic, with the words of each period inside it. */
import type { Signal } from '@preact/signals'
import { scaleLinear } from 'd3-scale'
import { area } from 'd3-shape'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { asNumbers, colourOf, differ, inkOn } from '../colour'
import type { Scale as AnyScale } from '../axis'
import { counted, percent, plain } from '../format'
import type { Bin, Binned } from '../payload'
import {
  binAt,
  binEdges,
  candidatesOf,
  edgesAt,
  peakOf,
  placeWords,
  roundBelow,
  streamOf,
  type Cell,
  type Placed,
  type Shape,
} from '../stream'
import { textWidth } from '../text'
import { CalendarAxis, LeftAxis } from '../ui/Axis'
import { isDark } from '../ui/scheme'
import { calendarTicks } from './axis'

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
  /** A topic by name. */
  name(topic: number): string
}

const TALL = 460
const SMALL = 340 // on a narrow screen
const FOOT = 24
const LONGEST = 28 // letters of a word in a band

interface Drawn {
  topic: number
  shape: Shape
  path: string
}

/** Bands in pixels. */
function useBands({ binned, bin, shares, width }: ChartProps, left: number, height: number) {
  return useMemo(() => {
    const edges = binEdges(binned.starts, bin)
    const stream = streamOf(binned, bin, shares, differ.value)
    const [first, last] = [edges[0]!, edges[edges.length - 1]!]
    const x = (day: number) => left + ((day - first) / (last - first)) * (width - left - 1)
    const y = scaleLinear([stream.low, stream.high], [height - FOOT - 6, 6])
    const line = area<number>(
      (i) => stream.at[i]!,
      (i) => i,
      (i) => i,
    )
    const bands: Drawn[] = stream.bands.map(({ topic, low, high }) => {
      const shape = { x: stream.at.map(x), top: high.map(y), bottom: low.map(y) }
      const thick = (i: number) => shape.bottom[i]! - shape.top[i]! > 0.05
      line.defined((i) => thick(i) || thick(i - 1) || thick(i + 1)) // no line where there is no band
      line
        .x((i) => shape.x[i]!)
        .y0((i) => shape.bottom[i]!)
        .y1((i) => shape.top[i]!)
        .digits(1)
      return { topic, shape, path: line(stream.at.keys()) ?? '' }
    })
    const middles = binned.starts.map((_, i) => x((edges[i]! + edges[i + 1]!) / 2))
    return {
      bands,
      middles,
      borders: edges.map(x),
      ticks: calendarTicks(binned.starts, bin, edges, x),
      y,
      span: stream.high - stream.low,
    }
  }, [binned, bin, shares, width, left, height, differ.value])
}

/** Words of all topics, by one scale, in every band that can hold one. */
function useWords(binned: Binned, bands: Drawn[], middles: number[]): Map<number, Placed[]> {
  return useMemo(() => {
    const widthOf = (word: string) => textWidth(word, 1, 600)
    const candidates = new Map(
      bands
        .filter(({ topic }) => binned.words[topic]?.length)
        .map(({ topic }) => [
          topic,
          candidatesOf(binned.words[topic]!.map(([word, weights]) => [plain(word, LONGEST), weights])),
        ]),
    )
    const heaviest = Math.max(0, ...[...candidates.values()].map((each) => each[0]?.weight ?? 0))
    return new Map(
      bands
        .filter(({ topic }) => candidates.has(topic))
        .map(({ topic, shape }) => [
          topic,
          placeWords(shape, candidates.get(topic)!, middles, heaviest, widthOf),
        ]),
    )
  }, [binned, bands, middles])
}

export function StreamChart(props: ChartProps): JSX.Element {
  const { at, binned, width, shares } = props
  const height = width < 500 ? SMALL : TALL
  const left = shares ? 40 : 30
  const { bands, middles, borders, ticks, y, span } = useBands(props, left, height)
  const words = useWords(binned, bands, middles)
  return (
    <svg
      class="time-stream"
      width={width}
      height={height}
      role="group"
      aria-label="Bands of topics; arrow keys move between bins and bands"
      onMouseLeave={() => {
        at.value = null
      }}>
      <CalendarAxis ticks={ticks} bottom={height} />
      {shares ? (
        <LeftAxis
          scale={y}
          at={left}
          grid={width - left}
          ticks={QUARTERS}
          say={(share) => percent(share, 0)}
        />
      ) : (
        <Scale y={y} span={span} />
      )}
      <g>
        {bands.map((band, place) => (
          <BandPath key={band.topic} {...props} bands={bands} place={place} borders={borders} />
        ))}
      </g>
      <Words words={words} />
      <Mark at={at} chosen={props.chosen} bands={bands} middles={middles} />
    </svg>
  )
}

const QUARTERS = [0, 0.25, 0.5, 0.75, 1]

/** One band. It is named by its topic alone: where in it one is, the line below the chart says. */
function BandPath({
  bands,
  place,
  borders,
  at,
  binned,
  choose,
  name,
}: ChartProps & { bands: Drawn[]; place: number; borders: number[] }): JSX.Element {
  const { topic, path } = bands[place]!
  const last = borders.length - 2
  const point = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).ownerSVGElement!.getBoundingClientRect()
    at.value = { topic, bin: binAt(borders, event.clientX - box.left) }
  }
  const keys = (event: KeyboardEvent) => {
    const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const beside = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    const now = at.value?.topic === topic ? at.value.bin : 0
    if (aside) at.value = { topic, bin: Math.max(0, Math.min(last, now + aside)) }
    else if (beside)
      (event.currentTarget as SVGElement)
        .parentElement!.querySelectorAll<SVGElement>('.time-band')
        [place + beside]?.focus()
    else if (event.key === 'Enter' || event.key === ' ') choose({ topic, bin: now })
    else return
    event.preventDefault()
  }
  return (
    <path
      class="time-band"
      d={path}
      style={{ fill: colourOf(topic) }}
      tabIndex={place === 0 ? 0 : -1}
      role="button"
      aria-label={name(topic)}
      onMouseMove={point}
      onClick={(event) => {
        point(event)
        choose(at.value!)
      }}
      onKeyDown={keys}
      onFocus={(event) => {
        if (event.currentTarget.matches(':focus-visible'))
          at.value = { topic, bin: at.value?.bin ?? peakOf(binned.counts[topic]!) }
      }}
    />
  )
}

function Words({ words }: { words: Map<number, Placed[]> }): JSX.Element {
  const dark = isDark() // the ink depends on it
  return (
    <g class="time-words" aria-hidden="true">
      {[...words].map(([topic, placed]) => {
        const ink = dark === undefined ? '' : inkOn(asNumbers(colourOf(topic)))
        return placed.map((each) => (
          <text
            key={`${topic} ${each.word} ${each.bin}`}
            x={each.x}
            y={each.y + 0.35 * each.size}
            style={{ fontSize: `${each.size.toFixed(1)}px`, fill: ink }}>
            {each.word}
          </text>
        ))
      })}
    </g>
  )
}

/** Shows what is pointed at, and what is listed: a line across its band. It alone is drawn again as the pointer moves. */
function Mark({
  at,
  chosen,
  bands,
  middles,
}: {
  at: Signal<Cell | null>
  chosen: Cell | null
  bands: Drawn[]
  middles: number[]
}): JSX.Element {
  const line = (cell: Cell | null, kind: string) => {
    const band = cell && bands.find((each) => each.topic === cell.topic)
    if (!cell || !band || middles[cell.bin] === undefined) return null
    const x = middles[cell.bin]!
    const [top, bottom] = edgesAt(band.shape, x)
    return (
      <g class={`time-mark ${kind}`}>
        <path d={band.path} class="time-outline" />
        <line x1={x} x2={x} y1={top - 3} y2={bottom + 3} class="time-halo" />
        <line x1={x} x2={x} y1={top - 3} y2={bottom + 3} />
      </g>
    )
  }
  return (
    <g aria-hidden="true">
      {line(chosen, 'chosen')}
      {line(at.value, 'pointed')}
    </g>
  )
}

/** How many documents a height stands for, beside the stream: it has no zero to count from. */
function Scale({ y, span }: { y: AnyScale; span: number }): JSX.Element {
  const n = roundBelow(span / 4)
  const [from, to] = [y(n / 2), y(-n / 2)]
  const words = counted(n, 'document')
  return (
    <g class="time-scale" aria-hidden="true">
      <path d={`M24,${from.toFixed(1)}h-4V${to.toFixed(1)}h4`} />
      <text transform={`translate(13 ${((from + to) / 2).toFixed(1)}) rotate(-90)`} text-anchor="middle">
        {words}
      </text>
    </g>
  )
}
