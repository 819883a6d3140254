/** Small multiples: each topic by itself from zero, on the same calendar, so that heights can be compared. */
import { scaleLinear } from 'd3-scale'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { colourOf } from '../colour'
import { count, percent, plain } from '../format'
import { nameOf } from '../store'
import { binAt, binEdges, peakOf, sharesOf } from '../stream'
import { fitted } from '../text'
import { CalendarAxis, LeftAxis } from '../ui/Axis'
import { topicEntries } from '../ui/Legend'
import { calendarTicks, type Tick } from './axis'
import type { ChartProps } from './Stream'

const HEIGHT = 118
const HEAD = 20
const FOOT = 22
const GAP = 18
const SIDE = 38

/** A path of steps: each bin as wide as it lasts. */
function stepPath(values: number[], borders: number[], y: (value: number) => number): string {
  const steps = values.map((value, i) => `V${y(value).toFixed(1)}H${borders[i + 1]!.toFixed(1)}`)
  return `M${borders[0]!.toFixed(1)},${y(0).toFixed(1)}${steps.join('')}V${y(0).toFixed(1)}Z`
}

/** `only`: of these topics. */
export function Facets(props: ChartProps & { common: boolean; only?: number[] }): JSX.Element {
  const { binned, bin, shares, width, common, only } = props
  const topics = (only ?? topicEntries().map((each) => each.key)).filter((topic) => binned.counts[topic])
  const columns = Math.max(1, Math.min(6, topics.length, Math.floor((width + GAP) / (260 + GAP))))
  const wide = (width - GAP * (columns - 1)) / columns
  const values = useMemo(() => (shares ? sharesOf(binned.counts) : binned.counts), [binned, shares])
  const most = Math.max(shares ? 0.01 : 1, ...values.map((row) => Math.max(...row)))
  const edges = binEdges(binned.starts, bin)
  const x = (day: number) =>
    SIDE + ((day - edges[0]!) / (edges[edges.length - 1]! - edges[0]!)) * (wide - SIDE - 1)
  const borders = edges.map(x)
  const ticks = calendarTicks(binned.starts, bin, edges, x)
  const rows = Math.ceil(topics.length / columns)
  return (
    <svg
      class="time-facets"
      width={width}
      height={Math.max(1, rows * (HEIGHT + GAP))}
      role="group"
      aria-label="One chart for each topic"
      onMouseLeave={() => {
        props.at.value = null
      }}>
      {topics.map((topic, place) => (
        <g
          key={topic}
          transform={`translate(${(place % columns) * (wide + GAP)},${Math.floor(place / columns) * (HEIGHT + GAP)})`}>
          <text class="time-name" x={SIDE} y={13}>
            {fitted(plain(nameOf(topic), 80), wide - SIDE, 12, 600)}
          </text>
          <Facet
            {...props}
            topic={topic}
            values={values[topic]!}
            most={common ? most : Math.max(shares ? 0.01 : 1, ...values[topic]!)}
            borders={borders}
            wide={wide}
            ticks={ticks}
            first={place === 0}
          />
        </g>
      ))}
    </svg>
  )
}

interface FacetProps extends ChartProps {
  topic: number
  values: number[]
  most: number
  borders: number[]
  wide: number
  ticks: Tick[]
  first: boolean
}

function Facet({
  topic,
  values,
  most,
  borders,
  wide,
  ticks,
  first,
  shares,
  at,
  chosen,
  choose,
  name,
}: FacetProps): JSX.Element {
  const y = scaleLinear()
    .domain([0, most])
    .range([HEIGHT - FOOT, HEAD])
  const point = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect()
    at.value = { topic, bin: binAt(borders, event.clientX - box.left + SIDE) }
  }
  const keys = (event: KeyboardEvent) => {
    const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const facets = [
      ...(event.currentTarget as SVGElement).ownerSVGElement!.querySelectorAll<SVGElement>('.time-hit'),
    ]
    const beside = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    const now = at.value?.topic === topic ? at.value.bin : 0
    if (aside) at.value = { topic, bin: Math.max(0, Math.min(values.length - 1, now + aside)) }
    else if (beside) facets[facets.indexOf(event.currentTarget as SVGElement) + beside]?.focus()
    else if (event.key === 'Enter' || event.key === ' ') choose({ topic, bin: now })
    else return
    event.preventDefault()
  }
  return (
    <>
      <LeftAxis
        scale={y}
        at={SIDE}
        grid={wide - SIDE}
        ticks={y.ticks(2).filter((value) => shares || Number.isInteger(value))}
        say={shares ? percent : count}
      />
      <CalendarAxis ticks={ticks} top={HEAD} bottom={HEIGHT} />
      <path class="time-area" d={stepPath(values, borders, y)} style={{ fill: colourOf(topic) }} />
      {chosen?.topic === topic && (
        <Bar bin={chosen.bin} values={values} borders={borders} y={y} kind="chosen" />
      )}
      <Pointed at={at} topic={topic} values={values} borders={borders} y={y} />
      <rect
        class="time-hit"
        x={SIDE}
        y={HEAD}
        width={wide - SIDE}
        height={HEIGHT - FOOT - HEAD}
        tabIndex={first ? 0 : -1}
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
            at.value = { topic, bin: at.value?.bin ?? peakOf(values) }
        }}
      />
    </>
  )
}

interface BarProps {
  values: number[]
  borders: number[]
  y: (value: number) => number
}

/** Drawn again as the pointer moves, without the rest. */
function Pointed({
  at,
  topic,
  ...rest
}: BarProps & Pick<ChartProps, 'at'> & { topic: number }): JSX.Element | null {
  return at.value?.topic === topic ? <Bar {...rest} bin={at.value.bin} kind="pointed" /> : null
}

function Bar({
  bin,
  values,
  borders,
  y,
  kind,
}: BarProps & { bin: number; kind: string }): JSX.Element | null {
  if (values[bin] === undefined) return null
  const [left, top] = [borders[bin]!, y(values[bin])]
  return (
    <rect
      class={`time-bar ${kind}`}
      aria-hidden="true"
      x={left}
      y={top - 1}
      width={Math.max(1.5, borders[bin + 1]! - left)}
      height={y(0) - top + 2}
    />
  )
}
