/** Two runs over the same documents: which topics are the same, and where documents went. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Compare as Found, Points } from '../payload'
import { flowsOf, forced, formatFlow, listable, moves, parseFlow, rowsOfFlow, type Flow } from '../flows'
import { count, counted, decimal, percent, plain } from '../format'
import { param, setParams } from '../route'
import { head, nameOf, topicOf } from '../store'
import { Documents } from '../ui/Documents'
import { Figure } from '../ui/Figure'
import { revealNext } from '../ui/reveal'
import { Empty, Meter, Sorry, TopicLink, useAllPoints, Wait } from '../ui/small'
import { Table, TakeTable, type ColumnOf } from '../ui/Table'
import { FlowChart, otherName } from './CompareFlows'
import './Compare.css'

export function Compare(): JSX.Element {
  const found = head.value!.compare!
  const flows = useMemo(() => flowsOf(found.matrix, found.matches), [found])
  const canList = useMemo(() => listable(found.moved, sizeHere), [found])
  const wanted = parseFlow(param('flow'))
  const chosen = flows.find((flow) => flow.here === wanted?.here && flow.there === wanted.there) ?? null
  const pick = (flow: Flow | null) => {
    setParams({ flow: flow ? formatFlow(flow) : '', 'moved.page': '' })
    revealNext(() => document.querySelector<HTMLElement>('.compare-moved h2'))
  }
  const listed = <Listed found={found} chosen={chosen} canList={canList} close={() => pick(null)} /> // what was asked for stands below the chart
  return (
    <>
      <h1>Compared with {plain(found.title, 60)}</h1>
      <Summary found={found} flows={flows} />
      <Figure
        name="flows"
        title="Where documents went"
        about={<HowToRead found={found} all={flows.every(canList)} />}
        twin={() => <FlowTable found={found} flows={flows} canList={canList} pick={pick} />}>
        <FlowChart found={found} flows={flows} chosen={chosen} canList={canList} pick={pick} />
      </Figure>
      {chosen && listed}
      <Matched found={found} />
      <Alone found={found} />
      {!chosen && listed}
    </>
  )
}

/** Documents of a topic of this run, or of none. */
const sizeHere = (topic: number): number => (topic < 0 ? head.value!.unassigned : (topicOf(topic)?.size ?? 0))

function HowToRead({ found, all }: { found: Found; all: boolean }): JSX.Element {
  return (
    <>
      Left the topics here, right those of {plain(found.title, 60)}; a ribbon is as thick as the documents
      that both ends share. Pale ribbons join partners, strong ones are documents that moved, grey hairs are
      few. A click on a ribbon lists its documents
      {all ? '' : ', where the hand shows: documents that stayed are not known one by one in every topic'}.
    </>
  )
}

/** What an agreement of so much means, in words. */
function agreement(ari: number): string {
  return ari >= 0.9
    ? 'nearly the same topics'
    : ari >= 0.6
      ? 'largely the same topics'
      : ari >= 0.3
        ? 'partly the same topics'
        : 'rather different topics'
}

function Summary({ found, flows }: { found: Found; flows: Flow[] }): JSX.Element {
  const { shared, only_here, only_there, n_moved, ari, nmi } = found
  const alone = [
    only_here && `${counted(only_here, 'document')} only here`,
    only_there && `${count(only_there)} only there`,
  ]
    .filter(Boolean)
    .join(', ')
  const paired = found.matches.filter(({ here, there }) => here >= 0 && there >= 0).length
  return (
    <>
      <p class="compare-summary">
        {counted(shared, 'document')} {shared === 1 ? 'is' : 'are'} in both runs{alone ? ` (${alone})` : ''},
        which found {agreement(ari)}. {count(n_moved)} of them ({percent(shared ? n_moved / shared : 0)})
        moved: they are in a topic there that is not the partner of theirs here.
        <Forced
          n={forced(flows, found.matches)}
          here={head.value!.topics.length}
          there={found.topics.length}
        />
      </p>
      <dl class="compare-facts">
        <div>
          <dt>ARI</dt>
          <dd>
            <strong>{decimal(ari, 3)}</strong> pairs of documents that both runs treat alike: 1 all of them, 0
            as many as by chance
          </dd>
        </div>
        <div>
          <dt>NMI</dt>
          <dd>
            <strong>{decimal(nmi, 3)}</strong> what one run’s topics tell about the other’s: 1 everything, 0
            nothing
          </dd>
        </div>
        <div>
          <dt>Topics</dt>
          <dd>
            <strong>
              {count(head.value!.topics.length)} ↔ {count(found.topics.length)}
            </strong>{' '}
            here and there; {count(paired)} have a partner
          </dd>
        </div>
      </dl>
    </>
  )
}

