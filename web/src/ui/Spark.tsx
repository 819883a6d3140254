/** Documents over time as a small curve. */
import { area, line, curveMonotoneX } from 'd3-shape'
import type { JSX } from 'preact'
import { colourOf } from '../colour'
import { binName, count } from '../format'
import type { Bin } from '../payload'

interface SparkProps {
  topic: number
  values: number[]
  bin: Bin
  starts: string[]
  width?: number
  height?: number
}

/** One sentence for those who do not see it. */
function sparkSentence(values: number[], bin: Bin, starts: string[]): string {
  const most = Math.max(...values)
  const peak = values.indexOf(most)
  const at = (i: number) => binName(starts[i] ?? '', bin)
  return `Documents by ${bin}: ${count(values[0] ?? 0)} in ${at(0)}, ${count(values.at(-1) ?? 0)} in ${at(values.length - 1)}, most in ${at(peak)} (${count(most)})`
}

export function Spark({ topic, values, bin, starts, width = 110, height = 26 }: SparkProps): JSX.Element {
  if (!values.some((each) => each > 0))
    return (
      <span class="none" title="none of its documents has a date">
        no dates
      </span>
    )
  const most = Math.max(1, ...values)
  const places = values.length === 1 ? [values[0]!, values[0]!] : values
  const x = (_: number, i: number) => 1 + (i * (width - 2)) / (places.length - 1)
  const y = (value: number) => height - 1 - (value / most) * (height - 3)
  const sentence = sparkSentence(values, bin, starts)
  return (
    <svg
      class="spark"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={sentence}>
      <title>{sentence}</title>
      <path
        d={
          area<number>()
            .x(x)
            .y0(height - 1)
            .y1(y)
            .curve(curveMonotoneX)(places) ?? ''
        }
        fill={colourOf(topic)}
        fill-opacity="0.22"
      />
      <path
        d={line<number>().x(x).y(y).curve(curveMonotoneX)(places) ?? ''}
        fill="none"
        stroke={colourOf(topic)}
        stroke-width="1.5"
      />
    </svg>
  )
}
