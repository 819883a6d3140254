/** Known classes against topics: who went where, and how well they agree. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { chosenCell, withNone, type ClassView } from '../classes'
import type { Classes as Found, Points } from '../payload'
import { count, counted, decimal, percent, plain } from '../format'
import { shades, type Shading } from '../heat'
import { param, setParams } from '../route'
import { rowsWhere } from '../rows'
import { head, nameOf } from '../store'
import { Documents } from '../ui/Documents'
import { Figure } from '../ui/Figure'
import { HeatMap, type CellAt } from '../ui/HeatMap'
import { revealNext } from '../ui/reveal'
import { Sorry, TopicLink, usePoints, useWidth, Wait } from '../ui/small'
import { Table, type ColumnOf } from '../ui/Table'
import './Classes.css'

const WAYS: [Shading, string][] = [
  ['class', 'share of the class'],
  ['topic', 'share of the topic'],
  ['count', 'count'],
]

interface Cell {
  label: string
  topic: number
  n: number
  ofClass: number
  ofTopic: number
  paired: boolean
}

export function Classes(): JSX.Element {
  const found = head.value!.classes!
  const view = useMemo(() => withNone(found), [found])
  const cell = chosenCell(view, head.value!.labels ?? [], param('class'), param('topic'))
  return (
    <>
      <h1>Classes and topics</h1>
      <Summary found={found} />
      <Matrix view={view} cell={cell} />
      {cell && <Chosen view={view} cell={cell} />}
      <Scores found={found} />
    </>
  )
}

const chosenHeading = () => document.querySelector<HTMLElement>('.classes-chosen h2')
const chartHeading = () => document.querySelector<HTMLElement>('figure h2')

function choose(view: ClassView, [row, column]: CellAt): void {
  setParams({ class: head.value!.labels!.indexOf(view.labels[row]!), topic: view.topics[column]! })
  revealNext(chosenHeading)
}

function close(): void {
  setParams({ class: '', topic: '' })
  revealNext(chartHeading)
}

function Summary({ found }: { found: Found }): JSX.Element {
  const view = withNone(found)
  const total = view.totals.reduce((sum, n) => sum + n, 0)
  const stayed = Array.from({ length: view.paired }, (_, i) => view.matrix[i]![i]!).reduce(
    (sum, n) => sum + n,
    0,
  )
  const apart = view.matrix
    .flatMap((row, i) => row.map((n, j) => ({ n, cell: [i, j] as CellAt })))
    .filter(({ cell: [i, j] }) => view.topics[j]! >= 0 && !(i === j && i < view.paired))
    .sort((a, b) => b.n - a.n)[0]
  const cut = found.labels.length < (head.value!.labels?.length ?? 0)
  return (
    <>
      <p class="lede">
        {counted(found.labels.length, 'class', 'classes')} of {counted(total, 'document')} against{' '}
        {counted(found.topics.length, 'topic')}. Each class is paired with at most one topic, so that the
        pairs hold as many documents as possible: {count(stayed)} of them,{' '}
        {percent(total ? stayed / total : 0, 1)}.
        {cut && (
          <> That is of the classes in the matrix; the accuracy below pairs all of them, so it may differ.</>
        )}
        {apart && apart.n > 0 && (
          <>
            {' '}
            Largest crossing:{' '}
            <button type="button" class="classes-link" onClick={() => choose(view, apart.cell)}>
              {counted(apart.n, 'document')} of {plain(view.labels[apart.cell[0]]!, 40)} in{' '}
              {plain(nameOf(view.topics[apart.cell[1]]!), 60)}
            </button>
          </>
        )}
      </p>
      {found.said.map((sentence) => (
        <p key={sentence} class="lede">
          {plain(sentence)}
        </p>
      ))}
    </>
  )
}

function Matrix({ view, cell }: { view: ClassView; cell: CellAt | null }): JSX.Element {
  const by = WAYS.find(([way]) => way === param('by'))?.[0] ?? 'class'
  const shade = useMemo(() => shades(view.matrix, by), [view, by])
  const [box, width] = useWidth()
  const [ofClass, ofTopic] = useMemo(
    () => [shades(view.matrix, 'class'), shades(view.matrix, 'topic')],
    [view],
  )
  const say = ([i, j]: CellAt): string => {
    const n = view.matrix[i]?.[j]
    if (n === undefined) return 'Point at a cell, or walk the cells with the arrow keys.'
    const where = `${counted(n, 'document')} of ${plain(view.labels[i]!, 60)} in ${plain(nameOf(view.topics[j]!), 80)}`
    return `${where}: ${percent(ofClass![i]![j]!)} of the class, ${percent(ofTopic![i]![j]!)} of the topic.`
  }
  return (
    <Figure
      name="classes"
      title="Where the documents of each class went"
      twin={() => <Twin cells={cellsOf(view)} />}
      about={
        'Rows are classes, columns topics, numbers documents; the stronger the colour, the larger the share. ' +
        'Outlined: the topic a class is paired with. A click lists the documents of a cell.'
      }
      controls={
        <fieldset>
          <legend class="unseen">Shade by</legend>
          {WAYS.map(([way, text]) => (
            <button
              key={way}
              type="button"
              aria-pressed={way === by}
              onClick={() => setParams({ by: way === 'class' ? '' : way })}>
              {text}
            </button>
          ))}
        </fieldset>
      }>
      <div ref={box}>
        <HeatMap
          label="Documents of each class in each topic"
          rows={view.labels.map((label) => plain(label, 60))}
          columns={view.topics.map((topic) => plain(nameOf(topic), 60))}
          matrix={view.matrix}
          shade={shade}
          totals={view.totals}
          paired={view.paired}
          chosen={cell}
          room={width}
          say={say}
          pick={(at) => choose(view, at)}
        />
      </div>
    </Figure>
  )
}

function cellsOf(view: ClassView): Cell[] {
  const [ofClass, ofTopic] = [shades(view.matrix, 'class'), shades(view.matrix, 'topic')]
  return view.matrix
    .flatMap((row, i) =>
      row.map((n, j) => ({
        label: view.labels[i]!,
        topic: view.topics[j]!,
        n,
        ofClass: ofClass[i]![j]!,
        ofTopic: ofTopic[i]![j]!,
        paired: i === j && i < view.paired,
      })),
    )
    .filter(({ n }) => n > 0)
}

const CELLS: ColumnOf<Cell>[] = [
  { name: 'class', value: (each) => plain(each.label), show: (each) => plain(each.label, 80) },
  {
    name: 'topic',
    value: (each) => plain(nameOf(each.topic)),
    show: (each) => <TopicLink topic={each.topic} />,
  },
  { name: 'documents', value: (each) => each.n, show: (each) => count(each.n), number: true },
  {
    name: 'share of the class',
    value: (each) => Number(each.ofClass.toFixed(4)),
    show: (each) => percent(each.ofClass),
    number: true,
  },
  {
    name: 'share of the topic',
    value: (each) => Number(each.ofTopic.toFixed(4)),
    show: (each) => percent(each.ofTopic),
    number: true,
  },
  {
    name: 'paired',
    value: (each) => (each.paired ? 'yes' : ''),
    about: 'the topic that the class is paired with',
  },
]

function Twin({ cells }: { cells: Cell[] }): JSX.Element {
  return (
    <Table
      name="class-topic"
      caption="Documents of each class in each topic"
      columns={CELLS}
      rows={cells}
      id={(each) => `${each.topic} ${each.label}`}
      sort="-documents"
      mark={(each) => each.paired}
    />
  )
}

function Chosen({ view, cell }: { view: ClassView; cell: CellAt }): JSX.Element {
  const { value: points, error } = usePoints()
  const [label, topic] = [view.labels[cell[0]]!, view.topics[cell[1]]!]
  return (
    <section class="classes-chosen" aria-label="Documents of the cell">
      <h2>
        {plain(label, 60)} in {topic < 0 ? 'no topic' : plain(nameOf(topic), 80)}
      </h2>
      <p>
        <button type="button" onClick={close}>
          close the list
        </button>
      </p>
      {error && <Sorry>{error}</Sorry>}
      {!points && !error && <Wait />}
      {points && <CellDocuments points={points} label={label} topic={topic} />}
    </section>
  )
}

function CellDocuments({
  points,
  label,
  topic,
}: {
  points: Points
  label: string
  topic: number
}): JSX.Element {
  const rows = useMemo(
    () => rowsWhere(points, { label: head.value!.labels!.indexOf(label), topic }, head.value!.topics.length),
    [points, label, topic],
  )
  return (
    <Documents
      key={`${label} ${topic}`}
      name="cell"
      caption={`Documents of ${plain(label, 60)} in this topic`}
      points={points}
      rows={rows}
      topics={false}
    />
  )
}

function Scores({ found }: { found: Found }): JSX.Element {
  return (
    <section class="classes-scores">
      <h2>How well topics and classes agree</h2>
      <p class="lede">No topic was told of any class: these numbers compare afterwards.</p>
      <Table
        name="scores"
        caption="Scores of topics against classes"
        rows={found.scores}
        id={(each) => each.key}
        columns={[
          { name: 'score', value: (each) => each.name },
          {
            name: 'value',
            value: (each) => each.value,
            show: (each) => decimal(each.value, 3),
            number: true,
          },
          { name: 'meaning', value: (each) => each.meaning },
          { name: 'better', value: (each) => each.better },
        ]}
      />
    </section>
  )
}
