/** Where the payload comes from: the file itself, or the server that sent the page. Nothing else knows which. */
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
  /** Keep a new name in the run; an empty one gives the topic its own back. Returns the name it has now. */
  rename(topic: number, name: string): Promise<string>
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
  return () => (doing ??= work().catch((error) => { doing = null; throw error }))
}

const SNIPPET = 240
const MOST_FOUND = 200
/** Rows that the server is asked for at a time. */
const ASKED = 200
/** Parts of the file that are unpacked while one is searched. */
const AHEAD = 4

function fileSource(): Source {
  const need = (id: string): string => {
    const found = block(id)
    if (found === null) throw new Error(`This file is not whole: its part ${id} is missing. Write it again with quire page.`)
    return found
  }
  const head = once(async () => JSON.parse(need('quire-head')) as Head)
  const points = once(async () => {
    const { columns, n } = await head()
    return readPoints(await unpackBytes(need('quire-points')), columns, n)
  })
  const index = once(async () => {
    const packed = block('quire-index')
    return packed ? unpackJson<{ ids: string[]; titles: (string | null)[] | null }>(packed) : null
  })
  const chunks = new Map<number, () => Promise<Map<number, Whole>>>()
  const chunk = (number: number) => {
    if (!chunks.has(number)) {
      chunks.set(number, once(async () => {
        const documents = await unpackJson<Whole[]>(need(`quire-docs-${number}`))
        return new Map(documents.map((each) => [each.row, { ...each, snippet: each.text?.slice(0, SNIPPET) ?? null }]))
      }))
    }
    return chunks.get(number)!()
  }
  const kept = async (row: number): Promise<Whole | undefined> => {
    const number = (await points()).chunk?.[row] ?? -1
    return number < 0 ? undefined : (await chunk(number)).get(row)
  }
  const bare = async (row: number): Promise<Listed> => {
    const names = await index()
    return { row, id: names?.ids[row] ?? null, title: names?.titles?.[row] ?? null, snippet: null }
  }
  const listed = (rows: number[]) => Promise.all(rows.map(async (row) => (await kept(row)) ?? bare(row)))
  return {
    kind: 'file', head, points, listed,
    terms: once(() => unpackJson<Terms>(need('quire-terms'))),
    time: once(async () => (block('quire-time') ? unpackJson<Time>(need('quire-time')) : null)),
    async whole(row) {
      const found = await kept(row)
      if (found) return found
      return { ...(await bare(row)), text: null, length: 0, label: null, date: null, memberships: [], why: null }
    },
    async search(words) {
      const wanted = wordsWanted(words)
      if (!wanted.length) return { documents: [], total: 0, more: false, ready: 1 }
      const rested = rester()
      const found = new Map<number, number>() // row → how well it fits
      const add = (row: number, fits: number) => { if (fits > 0) found.set(row, Math.max(fits, found.get(row) ?? 0)) }
      const names = await index()
      for (let row = 0; row < (names?.ids.length ?? 0); row++) {
        if (row % 2000 === 0) await rested()
        add(row, 2 * Math.max(fit(names!.ids[row], wanted), fit(names!.titles?.[row], wanted)))
      }
      const held = (await points()).chunk
      const last = held ? held.reduce((most, each) => Math.max(most, each), -1) : -1
      for (let number = 0; number <= last; number++) {
        for (let next = number; next <= Math.min(last, number + AHEAD); next++) void chunk(next).catch(() => {}) // who waits for it is told
        let place = 0
        for (const [row, each] of await chunk(number)) {
          if (place++ % 100 === 0) await rested()
          add(row, Math.max(fit(each.text, wanted), 2 * fit(each.title, wanted), 2 * fit(each.id, wanted)))
        }
      }
      const best = [...found].sort(([a, x], [b, y]) => y - x || a - b).slice(0, MOST_FOUND).map(([row]) => row)
      const documents = await Promise.all(best.map(async (row) => {
        const each = await kept(row)
        const { id, title } = each ?? (await bare(row))
        return { row, id, title, passage: passage(each?.text ?? null, wanted) }
      }))
      return { documents, total: found.size, more: false, ready: 1 }
    },
    rename: async (_, name) => name,
  }
}

/** The words of a search, each once; quotes and the like around them do not count. */
export function wordsWanted(words: string): string[] {
  const edge = /^[^\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_]+$/gu
  return [...new Set(lowered(words).split(/\s+/).map((word) => word.slice(0, 200).replace(edge, '') || word.slice(0, 200)).filter(Boolean))]
}

/** In small letters, character by character: a few capitals become longer, and then places would not fit any more. */
function lowered(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (each) => (each.toLowerCase().length === each.length ? each.toLowerCase() : each)).join('')
}

