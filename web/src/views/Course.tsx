/** A topic over time: its share of the documents of each bin. */
import { area, curveMonotoneX, line } from 'd3-shape'
import type { JSX } from 'preact'
import { colourOf } from '../colour'
import { binName, count, percent, plain } from '../format'
import type { Topic } from '../payload'
import { totalsOf } from '../relevance'
import { href, setParams } from '../route'
import { head, nameOf } from '../store'
import { Figure } from '../ui/Figure'
import { Table } from '../ui/Table'
import { allTopics, useWidth } from '../ui/small'

const HEIGHT = 150
const SIDE = { top: 10, right: 6, bottom: 22, left: 40 }

interface Bin { start: string; end: string; name: string; documents: number; all: number; share: number }

/** Bins with the topic's documents and those of all topics; a bin ends where the next begins, the last is open. */
function binsOf(topic: Topic): Bin[] {
  const { bin, starts } = head.value!.spark!
  const totals = totalsOf(allTopics())
  return starts.map((start, i) => {
    const documents = topic.spark?.[i] ?? 0
    const all = totals[i] ?? 0
    return { start, end: starts[i + 1] ?? '', name: binName(start, bin), documents, all, share: all ? documents / all : 0 }
  })
}

export function Course({ topic }: { topic: Topic }): JSX.Element {
  const bins = binsOf(topic)
  return (
    <Figure name="course" title="Share over time" about={<>Its share of all documents with a topic, by {head.value!.spark!.bin}. A column leads to its documents; <a href={href('time')}>all topics over time</a>.</>}
      twin={() => (
        <Table name="course" caption="Documents over time" rows={bins} id={(each) => each.start} columns={[
          { name: 'time', value: (each) => each.start, show: (each) => each.name },
          { name: 'documents', number: true, value: (each) => each.documents, show: (each) => count(each.documents) },
          { name: 'of', number: true, value: (each) => each.all, show: (each) => count(each.all), about: 'documents of all topics' },
          { name: 'share', number: true, value: (each) => Number(each.share.toFixed(5)), show: (each) => percent(each.share) },
        ]} />
      )}>
      <Curve topic={topic.topic} bins={bins} />
    </Figure>
  )
}

function Curve({ topic, bins }: { topic: number; bins: Bin[] }): JSX.Element {
  const [place, width] = useWidth(500)
  const most = Math.max(...bins.map((each) => each.share), 0.01)
  const step = (width - SIDE.left - SIDE.right) / Math.max(1, bins.length)
  const x = (_: Bin, i: number) => SIDE.left + (i + 0.5) * step
  const y = (share: number) => HEIGHT - SIDE.bottom - (share / most) * (HEIGHT - SIDE.top - SIDE.bottom)
  const above = (each: Bin) => y(each.share)
  const every = Math.max(1, Math.ceil(76 / step))
  return (
    <div ref={place}>
      <svg width={width} height={HEIGHT} role="group" aria-label={`Share of ${plain(nameOf(topic), 80)} over time`}>
        <g class="grid">{[most / 2, most].map((share) => <line key={share} x1={SIDE.left} x2={width - SIDE.right} y1={y(share)} y2={y(share)} />)}</g>
        <g class="axis">
          {[0, most / 2, most].map((share) => <text key={share} x={SIDE.left - 6} y={y(share) + 4} text-anchor="end">{percent(share)}</text>)}
          {bins.map((each, i) => (i % every === 0 && <text key={each.start} x={x(each, i)} y={HEIGHT - 6} text-anchor={i === 0 ? 'start' : 'middle'}>{each.name}</text>))}
          <line x1={SIDE.left} x2={width - SIDE.right} y1={y(0)} y2={y(0)} />
        </g>
        <path d={area<Bin>().x(x).y0(y(0)).y1(above).curve(curveMonotoneX)(bins) ?? ''} fill={colourOf(topic)} fill-opacity="0.22" />
        <path d={line<Bin>().x(x).y(above).curve(curveMonotoneX)(bins) ?? ''} fill="none" stroke={colourOf(topic)} stroke-width="1.8" />
        {bins.map((each, i) => each.documents > 0 && <Column key={each.start} bin={each} x={SIDE.left + i * step} width={step} at={above(each)} colour={colourOf(topic)} />)}
      </svg>
    </div>
  )
}

/** All of a bin's height can be clicked: it narrows the list of documents. */
function Column({ bin, x, width, at, colour }: { bin: Bin; x: number; width: number; at: number; colour: string }): JSX.Element {
  const choose = () => {
    setParams({ from: bin.start, to: bin.end, show: '' })
    document.getElementById('topic-documents')?.scrollIntoView({ block: 'start' })
  }
  const text = `${bin.name}: ${count(bin.documents)} of ${count(bin.all)} documents, ${percent(bin.share)}`
  return (
    <g class="topic-bin" role="button" tabIndex={0} aria-label={text} onClick={choose}
      onKeyDown={(event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose() } }}>
      <title>{text}</title>
      <rect x={x} y={SIDE.top} width={width} height={HEIGHT - SIDE.top - SIDE.bottom} fill="transparent" />
      <circle cx={x + width / 2} cy={at} r={3} fill={colour} />
    </g>
  )
}
