/** Axes of charts of numbers: fine lines, few marks, a name. */
import type { JSX } from 'preact'
import { roundTicks, tickText, type Scale } from '../axis'
import type { Tick } from '../time/axis'

interface AxisProps {
  scale: Scale
  /** Where it lies, across its direction. */
  at: number
  /** What it measures. */
  name?: string
  /** Whole numbers only. */
  whole?: boolean
  /** How long the lines across the chart are; 0: none. */
  grid?: number
  /** Only these marks. */
  ticks?: number[]
  /** What is written beside a mark; by default its number. */
  say?(mark: number): string
}

const span = (scale: Scale): [number, number] => scale.range() as [number, number]

export function BottomAxis({ scale, at, name, whole, grid = 0, ticks }: AxisProps): JSX.Element {
  const [from, to] = span(scale)
  const marks = ticks ?? roundTicks(scale.domain() as [number, number], to - from, 56, whole)
  const text = tickText(marks)
  return (
    <g class="axis" aria-hidden="true" transform={`translate(0 ${at})`}>
      <line x1={from} x2={to} y1={0} y2={0} />
      {marks.map((mark) => (
        <g key={mark} transform={`translate(${scale(mark)} 0)`}>
          <line y1={-grid} y2={4} />
          <text y={16} text-anchor="middle">
            {text(mark)}
          </text>
        </g>
      ))}
      {name && (
        <text x={(from + to) / 2} y={33} text-anchor="middle">
          {name}
        </text>
      )}
    </g>
  )
}

export function LeftAxis({ scale, at, whole, grid = 0, ticks, say }: AxisProps): JSX.Element {
  const [from, to] = span(scale)
  const marks = ticks ?? roundTicks(scale.domain() as [number, number], Math.abs(from - to), 42, whole)
  const text = say ?? tickText(marks)
  return (
    <g class="axis" aria-hidden="true" transform={`translate(${at} 0)`}>
      {marks.map((mark) => (
        <g key={mark} transform={`translate(0 ${scale(mark)})`}>
          <line x1={0} x2={grid} />
          <text x={-6} dy="0.32em" text-anchor="end">
            {text(mark)}
          </text>
        </g>
      ))}
    </g>
  )
}

/** Dates below a chart: names of periods under their middles, or lines where round dates begin. */
export function CalendarAxis({
  ticks,
  top = 0,
  bottom,
}: {
  ticks: Tick[]
  top?: number
  bottom: number
}): JSX.Element {
  return (
    <g class="axis" aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick.x}>
          {tick.line && <line x1={tick.x} x2={tick.x} y1={top} y2={bottom - 6} />}
          <text x={tick.x + (tick.line ? 3 : 0)} y={bottom - 7} text-anchor={tick.line ? 'start' : 'middle'}>
            {tick.text}
          </text>
        </g>
      ))}
    </g>
  )
}
