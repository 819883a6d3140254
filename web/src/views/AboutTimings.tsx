/** How long each step took, as bars. */
import type { JSX } from 'preact'
import { plain } from '../format'
import { textWidth } from '../text'
import { Figure } from '../ui/Figure'
import { useWidth } from '../ui/small'
import { Table } from '../ui/Table'
import { inSeconds, STAGES } from './about-words'

const ROW = 24

interface Step {
  name: string
  seconds: number
}

export function Timings({ timings }: { timings: Record<string, number> }): JSX.Element {
  const steps: Step[] = Object.entries(timings).map(([name, seconds]) => ({
    name: STAGES[name] ?? plain(name.replaceAll('_', ' '), 40),
    seconds,
  }))
  const total = steps.reduce((sum, step) => sum + step.seconds, 0)
  return (
    <Figure
      name="timings"
      title="How long it took"
      about={`${inSeconds(total)} in all, from reading to describing; saving the run and making this page come after that.`}
      twin={() => (
        <Table
          name="timings-table"
          caption="Seconds of each step"
          rows={steps}
          id={(step) => step.name}
          columns={[
            { name: 'step', value: (step) => step.name },
            {
              name: 'seconds',
              value: (step) => Number(step.seconds.toFixed(4)),
              show: (step) => step.seconds.toFixed(3),
              number: true,
            },
            {
              name: 'share',
              value: (step) => Number((step.seconds / (total || 1)).toFixed(4)),
              show: (step) => `${((100 * step.seconds) / (total || 1)).toFixed(1)} %`,
              number: true,
            },
          ]}
        />
      )}>
      <Bars steps={steps} />
    </Figure>
  )
}

function Bars({ steps }: { steps: Step[] }): JSX.Element {
  const [box, room] = useWidth(560)
  const width = Math.min(room, 720)
  const left = Math.max(...steps.map((step) => textWidth(step.name))) + 12
  const most = Math.max(...steps.map((step) => step.seconds), 1e-9)
  const long = Math.max(20, width - left - 64)
  return (
    <div ref={box}>
      <svg
        width={width}
        height={steps.length * ROW + 4}
        viewBox={`0 0 ${width} ${steps.length * ROW + 4}`}
        role="img"
        aria-label={steps.map((step) => `${step.name} ${inSeconds(step.seconds)}`).join(', ')}>
        {steps.map((step, i) => (
          <g key={step.name} transform={`translate(0 ${i * ROW})`}>
            <text x={left - 10} y={ROW / 2} dy="0.34em" text-anchor="end">
              {step.name}
            </text>
            <rect
              class="about-bar"
              x={left}
              y={5}
              width={Math.max(1, (long * step.seconds) / most)}
              height={ROW - 10}
              rx={2}
            />
            <text class="about-seconds" x={left + (long * step.seconds) / most + 7} y={ROW / 2} dy="0.34em">
              {inSeconds(step.seconds)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}
