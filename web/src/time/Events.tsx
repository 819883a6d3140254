/** What grew most in all the time or in one period, and why: the words that grew, and documents. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { binName, counted, daysOfIso, decimal, plain } from '../format'
import type { Bin, Binned, Listed } from '../payload'
import { href, param, setParams } from '../route'
import { orderRows, rowsWhere } from '../rows'
import { head, source } from '../store'
import { nextStart, type Cell } from '../stream'
import { documentTitle } from '../ui/Documents'
import { Empty, TopicLink, useAnswer, usePoints, Word } from '../ui/small'
import { eventsOf, type Growth } from './events'

const MOST = 6
const SHOWN = 2 // documents of each
const MANY = 200_000 // documents; where there are more, their points are not fetched for a few titles

interface EventsProps {
  binned: Binned
  bin: Bin
  choose(cell: Cell): void
}

export function Events({ binned, bin, choose }: EventsProps): JSX.Element {
  const only = binned.starts.indexOf(param('grew'))
  const events = useMemo(() => eventsOf(binned, MOST, only), [binned, only])
  const name = (at: number) => binName(binned.starts[at]!, bin)
  return (
    <section class="time-events" aria-labelledby="time-events">
      <h2 id="time-events">What grew most</h2>
      <p class="controls">
        <label>
          in{' '}
          <select
            value={only < 0 ? '' : param('grew')}
            onChange={(event) => setParams({ grew: event.currentTarget.value })}>
            <option value="">all the time</option>
            {binned.starts.map((start, at) => (
              <option key={start} value={start}>
                {name(at)}
              </option>
            ))}
          </select>
        </label>
      </p>
      {!events.length ? (
        <Empty>No topic had clearly more documents than the time before let expect.</Empty>
      ) : head.value!.n > MANY ? (
        <List events={events} name={name} choose={choose} documents={[]} />
      ) : (
        <Read events={events} name={name} choose={choose} binned={binned} bin={bin} />
      )}
    </section>
  )
}

interface ListProps {
  events: Growth[]
  name(bin: number): string
  choose(cell: Cell): void
}

/** With the most typical documents of each event. */
function Read({ binned, bin, ...rest }: ListProps & { binned: Binned; bin: Bin }): JSX.Element {
  const { value: points } = usePoints()
  const rows = useMemo(
    () =>
      rest.events.map(({ topic, bin: at }) => {
        const from = binned.starts[at]!
        const days = { from: daysOfIso(from), to: daysOfIso(nextStart(from, bin)) }
        return points
          ? [...orderRows(rowsWhere(points, { topic, ...days }), points, 'typical')].slice(0, SHOWN)
          : []
      }),
    [points, rest.events, binned, bin],
  )
  const asked = rows.flat()
  const { value: listed } = useAnswer(asked.join(), async () => (asked.length ? source.listed(asked) : []))
  const known = new Map(listed?.map((each) => [each.row, each]))
  return <List {...rest} documents={rows.map((own) => own.flatMap((row) => known.get(row) ?? []))} />
}

function List({ events, name, choose, documents }: ListProps & { documents: Listed[][] }): JSX.Element {
  return (
    <ol>
      {events.map((each, i) => (
        <li key={`${each.topic} ${each.bin}`}>
          <TopicLink topic={each.topic} />{' '}
          <button type="button" class="time-when" onClick={() => choose(each)}>
            {name(each.bin)}
          </button>
          <p>
            {counted(each.documents, 'document')}, where the time before let expect{' '}
            {decimal(each.expected, each.expected < 10 ? 1 : 0)}
            {each.words.length > 0 && '; words that grew: '}
            {each.words.map((word, place) => (
              <span key={word}>
                {place > 0 && ', '}
                <Word word={word} />
              </span>
            ))}
          </p>
          {documents[i]?.length ? (
            <ul>
              {documents[i].map((one) => (
                <li key={one.row}>
                  <a href={href('document', one.row)}>{plain(documentTitle(one), 90)}</a>
                </li>
              ))}
            </ul>
          ) : null}
        </li>
      ))}
    </ol>
  )
}