/** Of runs with different numbers of topics, how many documents had no way to stay. */
function Forced({ n, here, there }: { n: number; here: number; there: number }): JSX.Element | null {
  if (here === there || !n) return null
  return (
    <>
      {' '}
      With {counted(here, 'topic')} here and {count(there)} there, some topics can have no partner; {count(n)}{' '}
      of those that moved are in such a topic, here or there.
    </>
  )
}

interface FlowTableProps {
  found: Found
  flows: Flow[]
  canList(flow: Flow): boolean
  pick(flow: Flow): void
}

function FlowTable({ found, flows, canList, pick }: FlowTableProps): JSX.Element {
  const columns: ColumnOf<Flow>[] = [
    {
      name: 'here',
      value: (flow) => plain(nameOf(flow.here)),
      show: (flow) => <TopicLink topic={flow.here} />,
    },
    { name: 'there', value: (flow) => otherName(found, flow.there) },
    { name: 'documents', value: (flow) => flow.n, show: (flow) => count(flow.n), number: true },
    {
      name: 'what',
      value: (flow) =>
        flow.stayed
          ? 'stayed'
          : flow.here < 0
            ? 'found a topic'
            : flow.there < 0
              ? 'lost its topic'
              : 'moved',
    },
    {
      name: 'list',
      value: (flow) => formatFlow(flow),
      show: (flow) =>
        canList(flow) ? (
          <button type="button" onClick={() => pick(flow)}>
            show them
          </button>
        ) : null,
    },
  ]
  return (
    <Table
      name="flow-table"
      caption="Documents by topic here and there"
      columns={columns}
      rows={flows}
      id={(flow) => formatFlow(flow)}
      sort="-documents"
      mark={(flow) => flow.stayed}
    />
  )
}

interface ListedProps {
  found: Found
  chosen: Flow | null
  canList(flow: Flow): boolean
  close(): void
}

/** The documents of a ribbon, or all that moved. */
function Listed({ found, chosen, canList, close }: ListedProps): JSX.Element {
  const { value: points, error } = useAllPoints()
  const here = !chosen || canList(chosen)
  const known = found.moved.length
  return (
    <section class="compare-moved">
      <h2>
        {!chosen || moves(chosen)
          ? 'Documents that moved'
          : chosen.stayed
            ? 'Documents that stayed'
            : 'Documents without a topic in one run'}
      </h2>
      <p class="lede">
        {chosen ? (
          <>
            {counted(chosen.n, 'document')} from <b>{plain(nameOf(chosen.here), 80)}</b> →{' '}
            <b>{otherName(found, chosen.there)}</b>.{' '}
            <button type="button" onClick={close}>
              all that moved
            </button>
          </>
        ) : (
          <>{counted(found.n_moved, 'document')}, the firmest members of their topics here first.</>
        )}
        {known < found.n_moved && (!chosen || moves(chosen)) && (
          <>
            {' '}
            Only {count(known)} of all {count(found.n_moved)} that moved are on this page;{' '}
            <code>quire compare</code> lists every one.
          </>
        )}
      </p>
      {error && <Sorry>{error}</Sorry>}
      {!here && (
        <Empty>
          Which ones they are is not on this page: only documents that moved are known one by one.
        </Empty>
      )}
      {here && !points && !error && <Wait />}
      {here && points && <FlowDocuments found={found} chosen={chosen} points={points} />}
    </section>
  )
}

function FlowDocuments({
  found,
  chosen,
  points,
}: {
  found: Found
  chosen: Flow | null
  points: Points
}): JSX.Element {
  const key = chosen ? formatFlow(chosen) : ''
  const rows = useMemo(
    () => (chosen ? rowsOfFlow(chosen, found.moved, points.topic) : found.moved.map(([row]) => row)),
    [found, points, key],
  )
  const went = useMemo(() => new Map(found.moved.map(([row, , there]) => [row, there])), [found])
  const there = (row: number) => went.get(row) ?? chosen?.there ?? -1
  return (
    <Documents
      key={key}
      name="moved"
      caption={chosen?.stayed ? 'Documents that stayed' : 'Documents that moved'}
      points={points}
      rows={rows}
      order="typical"
      note={(row) => <>→ {otherName(found, there(row))}</>}
      also={[
        { name: 'topic_there', value: there },
        { name: 'name_there', value: (row) => otherName(found, there(row)) },
      ]}
    />
  )
}

