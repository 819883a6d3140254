/** Curves of numbers against a number, with intervals, a legend, and a cursor that the keyboard moves as well. */
import type { JSX } from 'preact'
import { useId, useMemo, useState } from 'preact/hooks'
import { line } from 'd3-shape'
import { legend, nearest, scalesOf, type Entry, type Point, type Scale } from '../axis'
import { BottomAxis, LeftAxis } from './Axis'
import { useWidth } from './small'
import './LineChart.css'

export interface Series {
  name: string
  colour: string
  points: Point[]
  dash?: string
  /** No line between the points. */
  bare?: boolean
  /** No dots on the line. */
  smooth?: boolean
}

export interface Marked {
  x: number
  text: string
}

interface LineChartProps {
  /** What is drawn, for those who cannot see it. */
  label: string
  series: Series[]
  xName: string
  /** Values that y has no sense past. */
  limits?: [number, number]
  /** x is counted. */
  whole?: boolean
  /** Places on the x axis that have a name. */
  marked?: Marked[]
  height?: number
  /** x and y in words for the readout. */
  sayX(x: number): string
  sayY(y: number): string
}

const LEFT = 50
const RIGHT = 14
const BOTTOM = 40
const ROW = 19
const MARK = 14 // each name of a place has a line of its own: they may lie close together

export function LineChart(props: LineChartProps): JSX.Element {
  const { series, label, xName, whole, marked = [], height = 250 } = props
  const [box, width] = useWidth(560)
  const [at, setAt] = useState(-1)
  const xs = useMemo(
    () =>
      [
        ...new Set(series.filter((each) => !each.smooth).flatMap((each) => each.points.map(({ x }) => x))),
      ].sort((a, b) => a - b),
    [series],
  )
  const names = legend(series.length > 1 ? series.map((each) => each.name) : [], width - 10)
  const top = names.rows * ROW + 8 + MARK * marked.length
  const { x, y } = scalesOf(series, [LEFT, width - RIGHT], [top + height - BOTTOM, top], props.limits)
  const move = (key: string) => {
    if (key === 'ArrowRight') setAt(Math.min(xs.length - 1, at + 1))
    else if (key === 'ArrowLeft') setAt(Math.max(0, at - 1))
    else return false
    return true
  }
  return (
    <div ref={box} class="line-chart">
      <svg
        width={width}
        height={top + height}
        viewBox={`0 0 ${width} ${top + height}`}
        role="group"
        aria-label={label}
        onPointerMove={(event) => {
          const { left, width: shown } = event.currentTarget.getBoundingClientRect()
          setAt(nearest(xs, x.invert(((event.clientX - left) * width) / shown)))
        }}
        onPointerLeave={() => setAt(-1)}>
        <Legend series={series} entries={names.entries} />
        <LeftAxis scale={y} at={LEFT} grid={width - RIGHT - LEFT} />
        <BottomAxis scale={x} at={top + height - BOTTOM} name={xName} whole={whole} />
        {marked.map((each, i) => (
          <Mark key={each.x} {...each} scale={x} from={top - 2 - MARK * i} to={top + height - BOTTOM} />
        ))}
        {at >= 0 && (
          <line class="line-cursor" x1={x(xs[at]!)} x2={x(xs[at]!)} y1={top} y2={top + height - BOTTOM} />
        )}
        <Curves series={series} x={x} y={y} lit={at >= 0 ? xs[at] : undefined} />
        <rect
          class="line-keys"
          x={LEFT}
          y={top}
          width={Math.max(0, width - RIGHT - LEFT)}
          height={Math.max(0, height - BOTTOM)}
          tabIndex={0}
          role="slider"
          aria-label={`${label}: move with the arrow keys`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, xs.length - 1)}
          aria-valuenow={Math.max(0, at)}
          aria-valuetext={at < 0 ? 'nothing chosen' : said(props, xs[at]!)}
          onKeyDown={(event) => {
            if (move(event.key)) event.preventDefault()
          }}
          onBlur={() => setAt(-1)}
        />
      </svg>
      <p class="readout">{at < 0 ? '\u00a0' : said(props, xs[at]!)}</p>
    </div>
  )
}

function said({ series, sayX, sayY }: LineChartProps, x: number): string {
  const found = series
    .filter((each) => !each.smooth)
    .flatMap((each) =>
      each.points.filter((point) => point.x === x).map((point) => `${each.name} ${sayY(point.y)}`),
    )
  return `${sayX(x)}: ${found.join(' · ')}`
}

/** Lines, dots and intervals; what lies outside the scales is cut off. */
export function Curves({
  series,
  x,
  y,
  lit,
}: {
  series: Series[]
  x: Scale
  y: Scale
  lit?: number
}): JSX.Element {
  const clip = useId().replaceAll(':', '')
  const [left = 0, right = 0] = x.range()
  const [bottom = 0, top = 0] = y.range()
  const path = line<Point>(
    (point) => x(point.x),
    (point) => y(point.y),
  )
  return (
    <g>
      <clipPath id={clip}>
        <rect
          x={left - 6}
          y={top - 6}
          width={Math.max(0, right - left + 12)}
          height={Math.max(0, bottom - top + 7)}
        />
      </clipPath>
      <g clip-path={`url(#${clip})`}>
        {series.map((each) => (
          <g key={each.name} style={{ stroke: each.colour, fill: each.colour }}>
            {!each.bare && (
              <path class="line-path" d={path(each.points) ?? ''} stroke-dasharray={each.dash} />
            )}
            {!each.smooth &&
              each.points.map((point) => (
                <g key={point.x}>
                  {point.low != null && point.high != null && (
                    <line
                      class="line-interval"
                      x1={x(point.x)}
                      x2={x(point.x)}
                      y1={y(point.low)}
                      y2={y(point.high)}
                    />
                  )}
                  <circle
                    cx={x(point.x)}
                    cy={y(point.y)}
                    r={point.x === lit ? 5 : each.points.length > 60 ? 1.8 : 3}
                    stroke="none"
                  />
                </g>
              ))}
          </g>
        ))}
      </g>
    </g>
  )
}

function Legend({ series, entries }: { series: Series[]; entries: Entry[] }): JSX.Element {
  return (
    <g aria-hidden="true">
      {entries.map(({ name, x, row }, i) => (
        <g key={name} transform={`translate(${x} ${row * ROW + 10})`}>
          <line
            class="line-sample"
            x2={18}
            style={{ stroke: series[i]!.colour }}
            stroke-dasharray={series[i]!.dash}
          />
          <text x={24} dy="0.32em">
            {name}
          </text>
        </g>
      ))}
    </g>
  )
}

function Mark({
  x,
  text,
  scale,
  from,
  to,
}: Marked & { scale: Scale; from: number; to: number }): JSX.Element {
  const [left = 0, right = 0] = scale.range()
  const place = scale(x)
  const end = place > (left + right) / 2
  return (
    <g class="line-mark" aria-hidden="true">
      <line x1={place} x2={place} y1={from} y2={to} />
      <text x={place + (end ? -5 : 5)} y={from - 3} text-anchor={end ? 'end' : 'start'}>
        {text}
      </text>
    </g>
  )
}
