/** Two runs over the same documents: which topics are the same, and where documents went. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Compare as Found, Points } from '../payload'
import { flowsOf, formatFlow, parseFlow, type Flow } from '../flows'
import { count, counted, decimal, percent, plain } from '../format'
import { param, setParams } from '../route'
import { head, nameOf, topicOf } from '../store'
import { Documents } from '../ui/Documents'
import { Figure } from '../ui/Figure'
import { Empty, Meter, Sorry, TopicLink, usePoints, Wait } from '../ui/small'
import { Table, type ColumnOf } from '../ui/Table'
import { FlowChart } from './CompareFlows'
import './Compare.css'

/** The name of a topic of the other run. */
export const otherName = (found: Found, topic: number): string => (topic < 0 ? 'no topic' : plain(found.topics[topic]?.name ?? `topic ${topic}`, 80))

export function Compare(): JSX.Element {
  const found = head.value!.compare!
  const flows = useMemo(() => flowsOf(found.matrix, found.matches), [found])
  const wanted = parseFlow(param('flow'))
  const chosen = wanted ? flows.find((flow) => flow.here === wanted.here && flow.there === wanted.there) ?? null : null
  const pick = (flow: Flow | null) => setParams({ flow: flow ? formatFlow(flow) : '' })
  const moved = <Moved found={found} chosen={chosen} close={() => pick(null)} /> // what was asked for stands below the chart
  return (
    <>
      <h1>Compared with {plain(found.title, 60)}</h1>
      <Summary found={found} />
      <Figure name="flows" title="Where documents went" twin={() => <FlowTable found={found} flows={flows} pick={pick} />}
        about={`Left the topics here, right those of ${plain(found.title, 60)}; a ribbon is as thick as the documents that both ends share. Pale ribbons join partners, strong ones are documents that moved, grey hairs are few. A click lists the documents.`}>
        <FlowChart found={found} flows={flows} chosen={chosen} pick={pick} />
      </Figure>
      {chosen && moved}
      <Matched found={found} />
      <Alone found={found} />
      {!chosen && moved}
    </>
  )
}

/** What an agreement of so much means, in words. */
function agreement(ari: number): string {
  return ari >= 0.9 ? 'nearly the same topics' : ari >= 0.6 ? 'largely the same topics' : ari >= 0.3 ? 'partly the same topics' : 'rather different topics'
}

function Summary({ found }: { found: Found }): JSX.Element {
  const { shared, only_here, only_there, n_moved, ari, nmi } = found
  const alone = [only_here && `${counted(only_here, 'document')} only here`, only_there && `${count(only_there)} only there`].filter(Boolean).join(', ')
  return (
    <>
      <p class="compare-summary">
        {counted(shared, 'document')} {shared === 1 ? 'is' : 'are'} in both runs{alone ? ` (${alone})` : ''}; {count(n_moved)} of them ({percent(shared ? n_moved / shared : 0)}) moved
        to a topic that is not the partner of theirs: {agreement(ari)}.
      </p>
      <dl class="compare-facts">
        <div><dt>ARI</dt><dd><strong>{decimal(ari, 3)}</strong> pairs of documents that both runs treat alike: 1 all of them, 0 as many as by chance</dd></div>
        <div><dt>NMI</dt><dd><strong>{decimal(nmi, 3)}</strong> what one run’s topics tell about the other’s: 1 everything, 0 nothing</dd></div>
        <div><dt>Topics</dt><dd><strong>{count(head.value!.topics.length)} ↔ {count(found.topics.length)}</strong> here and there; {count(found.matches.filter(({ here, there }) => here >= 0 && there >= 0).length)} have a partner</dd></div>
      </dl>
    </>
  )
}

function FlowTable({ found, flows, pick }: { found: Found; flows: Flow[]; pick(flow: Flow): void }): JSX.Element {
  const columns: ColumnOf<Flow>[] = [
    { name: 'here', value: (flow) => plain(nameOf(flow.here)), show: (flow) => <TopicLink topic={flow.here} /> },
    { name: 'there', value: (flow) => otherName(found, flow.there) },
    { name: 'documents', value: (flow) => flow.n, show: (flow) => count(flow.n), number: true },
    { name: 'what', value: (flow) => (flow.stayed ? 'stayed' : flow.here < 0 ? 'found a topic' : flow.there < 0 ? 'lost its topic' : 'moved') },
    { name: 'list', value: (flow) => formatFlow(flow), show: (flow) => (moves(flow) ? <button type="button" onClick={() => pick(flow)}>show them</button> : null) },
  ]
  return <Table name="flow-table" caption="Documents by topic here and there" columns={columns} rows={flows} id={(flow) => formatFlow(flow)} sort="-documents" mark={(flow) => flow.stayed} />
}

const moves = (flow: Flow): boolean => !flow.stayed && flow.here >= 0 && flow.there >= 0

