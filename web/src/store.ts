/** What the views share: the payload as it arrives, topics' names, what is in focus. */
import { computed, effect, signal, type Signal } from '@preact/signals'
import type { Head, Points, Terms, Time, Topic } from './payload'
import { firstOf } from './format'
import { param, route, setParams } from './route'
import { findSource, type Source } from './source'

export let source: Source

/** Something that is loaded when it is first needed. */
export interface Resource<T> {
  value: Signal<T | undefined>
  error: Signal<string>
  need(): void
}

function resource<T>(load: () => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  const error = signal('')
  let asked = false
  return {
    value,
    error,
    need() {
      if (asked) return
      asked = true
      error.value = ''
      load().then(
        (found) => {
          error.value = ''
          value.value = found
        },
        (reason: Error) => {
          asked = false
          error.value = reason.message
        },
      )
    },
  }
}

export const head = signal<Head | null>(null)
export const failure = signal('')
/** The document that is shown, once its title is known. */
export const opened = signal<{ row: number; title: string } | null>(null)
export const points: Resource<Points> = resource(() => source.points())
export const terms: Resource<Terms> = resource(() => source.terms())
export const time: Resource<Time | null> = resource(() => source.time())

export async function start(): Promise<void> {
  try {
    source = findSource()
    head.value = await source.head()
  } catch (error) {
    failure.value = (error as Error).message
  }
}

// -- names: in the address in a file, in the run under `quire serve` ------------------------------------------------

const given = signal<Record<number, string>>({}) // by the server since the page was opened

export const names = computed<string[]>(() => {
  const inAddress = parseNames(route.value.params.names ?? '')
  return (head.value?.topics ?? []).map(
    (each) => given.value[each.topic] ?? inAddress[each.topic] ?? each.name,
  )
})

/** "3:Space~5:Law" → {3: "Space", 5: "Law"}; ~ and : in a name are written %7E and %3A. */
export function parseNames(text: string): Record<number, string> {
  const found: Record<number, string> = {}
  for (const part of text.split('~')) {
    const at = part.indexOf(':')
    if (at < 1 || !/^\d+$/.test(part.slice(0, at))) continue
    try {
      found[Number(part.slice(0, at))] = decodeURIComponent(part.slice(at + 1))
    } catch {
      /* not ours */
    }
  }
  return found
}

export function formatNames(all: Record<number, string>): string {
  const safe = (name: string) =>
    name.replace(/[%~:]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  return Object.entries(all)
    .map(([topic, name]) => `${topic}:${safe(name)}`)
    .join('~')
}

export async function rename(topic: number, name: string): Promise<void> {
  const wanted = firstOf(name.trim(), 200)
  const { has, topics } = head.value!
  if (has.rename) given.value = { ...given.value, [topic]: await source.rename(topic, wanted) }
  const { [topic]: _, ...others } = parseNames(param('names')) // also where the run keeps names: one in the address would win when it is read again
  const stays = has.rename || !wanted || wanted === topics[topic]!.name
  setParams({ names: formatNames(stays ? others : { ...others, [topic]: wanted }) })
}

export function topicOf(number: number): Topic | undefined {
  return head.value?.topics[number]
}
export function nameOf(topic: number): string {
  return topic < 0 ? 'no topic' : (names.value[topic] ?? `topic ${topic}`)
}

// -- light or dark: what the system says, unless the person says otherwise, in the address ---------------------------

export const theme = computed<'' | 'light' | 'dark'>(() => {
  const asked = route.value.params.theme
  return asked === 'light' || asked === 'dark' ? asked : ''
})
if (typeof document !== 'undefined')
  effect(() => {
    document.documentElement.dataset.theme = theme.value
  })
