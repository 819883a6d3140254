/** What lies inside the line: how many of which topics and classes, and the documents. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { count, counted as counting, percent, plain } from '../format'
import type { Points } from '../payload'
import { NO_LABEL } from '../rows'
import { head, nameOf } from '../store'
import { Documents } from '../ui/Documents'
import { TopicLink } from '../ui/small'
import { Table } from '../ui/Table'
import type { Place } from './camera'
import { counted, inside } from './lasso'

interface Part {
  code: number
  documents: number
  whole: number
}

export function Selection({
  points,
  lasso,
  only,
  clear,
}: {
  points: Points
  lasso: Place[]
  only: number[]
  clear(): void
}): JSX.Element {
  const rows = useMemo(() => {
    const found = inside(lasso, points.x, points.y)
    const topics = head.value!.topics.length
    return found.filter(
      (row) => points.topic[row]! < topics && (!only.length || only.includes(points.topic[row]!)),
    )
  }, [points, lasso, only.join()])
  const byTopic = partsOf(
    counted(rows, points.topic),
    (topic) => head.value!.topics[topic]?.size ?? head.value!.unassigned,
  )
  const byClass = useMemo(() => {
    if (!points.label) return []
    const whole = new Map<number, number>()
    for (const label of points.label) whole.set(label, (whole.get(label) ?? 0) + 1)
    return partsOf(counted(rows, points.label), (label) => whole.get(label) ?? 0)
  }, [rows, points])
  const className = (label: number) =>
    label === NO_LABEL ? 'no class' : plain(head.value!.labels?.[label] ?? `class ${label}`, 60)
  return (
    <section class="map-selection" aria-label="Inside the line">
      <h2>{counting(rows.length, 'document')} inside the line</h2>
      <div class="controls">
        <button type="button" onClick={clear}>
          clear
        </button>
      </div>
      {rows.length > 0 && (
        <div class="map-parts">
          <Parts
            name="inside-topics"
            what="topic"
            parts={byTopic}
            total={rows.length}
            show={(topic) => <TopicLink topic={topic} />}
            text={nameOf}
          />
          {byClass.length > 0 && (
            <Parts
              name="inside-classes"
              what="class"
              parts={byClass}
              total={rows.length}
              show={className}
              text={className}
            />
          )}
        </div>
      )}
      <Documents
        name="inside"
        caption="Documents inside the line"
        points={points}
        rows={rows}
        order="membership"
      />
    </section>
  )
}

function partsOf(found: Map<number, number>, whole: (code: number) => number): Part[] {
  return [...found]
    .map(([code, documents]) => ({ code, documents, whole: whole(code) }))
    .sort((a, b) => b.documents - a.documents)
}

const ofWhole = (part: Part): number | null => (part.whole ? part.documents / part.whole : null)

interface PartsProps {
  name: string
  what: string
  parts: Part[]
  total: number
  show(code: number): JSX.Element | string
  text(code: number): string
}

function Parts({ name, what, parts, total, show, text }: PartsProps): JSX.Element {
  return (
    <Table<Part>
      name={name}
      caption={`Documents inside the line by ${what}`}
      rows={parts}
      id={(part) => part.code}
      page={5}
      columns={[
        { name: what, value: (part) => text(part.code), show: (part) => show(part.code) },
        {
          name: 'inside',
          value: (part) => part.documents,
          show: (part) => count(part.documents),
          number: true,
        },
        {
          name: 'of the line',
          value: (part) => part.documents / total,
          show: (part) => percent(part.documents / total),
          number: true,
          about: `the share of the documents inside the line that have this ${what}`,
        },
        {
          name: `of the ${what}`,
          value: ofWhole,
          show: (part) => (part.whole ? percent(ofWhole(part)!) : '–'),
          number: true,
          about: `the share of all documents of this ${what} that lie inside the line`,
        },
      ]}
    />
  )
}