function Moved({ found, chosen, close }: { found: Found; chosen: Flow | null; close(): void }): JSX.Element {
  const { value: points, error } = usePoints()
  const listed = found.moved.length
  return (
    <section class="compare-moved">
      <h2>Documents that moved</h2>
      <p class="lede">
        {chosen
          ? <>{counted(chosen.n, 'document')} from <b>{plain(nameOf(chosen.here), 80)}</b> → <b>{otherName(found, chosen.there)}</b>. <button type="button" onClick={close}>all that moved</button></>
          : <>{counted(found.n_moved, 'document')}, the firmest members of their topics here first.</>}
        {listed < found.n_moved && <> Only {count(listed)} of all {count(found.n_moved)} are on this page; <code>quire compare</code> lists every one.</>}
      </p>
      {error && <Sorry>{error}</Sorry>}
      {chosen && !moves(chosen) && <Empty>{chosen.stayed ? 'These documents stayed with the partner of their topic.' : 'These documents have no topic in one of the runs.'} Only documents that moved are listed.</Empty>}
      {!points && !error && <Wait />}
      {points && !(chosen && !moves(chosen)) && <MovedList found={found} chosen={chosen} points={points} />}
    </section>
  )
}

function MovedList({ found, chosen, points }: { found: Found; chosen: Flow | null; points: Points }): JSX.Element {
  const [from, to] = [chosen?.here, chosen?.there]
  const rows = useMemo(() => found.moved.filter(([, here, there]) => from === undefined || (here === from && there === to)).map(([row]) => row), [found, from, to])
  const went = useMemo(() => new Map(found.moved.map(([row, , there]) => [row, there])), [found])
  return <Documents key={`${from} ${to}`} name="moved" caption="Documents that moved" points={points} rows={rows} order="typical"
    note={(row) => <>→ {otherName(found, went.get(row) ?? -1)}</>} />
}

type Pair = Found['matches'][number]

function Matched({ found }: { found: Found }): JSX.Element {
  const pairs = found.matches.filter(({ here, there }) => here >= 0 && there >= 0)
  const size = (pair: Pair) => found.topics[pair.there]?.size ?? 0
  const columns: ColumnOf<Pair>[] = [
    { name: 'here', value: (pair) => plain(nameOf(pair.here)), show: (pair) => <Topic pair={pair} found={found} side="here" /> },
    { name: 'there', value: (pair) => otherName(found, pair.there), show: (pair) => <Topic pair={pair} found={found} side="there" /> },
    { name: 'size here', value: (pair) => topicOf(pair.here)?.size ?? 0, show: (pair) => count(topicOf(pair.here)?.size ?? 0), number: true },
    { name: 'size there', value: size, show: (pair) => count(size(pair)), number: true },
    { name: 'in both', value: (pair) => pair.both, show: (pair) => count(pair.both), number: true },
    { name: 'overlap', value: (pair) => pair.jaccard, show: (pair) => <Meter share={pair.jaccard} />, about: 'Jaccard: documents in both topics, of those in either', down: true },
  ]
  const also: ColumnOf<Pair>[] = [
    { name: 'keywords here', value: (pair) => words(pair, found, 'here').join(' · ') }, { name: 'keywords there', value: (pair) => words(pair, found, 'there').join(' · ') },
  ]
  return (
    <section>
      <h2>Topics and their partners</h2>
      <p class="lede">Each topic is paired with at most one of the other run, so that pairs share as many documents as possible. Keywords of both are marked; overlap is the share of documents in either topic that are in both.</p>
      <div class="compare-pairs"><Table name="matches" caption="Matched topics" columns={columns} also={also} rows={pairs} id={(pair) => pair.here} /></div>
    </section>
  )
}

function words({ here, there }: Pair, found: Found, side: 'here' | 'there'): string[] {
  return side === 'here' ? (topicOf(here)?.keywords ?? []).slice(0, 10).map(([word]) => word) : (found.topics[there]?.keywords ?? [])
}

function Topic({ pair, found, side }: { pair: Pair; found: Found; side: 'here' | 'there' }): JSX.Element {
  const both = new Set(pair.words)
  return (
    <div class="compare-topic">
      {side === 'here' ? <TopicLink topic={pair.here} /> : <span>{otherName(found, pair.there)}</span>}
      <p class="compare-words">
        {words(pair, found, side).map((word, i) => <span key={`${i} ${word}`}>{both.has(word) ? <mark>{plain(word, 40)}</mark> : plain(word, 40)} </span>)}
      </p>
    </div>
  )
}

function Alone({ found }: { found: Found }): JSX.Element | null {
  const alone = found.matches.filter(({ here, there }) => here < 0 || there < 0)
  if (!alone.length) return null
  return (
    <section>
      <h2>Topics without a partner</h2>
      <ul class="compare-alone">
        {alone.map((pair) => (
          <li key={`${pair.here} ${pair.there}`}>
            {pair.here >= 0
              ? <><TopicLink topic={pair.here} /> <span class="none">here, {counted(topicOf(pair.here)?.size ?? 0, 'document')}</span></>
              : <>{otherName(found, pair.there)} <span class="none">there, {counted(found.topics[pair.there]?.size ?? 0, 'document')}</span></>}
            <p class="compare-words">{words(pair, found, pair.here >= 0 ? 'here' : 'there').map((word) => plain(word, 40)).join(', ')}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
