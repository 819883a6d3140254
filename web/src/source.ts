/** Where the payload comes from: the file itself, or the server that sent the page. Nothing else knows which. */
import { wordsWanted } from './find'
import type { Found, Full, Head, Listed, Points, Terms, Time, Whole } from './payload'
import { block, MOST_SIMILAR, need, once, fitting, searchShelf, shelfOf, type Shelf } from './shelf'
import { readPoints, readRows, unpackBytes, unpackJson } from './unpack'

export interface Source {
  kind: 'file' | 'http'
  head(): Promise<Head>
  terms(): Promise<Terms>
  time(): Promise<Time | null>
  points(): Promise<Points>
  /** In the order asked for. */
  listed(rows: number[]): Promise<Listed[]>
  whole(row: number): Promise<Whole>
  /** In the order asked for, with all columns; texts that a file does not hold are null. */
  full(rows: number[]): Promise<Full[]>
  /** Documents that hold the words asked for: in the file among ids, titles and the texts it holds. */
  search(words: string): Promise<Found>
  /** Every document, of so many, that holds all the words: 1 or 0 a document. */
  rowsWith(words: string, n: number): Promise<Uint8Array>
  /** Documents, among those of which texts are there, that hold most of some words, the rarest counting most; best first. */
  similar(words: string[], but: number): Promise<Found>
  /** Edit the run, of which so many edits are known; returns its head as it is then. */
  edit(version: number, what: string, given: object): Promise<Head>
  /** The same documents in another number of topics, one of `Head.cuts`; NaN: the run's own, asked for anew. */
  at(cut: number): Source
}

export function findSource(): Source {
  const described = block('quire-source')
  if (described) return httpSource((JSON.parse(described) as { token: string }).token)
  return fileSource()
}

/** Rows that the server is asked for at a time. */
const ASKED = 200

const UNKNOWN = { text: null, label: null, date: null }

function fileSource(): Source {
  const head = once(async () => JSON.parse(need('quire-head')) as Head)
  const points = once(async () => {
    const { columns, n } = await head()
    return readPoints(await unpackBytes(need('quire-points')), columns, n)
  })
  const shelf = shelfOf(points)
  const own: Source = {
    kind: 'file',
    head,
    points,
    terms: once(() => unpackJson<Terms>(need('quire-terms'))),
    time: once(async () => (block('quire-time') ? unpackJson<Time>(need('quire-time')) : null)),
    listed: (rows) => Promise.all(rows.map(async (row) => (await shelf.kept(row)) ?? shelf.bare(row))),
    async whole(row) {
      const found = await shelf.kept(row)
      if (found) return found
      return { ...(await shelf.bare(row)), ...UNKNOWN, length: 0, memberships: [], why: null }
    },
    full: (rows) =>
      Promise.all(
        rows.map(async (row) => (await shelf.kept(row)) ?? { ...(await shelf.bare(row)), ...UNKNOWN }),
      ),
    search: (words) => searchShelf(shelf, wordsWanted(words)),
    rowsWith: async (words, n) => marks((await fitting(shelf, wordsWanted(words))).keys(), n),
    similar: (words, but) => searchShelf(shelf, wordsWanted(words.join(' ')), but),
    edit: () => Promise.reject(new Error('A file cannot be changed: open the run with quire serve.')),
    at: (cut) => cutOfFile(own, shelf, cut),
  }
  return own
}

type Reasons = [memberships: Whole['memberships'], why: Whole['why']]