const PART_OF_WORD = /[\p{L}\p{M}\p{N}_]/u
const MOST_TRIED = 20

/** Where a word stands in a text that is in small letters: at best as a whole word, else inside one; −1: nowhere. */
function placeOf(lower: string, word: string): { at: number; whole: boolean } {
  const first = lower.indexOf(word)
  for (let at = first, tried = 0; at >= 0 && tried < MOST_TRIED; at = lower.indexOf(word, at + 1), tried++) {
    if (!PART_OF_WORD.test(lower.charAt(at - 1)) && !PART_OF_WORD.test(lower.charAt(at + word.length))) return { at, whole: true }
  }
  return { at: first, whole: false }
}

/** How well a text fits: 0 a word is missing, 2 all are there as whole words, 1 some are only part of a longer one. */
export function fit(text: string | null | undefined, wanted: string[]): 0 | 1 | 2 {
  if (!text) return 0
  const lower = lowered(text)
  let whole = true
  for (const word of wanted) {
    const place = placeOf(lower, word)
    if (place.at < 0) return 0
    whole &&= place.whole
  }
  return whole ? 2 : 1
}

/** Let the page breathe where a long search has kept it for a moment. */
function rester(most = 12): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < most) return undefined
    return new Promise((go) => setTimeout(() => { since = performance.now(); go() }, 0))
  }
}

/** The text around the first word found; what was found lies between \u0002 and \u0003. */
export function passage(text: string | null, wanted: string[], around = 90): string {
  if (!text) return ''
  const lower = lowered(text)
  const places = wanted.map((word) => placeOf(lower, word).at).filter((at) => at >= 0)
  const first = places.length ? Math.min(...places) : 0
  const from = wordEdge(text, Math.max(0, first - around), first)
  const rough = Math.min(text.length, first + 2 * around)
  const space = rough < text.length ? text.lastIndexOf(' ', rough) : rough
  const to = space > first + around ? space : rough
  const clean = (part: string) => part.replace(/[\u0002\u0003]/g, ' ') // a text could hold marks of its own
  let shown = from > 0 ? '… ' : ''
  let at = from
  for (const [start, length] of placesIn(lower.slice(from, to), wanted)) {
    if (from + start < at) continue
    shown += `${clean(text.slice(at, from + start))}\u0002${clean(text.slice(from + start, from + start + length))}\u0003`
    at = from + start + length
  }
  return shown + clean(text.slice(at, to)) + (to < text.length ? ' …' : '')
}

/** Where words stand in a short text, in order, of those that begin together the longest first. */
function placesIn(lower: string, wanted: string[]): [at: number, length: number][] {
  const places: [number, number][] = []
  for (const word of wanted) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) places.push([at, word.length])
  }
  return places.sort(([a, x], [b, y]) => a - b || y - x)
}

/** The first place after `from` where a word begins, so that no half word is shown; `from` where there is none. */
function wordEdge(text: string, from: number, before: number): number {
  if (from === 0) return 0
  const space = text.slice(from, before).search(/\s/)
  return space < 0 ? from : from + space + 1
}

function httpSource(token: string): Source {
  const get = async (path: string): Promise<Response> => {
    const answer = await fetch(path).catch(() => { throw new Error('The server does not answer: start quire serve again.') })
    if (answer.ok) return answer
    const said = (await answer.json().catch(() => null)) as { error?: string } | null
    throw new Error(said?.error ?? `The server answers ${answer.status} to ${path}.`)
  }
  const json = async <T>(path: string) => (await (await get(path)).json()) as T
  const head = once(() => json<Head>('/api/head'))
  return {
    kind: 'http', head,
    terms: once(() => json<Terms>('/api/terms')),
    time: once(() => json<Time | null>('/api/time')),
    points: once(async () => {
      const [{ columns, n }, answer] = await Promise.all([head(), get('/api/points')])
      return readPoints(await answer.arrayBuffer(), columns, n)
    }),
    async listed(rows) {
      const found: Listed[] = []
      for (let at = 0; at < rows.length; at += ASKED) found.push(...(await json<Listed[]>(`/api/documents?rows=${rows.slice(at, at + ASKED).join(',')}`)))
      return found
    },
    whole: (row) => json<Whole>(`/api/documents/${row}`),
    search: (words) => json<Found>(`/api/search?q=${encodeURIComponent(words)}`),
    async rename(topic, name) {
      const answer = await fetch(`/api/topics/${topic}/name`, {
        method: 'PUT', headers: { 'content-type': 'application/json', 'x-quire-token': token }, body: JSON.stringify({ name }),
      })
      const said = (await answer.json()) as { name: string; error?: string }
      if (!answer.ok) throw new Error(said.error ?? 'The name could not be kept.')
      return said.name
    },
  }
}
