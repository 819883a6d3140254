/** A topic over time: its share of the documents of each bin. */
import { scaleLinear } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import type { JSX } from 'preact'
import { colourOf } from '../colour'
import { binName, count, percent, plain } from '../format'
import type { Topic } from '../payload'
import { totalsOf } from '../relevance'
import { href, setParams } from '../route'
import { head, nameOf } from '../store'
import { binEdges } from '../stream'
import { calendarTicks } from '../time/axis'
import { CalendarAxis, LeftAxis } from '../ui/Axis'
import { Figure } from '../ui/Figure'
import { revealNext } from '../ui/reveal'
import { Table } from '../ui/Table'
import { allTopics, useWidth } from '../ui/small'

const HEIGHT = 150
const SIDE = { top: 10, right: 6, bottom: 22, left: 40 }

interface Bin {
  start: string
  end: string
  name: string
  documents: number
  all: number
  share: number
}

/** Bins with the topic's documents and those of all topics; a bin ends where the next begins, the last is open. */
function binsOf(topic: Topic): Bin[] {
  const { bin, starts } = head.value!.spark!
  const totals = totalsOf(allTopics())
  return starts.map((start, i) => {
    const documents = topic.spark?.[i] ?? 0
    const all = totals[i] ?? 0
    return {
      start,
      end: starts[i + 1] ?? '',
      name: binName(start, bin),
      documents,
      all,
      share: all ? documents / all : 0,
    }
  })
}

export function Course({ topic }: { topic: Topic }): JSX.Element {
  const bins = binsOf(topic)
  return (
    <Figure
      name="course"
      title="Share over time"
      about={
        <>
          Its share of all documents with a topic, by {head.value!.spark!.bin}. A column leads to its
          documents; <a href={href('time')}>all topics over time</a>.
        </>
      }
      twin={() => (
        <Table
          name="course"
          caption="Documents over time"
          rows={bins}
          id={(each) => each.start}
          columns={[
            { name: 'time', value: (each) => each.start, show: (each) => each.name },
            {
              name: 'documents',
              number: true,
              value: (each) => each.documents,
              show: (each) => count(each.documents),
            },
            {
              name: 'of',
              number: true,
              value: (each) => each.all,
              show: (each) => count(each.all),
              about: 'documents of all topics',
            },
            {
              name: 'share',
              number: true,
              value: (each) => Number(each.share.toFixed(5)),
              show: (each) => percent(each.share),
            },
          ]}
        />
      )}>
      <Curve topic={topic.topic} bins={bins} />
    </Figure>
  )
}

function Curve({ topic, bins }: { topic: number; bins: Bin[] }): JSX.Element {
  const [place, width] = useWidth(500)
  const { bin, starts } = head.value!.spark!
  const most = Math.max(...bins.map((each) => each.share), 0.01)
  const edges = binEdges(starts, bin)
  const x = scaleLinear([edges[0]!, edges[edges.length - 1]!], [SIDE.left, width - SIDE.right])
  const y = scaleLinear([0, most], [HEIGHT - SIDE.bottom, SIDE.top])
  const middle = (_: Bin, i: number) => x((edges[i]! + edges[i + 1]!) / 2)
  const above = (each: Bin) => y(each.share)
  return (
    <div ref={place}>
      <svg
        width={width}
        height={HEIGHT}
        role="group"
        aria-label={`Share of ${plain(nameOf(topic), 80)} over time`}>
        <LeftAxis
          scale={y}
          at={SIDE.left}
          grid={width - SIDE.right - SIDE.left}
          ticks={y.ticks(3)}
          say={(share) => percent(share)}
        />
        <CalendarAxis ticks={calendarTicks(starts, bin, edges, x)} top={SIDE.top} bottom={HEIGHT} />
        <path
          d={area<Bin>().x(middle).y0(y(0)).y1(above).curve(curveMonotoneX)(bins) ?? ''}
          fill={colourOf(topic)}
          fill-opacity="0.22"
        />
        <path
          d={line<Bin>().x(middle).y(above).curve(curveMonotoneX)(bins) ?? ''}
          fill="none"
          stroke={colourOf(topic)}
          stroke-width="1.8"
        />
        {bins.map(
          (each, i) =>
            each.documents > 0 && (
              <Column
                key={each.start}
                bin={each}
                x={x(edges[i]!)}
                width={x(edges[i + 1]!) - x(edges[i]!)}
                at={above(each)}
                colour={colourOf(topic)}
              />
            ),
        )}
      </svg>
    </div>
  )
}

/** All of a bin's height can be clicked: it narrows the list of documents. */
function Column({
  bin,
  x,
  width,
  at,
  colour,
}: {
  bin: Bin
  x: number
  width: number
  at: number
  colour: string
}): JSX.Element {
  const choose = () => {
    setParams({ from: bin.start, to: bin.end, show: '' })
    revealNext(() => document.getElementById('topic-documents'))
  }
  const text = `${bin.name}: ${count(bin.documents)} of ${count(bin.all)} documents, ${percent(bin.share)}`
  return (
    <g
      class="topic-bin"
      role="button"
      tabIndex={0}
      aria-label={text}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault()
          choose()
        }
      }}>
      <title>{text}</title>
      <rect x={x} y={SIDE.top} width={width} height={HEIGHT - SIDE.top - SIDE.bottom} fill="transparent" />
      <circle cx={x + width / 2} cy={at} r={3} fill={colour} />
    </g>
  )
}
