/** The ribbons: topics of this run at the left, of the other at the right. */
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Compare } from '../payload'
import { colourOf, topicColours } from '../colour'
import { formatFlow, layoutFlows, ribbonPath, spread, type Bar, type Flow, type Ribbon } from '../flows'
import { count, counted, plain } from '../format'
import { nameOf, names } from '../store'
import { fitted } from '../text'
import { useWidth } from '../ui/small'

const BAR = 9
const LINE = 17
const TOP = 24

/** The name of a topic of the other run. */
export function otherName(found: Compare, topic: number): string {
  return topic < 0 ? 'no topic' : plain(found.topics[topic]?.name ?? `topic ${topic}`, 80)
}

interface Props {
  found: Compare
  flows: Flow[]
  chosen: Flow | null
  canList(flow: Flow): boolean
  pick(flow: Flow): void
}

export function FlowChart({ found, flows, chosen, canList, pick }: Props): JSX.Element {
  const [box, width] = useWidth()
  const [pointed, setPointed] = useState<Flow | null>(null)
  const many = Math.max(
    new Set(flows.map(({ here }) => here)).size,
    new Set(flows.map(({ there }) => there)).size,
  )
  const inner = Math.max(300, many * 24 + 120)
  const layout = useMemo(() => layoutFlows(flows, inner), [flows, inner])
  const side = Math.max(70, Math.min(230, width * 0.26))
  const height = TOP + Math.max(inner, layout.height) + 10
  const say = (flow: Flow | null): string => {
    if (!flow) return 'Point at a ribbon to read it.'
    return `${counted(flow.n, 'document')} from ${plain(nameOf(flow.here), 80)} → ${otherName(found, flow.there)}${flow.stayed ? ', its partner: these stayed.' : '.'}`
  }
  const partner = new Map(
    found.matches
      .filter(({ here, there }) => here >= 0 && there >= 0)
      .map(({ here, there }) => [there, here]),
  )
  const [coloured, called] = [topicColours.value, names.value] // what ribbons depend on besides their places
  const ribbons = useMemo(
    () => (
      <Ribbons
        ribbons={layout.ribbons}
        from={side + BAR + 3}
        to={width - side - BAR - 3}
        chosen={chosen}
        say={say}
        canList={canList}
        pick={pick}
        point={setPointed}
      />
    ),
    [layout, width, side, chosen, coloured, called],
  )
  return (
    <div ref={box} class="compare-flows">
      <p class="readout" aria-live="polite">
        {say(pointed ?? chosen)}
      </p>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={`Documents that topics here share with topics of ${plain(found.title, 60)}`}>
        <text class="compare-head" x={side} y={12} text-anchor="end">
          here
        </text>
        <text class="compare-head" x={width - side} y={12}>
          {fitted(plain(found.title, 60), side)}
        </text>
        <g transform={`translate(0 ${TOP})`} onPointerLeave={() => setPointed(null)}>
          {ribbons}
          <Bars bars={layout.left} x={side} room={side} end height={inner} name={nameOf} colour={colourOf} />
          <Bars
            bars={layout.right}
            x={width - side - BAR}
            room={side}
            height={inner}
            name={(topic) => otherName(found, topic)}
            colour={(topic) => colourOf(partner.get(topic) ?? -1)}
          />
        </g>
      </svg>
    </div>
  )
}

interface RibbonsProps {
  ribbons: Ribbon[]
  from: number
  to: number
  chosen: Flow | null
  say(flow: Flow): string
  canList(flow: Flow): boolean
  pick(flow: Flow): void
  point(flow: Flow | null): void
}

function Ribbons({ ribbons, from, to, chosen, say, canList, pick, point }: RibbonsProps): JSX.Element {
  const key = chosen ? formatFlow(chosen) : ''
  return (
    <g>
      {ribbons.map((ribbon) => {
        const mine = formatFlow(ribbon) === key
        const kind = mine ? 'chosen' : ribbon.small ? 'small' : ribbon.stayed ? 'stayed' : 'moved'
        const clicked = canList(ribbon) ? { onClick: () => pick(ribbon) } : {}
        const reached =
          !canList(ribbon) || (ribbon.small && !mine)
            ? {}
            : {
                tabIndex: 0,
                role: 'button' as const,
                'aria-label': `${say(ribbon)} List them.`,
                'aria-pressed': mine,
                onFocus: () => point(ribbon),
                onBlur: () => point(null),
                onKeyDown: (event: KeyboardEvent) => {
                  if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault()
                    pick(ribbon)
                  }
                },
              }
        return (
          <path
            key={formatFlow(ribbon)}
            class={`compare-ribbon ${kind}${canList(ribbon) ? ' listed' : ''}`}
            d={ribbonPath(ribbon, from, to)}
            style={{ fill: ribbon.small ? 'var(--grey)' : colourOf(ribbon.here) }}
            onPointerEnter={() => point(ribbon)}
            {...clicked}
            {...reached}
          />
        )
      })}
    </g>
  )
}

interface BarsProps {
  bars: Bar[]
  x: number
  room: number
  end?: boolean
  height: number
  name(topic: number): string
  colour(topic: number): string
}

/** Bars with their names beside them: at the left of the left ones, at the right of the right ones. */
function Bars({ bars, x, room, end = false, height, name, colour }: BarsProps): JSX.Element {
  const middles = spread(
    bars.map((bar) => bar.y + bar.height / 2),
    LINE,
    7,
    Math.max(height, bars.length * LINE),
  )
  const at = end ? x - 6 : x + BAR + 6
  return (
    <g>
      {bars.map((bar, i) => {
        const size = room < 120 ? '' : ` ${count(bar.n)}` // where there is little room, names come first
        return (
          <g key={bar.topic}>
            <rect
              x={x}
              y={bar.y}
              width={BAR}
              height={bar.height}
              rx={1.5}
              style={{ fill: bar.topic < 0 ? 'var(--faint)' : colour(bar.topic) }}
            />
            <text x={at} y={middles[i]} dy="0.34em" text-anchor={end ? 'end' : 'start'}>
              {fitted(plain(name(bar.topic), 80), room - 10 - 6.5 * size.length)}
              <tspan class="compare-size">{size}</tspan>
            </text>
          </g>
        )
      })}
    </g>
  )
}
