/** The documents of a file: where they lie, and how they are searched. */
import { fitOf, passage, wordsHeld } from './find'
import { firstOf } from './format'
import type { Found, Listed, Points, Whole } from './payload'
import { unpackJson } from './unpack'

const SNIPPET = 240
const MOST_FOUND = 200
export const MOST_SIMILAR = 8
/** Parts of the file that are unpacked while one is searched. */
const AHEAD = 4

/** The documents of a file: names of all of them, and the texts it holds, in parts that are unpacked when they are needed. */
export interface Shelf {
  names(): Promise<{ ids: string[]; titles: (string | null)[] | null } | null>
  chunk(number: number): Promise<Map<number, Whole>>
  /** The number of the last part; −1: there is none. */
  last(): Promise<number>
  /** A document whose text is in the file. */
  kept(row: number): Promise<Whole | undefined>
  bare(row: number): Promise<Listed>
}

export function block(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null
}

/** Do it once, however often it is asked for; a failure may be tried again. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let doing: Promise<T> | null = null
  return () =>
    (doing ??= work().catch((error) => {
      doing = null
      throw error
    }))
}

export function need(id: string): string {
  const found = block(id)
  if (found === null)
    throw new Error(`This file is not whole: its part ${id} is missing. Write it again with quire page.`)
  return found
}

export function shelfOf(points: () => Promise<Points>): Shelf {
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

/** Documents that hold all of the words; where one is named that it is to be like, those that hold most of them, but it. */
export async function searchShelf(shelf: Shelf, wanted: string[], like = -1): Promise<Found> {
  if (!wanted.length) return { documents: [], total: 0, more: false, ready: 1 }
  const found = like < 0 ? await fitting(shelf, wanted) : await alike(shelf, wanted, like)
  const best = [...found]
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, like < 0 ? MOST_FOUND : MOST_SIMILAR)
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

/** Every document whose text is in the file, part by part, while the page goes on. */
async function* keptIn(shelf: Shelf, rested: ReturnType<typeof rester>): AsyncGenerator<Whole> {
  const last = await shelf.last()
  for (let number = 0; number <= last; number++) {
    for (let next = number; next <= Math.min(last, number + AHEAD); next++)
      void shelf.chunk(next).catch(() => {}) // who waits for it is told
    let place = 0
    for (const each of (await shelf.chunk(number)).values()) {
      if (place++ % 100 === 0) await rested()
      yield each
    }
  }
}

/** By row how much it has of the words: each counts by how rare it is among these texts. */
async function alike(shelf: Shelf, words: string[], but: number): Promise<Map<number, number>> {
  const holds = new Map<number, number[]>()
  const often = words.map(() => 0)
  let n = 0
  for await (const each of keptIn(shelf, rester())) {
    n++
    const held = wordsHeld(`${each.title ?? ''}\n${each.text ?? ''}`, words)
    for (const word of held) often[word]!++
    if (held.length > 1 && each.row !== but) holds.set(each.row, held)
  }
  const worth = (held: number[]) =>
    held.reduce((sum, word) => sum + Math.log((n + 1) / (often[word]! + 0.5)), 0)
  return new Map([...holds].map(([row, held]) => [row, worth(held)]))
}

/** By row how well it fits all of the words. */
export async function fitting(shelf: Shelf, wanted: string[]): Promise<Map<number, number>> {
  const rested = rester()
  const found = new Map<number, number>()
  const add = (row: number, fits: number) => {
    if (fits > 0) found.set(row, Math.max(fits, found.get(row) ?? 0))
  }
  const names = await shelf.names()
  for (let row = 0; row < (names?.ids.length ?? 0); row++) {
    if (row % 2000 === 0) await rested()
    add(row, 2 * Math.max(fitOf(names!.ids[row], wanted), fitOf(names!.titles?.[row], wanted)))
  }
  for await (const each of keptIn(shelf, rested))
    add(
      each.row,
      Math.max(fitOf(each.text, wanted), 2 * fitOf(each.title, wanted), 2 * fitOf(each.id, wanted)),
    )
  return found
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