/** Another cut in the file: what it says otherwise lies in blocks of its own. */
function cutOfFile(own: Source, shelf: Shelf, cut: number): Source {
  const head = once(() => unpackJson<Head>(need(`quire-head-${cut}`)))
  const points = once(async () => {
    const [{ columns, n }, { label, date, chunk, by }] = await Promise.all([head(), own.points()])
    const packed = need(`quire-points-${cut}`)
    return { ...readPoints(await unpackBytes(packed), columns, n), label, date, chunk, by }
  })
  const reasons = new Map<number, Promise<Reasons[] | null>>()
  const reasonsOf = (chunk: number) => {
    const packed = block(`quire-why-${chunk}-${cut}`)
    if (!reasons.has(chunk))
      reasons.set(chunk, packed ? unpackJson<Reasons[]>(packed) : Promise.resolve(null))
    return reasons.get(chunk)!
  }
  return {
    ...own,
    head,
    points,
    terms: once(() => unpackJson<Terms>(need(`quire-terms-${cut}`))),
    time: once(() => unpackJson<Time | null>(need(`quire-time-${cut}`))),
    async whole(row) {
      const [document, { chunk, topic, membership }] = await Promise.all([own.whole(row), points()])
      const number = chunk?.[row] ?? -1
      const known = number < 0 ? null : await reasonsOf(number)
      if (!known) {
        const memberships: Whole['memberships'] =
          topic[row]! < 0 ? [] : [[topic[row]!, membership[row]! / 255]]
        return { ...document, memberships, why: null }
      }
      const place = [...(await shelf.chunk(number)).keys()].indexOf(row)
      const [memberships, why] = known[place]!
      return { ...document, memberships, why }
    },
  }
}

/** 1 for each of some rows, of so many. */
function marks(rows: Iterable<number>, n: number): Uint8Array {
  const marked = new Uint8Array(n)
  for (const row of rows) if (row < n) marked[row] = 1
  return marked
}

function httpSource(token: string, cut: number | null = null): Source {
  const at = (path: string) => (cut === null ? path : `${path}?cut=${cut}`)
  const get = async (path: string, how?: RequestInit): Promise<Response> => {
    const answer = await fetch(path, how).catch(() => {
      throw new Error('The server does not answer: start quire serve again.')
    })
    if (answer.ok) return answer
    const said = (await answer.json().catch(() => null)) as { error?: string } | null
    throw new Error(said?.error ?? `The server answers ${answer.status} to ${path}.`)
  }
  const json = async <T>(path: string) => (await (await get(path)).json()) as T
  const some = async <T>(rows: number[], how: string) => {
    const found: T[] = []
    for (let from = 0; from < rows.length; from += ASKED)
      found.push(
        ...(await json<T[]>(`/api/documents?rows=${rows.slice(from, from + ASKED).join(',')}${how}`)),
      )
    return found
  }
  const head = once(() => json<Head>(at('/api/head')))
  return {
    kind: 'http',
    head,
    terms: once(() => json<Terms>(at('/api/terms'))),
    time: once(() => json<Time | null>(at('/api/time'))),
    points: once(async () => {
      const [{ columns, n }, answer] = await Promise.all([head(), get(at('/api/points'))])
      return readPoints(await answer.arrayBuffer(), columns, n)
    }),
    listed: (rows) => some<Listed>(rows, ''),
    full: (rows) => some<Full>(rows, '&full=1'),
    whole: (row) => json<Whole>(at(`/api/documents/${row}`)),
    search: (words) => json<Found>(`/api/search?q=${encodeURIComponent(words)}`),
    async rowsWith(words, n) {
      const answer = await get(`/api/search/rows?q=${encodeURIComponent(words)}`)
      return marks(readRows(await answer.arrayBuffer()), n)
    },
    similar: async (words, but) => {
      const found = await json<Found>(
        `/api/search?any=1&limit=${MOST_SIMILAR + 1}&q=${encodeURIComponent(words.join(' '))}`,
      )
      return { ...found, documents: found.documents.filter(({ row }) => row !== but).slice(0, MOST_SIMILAR) }
    },
    async edit(version, what, given) {
      const answer = await get(at('/api/edits'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-quire-token': token },
        body: JSON.stringify({ version, what, ...given }),
      })
      return (await answer.json()) as Head
    },
    at: (other) => httpSource(token, Number.isNaN(other) ? null : other),
  }
}
