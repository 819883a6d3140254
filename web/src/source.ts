/** Where the payload comes from: the file itself, or the server that sent the page. Nothing else knows which. */
import { fitOf, passage, wordsWanted } from './find'
import { firstOf } from './format'
import type { Found, Head, Listed, Points, Terms, Time, Whole } from './payload'
import { readPoints, unpackBytes, unpackJson } from './unpack'

export interface Source {
  kind: 'file' | 'http'
  head(): Promise<Head>
  terms(): Promise<Terms>
  time(): Promise<Time | null>
  points(): Promise<Points>
  /** In the order asked for. */
  listed(rows: number[]): Promise<Listed[]>
  whole(row: number): Promise<Whole>
  /** Documents that hold the words asked for: in the file among ids, titles and the texts it holds. */
  search(words: string): Promise<Found>
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

function block(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null
}

/** Do it once, however often it is asked for; a failure may be tried again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let doing: Promise<T> | null = null
  return () =>
    (doing ??= work().catch((error) => {
      doing = null
      throw error
    }))
}

const SNIPPET = 240
const MOST_FOUND = 200
/** Rows that the server is asked for at a time. */
const ASKED = 200
/** Parts of the file that are unpacked while one is searched. */
const AHEAD = 4

/** The documents of a file: names of all of them, and the texts it holds, in parts that are unpacked when they are needed. */
interface Shelf {
  names(): Promise<{ ids: string[]; titles: (string | null)[] | null } | null>
  chunk(number: number): Promise<Map<number, Whole>>
  /** The number of the last part; −1: there is none. */
  last(): Promise<number>
  /** A document whose text is in the file. */
  kept(row: number): Promise<Whole | undefined>
  bare(row: number): Promise<Listed>
}

function need(id: string): string {
  const found = block(id)
  if (found === null)
    throw new Error(`This file is not whole: its part ${id} is missing. Write it again with quire page.`)
  return found
}

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
      return {
        ...(await shelf.bare(row)),
        text: null,
        length: 0,
        label: null,
        date: null,
        memberships: [],
        why: null,
      }
    },
    search: (words) => searchShelf(shelf, wordsWanted(words)),
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

function shelfOf(points: () => Promise<Points>): Shelf {
  const names = once(async () => {
    const packed = block('quire-index')
    return packed ? unpackJson<{ ids: string[]; titles: (string | null)[] | null }>(packed) : null
  })
  const chunks = new Map<number, () => Promise<Map<number, Whole>>>()
  const chunk = (number: number) => {
    if (!chunks.has(number)) {
      chunks.set(
        number,
        once(async () => {
          const documents = await unpackJson<Whole[]>(need(`quire-docs-${number}`))
          return new Map(
            documents.map((each) => [
              each.row,
              { ...each, snippet: each.text === null ? null : firstOf(each.text, SNIPPET) },
            ]),
          )
        }),
      )
    }
    return chunks.get(number)!()
  }
  return {
    names,
    chunk,
    async last() {
      return (await points()).chunk?.reduce((most, each) => Math.max(most, each), -1) ?? -1
    },
    async kept(row) {
      const number = (await points()).chunk?.[row] ?? -1
      return number < 0 ? undefined : (await chunk(number)).get(row)
    },
    async bare(row) {
      const known = await names()
      return { row, id: known?.ids[row] ?? null, title: known?.titles?.[row] ?? null, snippet: null }
    },
  }
}

async function searchShelf(shelf: Shelf, wanted: string[]): Promise<Found> {
  if (!wanted.length) return { documents: [], total: 0, more: false, ready: 1 }
  const rested = rester()
  const found = new Map<number, number>() // row → how well it fits
  const add = (row: number, fits: number) => {
    if (fits > 0) found.set(row, Math.max(fits, found.get(row) ?? 0))
  }
  const names = await shelf.names()
  for (let row = 0; row < (names?.ids.length ?? 0); row++) {
    if (row % 2000 === 0) await rested()
    add(row, 2 * Math.max(fitOf(names!.ids[row], wanted), fitOf(names!.titles?.[row], wanted)))
  }
  const last = await shelf.last()
  for (let number = 0; number <= last; number++) {
    for (let next = number; next <= Math.min(last, number + AHEAD); next++)
      void shelf.chunk(next).catch(() => {}) // who waits for it is told
    let place = 0
    for (const [row, each] of await shelf.chunk(number)) {
      if (place++ % 100 === 0) await rested()
      add(row, Math.max(fitOf(each.text, wanted), 2 * fitOf(each.title, wanted), 2 * fitOf(each.id, wanted)))
    }
  }
  const best = [...found]
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, MOST_FOUND)
    .map(([row]) => row)
  const documents = await Promise.all(
    best.map(async (row) => {
      const each = await shelf.kept(row)
      const { id, title } = each ?? (await shelf.bare(row))
      return { row, id, title, passage: passage(each?.text ?? null, wanted) }
    }),
  )
  return { documents, total: found.size, more: false, ready: 1 }
}

/** Let the page breathe where a long search has kept it for a moment. */
function rester(most = 12): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < most) return undefined
    return new Promise((go) =>
      setTimeout(() => {
        since = performance.now()
        go()
      }, 0),
    )
  }
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
    async listed(rows) {
      const found: Listed[] = []
      for (let at = 0; at < rows.length; at += ASKED)
        found.push(...(await json<Listed[]>(`/api/documents?rows=${rows.slice(at, at + ASKED).join(',')}`)))
      return found
    },
    whole: (row) => json<Whole>(at(`/api/documents/${row}`)),
    search: (words) => json<Found>(`/api/search?q=${encodeURIComponent(words)}`),
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