type Pair = Found['matches'][number]

function Matched({ found }: { found: Found }): JSX.Element {
  const pairs = found.matches.filter(({ here, there }) => here >= 0 && there >= 0)
  const size = (pair: Pair) => found.topics[pair.there]?.size ?? 0
  const columns: ColumnOf<Pair>[] = [
    {
      name: 'here',
      value: (pair) => plain(nameOf(pair.here)),
      show: (pair) => <Topic pair={pair} found={found} side="here" />,
    },
    {
      name: 'there',
      value: (pair) => otherName(found, pair.there),
      show: (pair) => <Topic pair={pair} found={found} side="there" />,
    },
    {
      name: 'size here',
      value: (pair) => topicOf(pair.here)?.size ?? 0,
      show: (pair) => count(topicOf(pair.here)?.size ?? 0),
      number: true,
    },
    { name: 'size there', value: size, show: (pair) => count(size(pair)), number: true },
    { name: 'in both', value: (pair) => pair.both, show: (pair) => count(pair.both), number: true },
    {
      name: 'overlap',
      value: (pair) => pair.jaccard,
      show: (pair) => <Meter share={pair.jaccard} />,
      down: true,
      about: 'Jaccard: documents in both topics, of those in either',
    },
  ]
  const also: ColumnOf<Pair>[] = [
    { name: 'keywords here', value: (pair) => words(pair, found, 'here').join(' · ') },
    { name: 'keywords there', value: (pair) => words(pair, found, 'there').join(' · ') },
  ]
  return (
    <section>
      <h2>Topics and their partners</h2>
      <p class="lede">
        Each topic is paired with at most one of the other run, so that pairs share as many documents as
        possible. Keywords of both are marked; overlap is the share of documents in either topic that are in
        both.
      </p>
      <div class="compare-pairs">
        <Table
          name="matches"
          caption="Matched topics"
          columns={columns}
          also={also}
          rows={pairs}
          id={(pair) => pair.here}
        />
      </div>
    </section>
  )
}

function words({ here, there }: Pair, found: Found, side: 'here' | 'there'): string[] {
  return side === 'here'
    ? (topicOf(here)?.keywords ?? []).slice(0, 10).map(([word]) => word)
    : (found.topics[there]?.keywords ?? [])
}

function Topic({ pair, found, side }: { pair: Pair; found: Found; side: 'here' | 'there' }): JSX.Element {
  const both = new Set(pair.words)
  return (
    <div class="compare-topic">
      {side === 'here' ? <TopicLink topic={pair.here} /> : <span>{otherName(found, pair.there)}</span>}
      <p class="compare-words">
        {words(pair, found, side).map((word, i) => (
          <span key={`${i} ${word}`}>
            {both.has(word) ? <mark>{plain(word, 40)}</mark> : plain(word, 40)}{' '}
          </span>
        ))}
      </p>
    </div>
  )
}

function Alone({ found }: { found: Found }): JSX.Element | null {
  const alone = found.matches
    .filter(({ here, there }) => here < 0 || there < 0)
    .map((pair) => aloneOf(pair, found))
  if (!alone.length) return null
  return (
    <section>
      <div class="heading">
        <h2>Topics without a partner</h2>
        <TakeTable name="without-partner" columns={ALONE} rows={() => alone} />
      </div>
      <ul class="compare-alone">
        {alone.map(({ run, topic, name, size, keywords }) => (
          <li key={`${run} ${topic}`}>
            {run === 'here' ? <TopicLink topic={topic} /> : name}{' '}
            <span class="none">
              {run}, {counted(size, 'document')}
            </span>
            <p class="compare-words">{keywords.map((word) => plain(word, 40)).join(', ')}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface Lone {
  run: 'here' | 'there'
  topic: number
  name: string
  size: number
  keywords: string[]
}

function aloneOf(pair: Pair, found: Found): Lone {
  const run = pair.here >= 0 ? 'here' : 'there'
  const topic = pair[run]
  const name = run === 'here' ? plain(nameOf(topic), 80) : otherName(found, topic)
  return {
    run,
    topic,
    name,
    size: run === 'here' ? sizeHere(topic) : (found.topics[topic]?.size ?? 0),
    keywords: words(pair, found, run),
  }
}

const ALONE: ColumnOf<Lone>[] = [
  { name: 'run', value: (each) => each.run },
  { name: 'topic', value: (each) => each.topic },
  { name: 'name', value: (each) => each.name },
  { name: 'documents', value: (each) => each.size },
  { name: 'keywords', value: (each) => each.keywords.join(' · ') },
]
