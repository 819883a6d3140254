/** What a person says or collects on this page and the run does not keep: in the browser where that is allowed, or in the file. */
import { signal } from '@preact/signals'
import type { Head } from './payload'

/** The part of a file that has it; what the browser has kept since comes before it. */
export const KEPT_BLOCK = 'quire-kept'

/** Names and notes as the address writes them, and the basket: rows with a dot between them. */
export const kept = signal<Record<string, string>>({})
let place = ''

const OURS = /^((names|notes)\d*|basket)$/

/** Only what is ours, and only text: a file may come from anywhere, and so may what a browser has. */
function read(text: string | null | undefined): Record<string, string> {
  try {
    const found: unknown = JSON.parse(text ?? '{}')
    return Object.fromEntries(
      Object.entries(found as object).filter(([key, value]) => OURS.test(key) && typeof value === 'string'),
    )
  } catch {
    return {}
  }
}

/**
 * Read what was kept of this run: it is known by its documents, when it was made and its name; in a file, where topics are
 * named by their numbers, also by how often they were edited.
 */
export function readKept({ about, n, title, has, edits }: Head): void {
  const version = has.rename ? '' : (edits?.version ?? 0)
  place = `quire ${about.fingerprint} ${about.created} ${n} ${version} ${title}`
  const inFile = typeof document === 'undefined' ? null : document.getElementById(KEPT_BLOCK)?.textContent
  kept.value = { ...read(inFile), ...read(stored((all) => all.getItem(place))) }
}

export function keep(more: Record<string, string>): void {
  kept.value = { ...kept.value, ...more }
  stored((all) => all.setItem(place, JSON.stringify(kept.value)))
}

/** Use the browser's storage; where it is forbidden or full this page keeps it as long as it is open. */
function stored<T>(use: (all: Storage) => T): T | null {
  try {
    return use(window.localStorage)
  } catch {
    return null
  }
}

export const keptWhere = (): string =>
  stored((all) => all.getItem(place)) === null ? 'this window' : 'this browser'

// -- the basket: documents collected over topics ----------------------------------------------------------------------

export const rowsIn = (text: string, n: number): number[] => [
  ...new Set(
    text
      .split('.')
      .filter((each) => /^\d{1,9}$/.test(each))
      .map(Number)
      .filter((row) => row < n),
  ),
]

export const basketRows = (n: number): number[] => rowsIn(kept.value.basket ?? '', n)

export const putBasket = (rows: number[]): void => keep({ basket: rows.join('.') })
