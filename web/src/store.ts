/** What the views share: the payload as it arrives, topics' names, what is in focus. */
import { batch, computed, effect, type ReadonlySignal, signal, type Signal, untracked } from '@preact/signals'
import type { Head, Points, Terms, Time, Topic } from './payload'
import { betweenMarks, facetsOf, narrowed, type Facets } from './facets'
import { headOf, timeOf } from './filter'
import { firstOf } from './format'
import { keep, kept, readKept } from './keep'
import { route, setParams } from './route'
import { findSource, type Source } from './source'

export let source: Source

/** Something that is loaded when it is first needed. */
export interface Resource<T> {
  value: ReadonlySignal<T | undefined>
  error: ReadonlySignal<string>
  need(): void
}

/** What is known of a resource at one cut. */
interface State<T> {
  value: Signal<T | undefined>
  error: Signal<string>
  asked: boolean
}

function resource<T>(load: (from: Source) => Promise<T>): Resource<T> {
  const states = new Map<Source, State<T>>()
  const shown = (): State<T> => {
    void wholeHead.value // which changes with the cut that is shown
    const known = states.get(source) ?? { value: signal(undefined), error: signal(''), asked: false }
    states.set(source, known)
    return known
  }
  return {
    value: computed(() => shown().value.value),
    error: computed(() => shown().error.value),
    need() {
      const state = shown()
      if (state.asked) return
      state.asked = true
      state.error.value = ''
      load(source).then(
        (found) => {
          state.error.value = ''
          state.value.value = found
        },
        (reason: Error) => {
          state.asked = false
          state.error.value = reason.message
        },
      )
    },
  }
}

/** Of all documents; `head` is that of those that the address asks for, where it asks for some. */
export const wholeHead = signal<Head | null>(null)
export const filter = computed<Facets | null>(() => facetsOf(wholeHead.value, route.value.params))
/** Which documents hold the words asked for, 1 or 0 a document, once that is known; why not, where it cannot be known. */
const holding = signal<{ words: string; rows: Uint8Array | null; error: string } | null>(null)
export const holdingError = computed(() =>
  filter.value?.holds && holding.value?.words === filter.value.holds ? holding.value.error : '',
)
export const holdingKnown = computed(
  () => !filter.value?.holds || holding.value?.words === filter.value.holds,
)
export const failure = signal('')
/** The document that is shown, once its title is known. */
export const opened = signal<{ row: number; title: string } | null>(null)
export const allPoints: Resource<Points> = resource((from) => from.points())
export const points: Resource<Points> = {
  ...allPoints,
  value: computed(() => {
    const found = allPoints.value.value
    if (!found || !filter.value) return found
    const rows = filter.value.holds && holdingKnown.value ? holding.value!.rows : null
    return narrowed(found, filter.value, rows, wholeHead.value!.topics.length)
  }),
}
export const head = computed<Head | null>(() => {
  const whole = wholeHead.value
  if (!whole || !filter.value || allPoints.error.value) return whole
  const found = points.value.value
  return found ? headOf(whole, found) : null
})
effect(() => {
  if (filter.value) untracked(allPoints.need)
})
effect(() => {
  const words = filter.value?.holds
  const n = wholeHead.value?.n ?? 0
  if (!words || untracked(() => holding.value?.words === words && !holding.value.error)) return
  const tell = (rows: Uint8Array | null, error: string) => {
    if (filter.peek()?.holds === words) holding.value = { words, rows, error }
  }
  source.rowsWith(words, n).then(
    (rows) => tell(rows, ''),
    (reason: Error) => tell(null, reason.message),
  )
})
export const terms: Resource<Terms> = resource((from) => from.terms())
const allTime: Resource<Time | null> = resource((from) => from.time())
export const time: Resource<Time | null> = {
  ...allTime,
  value: computed(() => {
    const [found, those] = [allTime.value.value, filter.value && points.value.value]
    return found && those ? timeOf(found, those, wholeHead.value!.topics.length) : found
  }),
}

export async function start(): Promise<void> {
  try {
    source = findSource()
    const found = await source.head()
    const own = found.topics.length
    cutSources.set(own, source)
    batch(() => {
      readKept(found)
      ownCut.value = own
      cuts.value = found.cuts
      version.value = found.edits?.version ?? 0
      if (cutAsked.value === own) wholeHead.value = found
    })
    effect(() => void show(cutAsked.value, found))
  } catch (error) {
    failure.value = (error as Error).message
  }
}

// -- cuts: the same documents in other numbers of topics; which one is shown is in the address, `cut=19` -------------

/** The number of topics that the run has by itself, and all that it can be seen in. */
export const ownCut = signal(0)
export const cuts = signal<number[]>([])
const cutAsked = computed(() => {
  const asked = Number(route.value.params.cut)
  return cuts.value.includes(asked) ? asked : ownCut.value
})
const cutSources = new Map<number, Source>()

export function sourceAt(cut: number): Source {
  const known = cutSources.get(cut) ?? cutSources.get(ownCut.peek())!.at(cut)
  cutSources.set(cut, known)
  return known
}

/** Show another cut: all at once, when its head is there. */
async function show(cut: number, { cuts, left }: Head): Promise<void> {
  const from = sourceAt(cut)
  if (from === source && wholeHead.peek()) return
  try {
    const found = await from.head()
    if (cutAsked.peek() !== cut) return
    batch(() => {
      source = from
      wholeHead.value = { ...found, cuts, left }
    })
  } catch (error) {
    failure.value = (error as Error).message
  }
}

// -- names and notes: in the browser and the address in a file, in the run under `quire serve`; each cut has its own --

export const wordsParam = (what: 'names' | 'notes', cut: number) =>
  cut === ownCut.value ? what : `${what}${cut}`

/** Names or notes that this page keeps by itself, in the browser or the file; what the address says comes first. */
export function saidHere(what: 'names' | 'notes', cut: number): Record<number, string> {
  const place = wordsParam(what, cut)
  return { ...parseNames(kept.value[place] ?? ''), ...parseNames(route.value.params[place] ?? '') }
}

/** What the topics of a cut are called. */
export function namesAt({ topics }: Head): string[] {
  const here = saidHere('names', topics.length)
  return topics.map((each) => here[each.topic] ?? each.name)
}

export const names = computed<string[]>(() => (head.value ? namesAt(head.value) : []))

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
  return Object.entries(all)
    .map(([topic, name]) => `${topic}:${betweenMarks(name)}`)
    .join('~')
}

/** Give a topic a name, or a note: the run keeps it, or else the browser and the address of the page. */
async function say(what: 'rename' | 'note', topic: number, text: string): Promise<void> {
  const { has, topics } = head.value!
  const [list, field, own] =
    what === 'rename'
      ? (['names', 'name', topics[topic]!.name] as const)
      : (['notes', 'note', topics[topic]!.note ?? ''] as const)
  const place = wordsParam(list, topics.length)
  if (has.rename) await edit(what, { topic, [field]: text })
  const { [topic]: _, ...others } = saidHere(list, topics.length) // also where the run keeps it: one in the address would win when it is read again
  const stays = has.rename || (what === 'rename' ? !text || text === own : text === own)
  const all = formatNames(stays ? others : { ...others, [topic]: text })
  if (!has.rename) keep({ [place]: all })
  setParams({ [place]: all })
}

export const rename = (topic: number, name: string): Promise<void> =>
  say('rename', topic, firstOf(name.trim(), 200))
export const keepNote = (topic: number, note: string): Promise<void> =>
  say('note', topic, firstOf(note.trim(), 2000))

export function noteOf(topic: number): string {
  const { topics } = head.value!
  return saidHere('notes', topics.length)[topic] ?? topics[topic]?.note ?? ''
}

// -- edits: the run is what the server says it is after each; nothing is changed here --------------------------------

/** How many edits of the run are known here. */
const version = signal(0)
/** What is being done, while the server works. */
export const working = signal('')

export async function edit(what: string, given: object = {}): Promise<void> {
  if (working.value) return
  working.value = what
  try {
    const cut = head.value!.topics.length === ownCut.value ? null : head.value!.topics.length
    const first = cutSources.get(ownCut.value)!
    const found = await source.edit(version.value, what, given)
    const fresh = first.at(NaN)
    batch(() => {
      version.value = found.edits?.version ?? version.value + 1
      cutSources.clear()
      if (cut === null) {
        ownCut.value = found.topics.length
        cuts.value = found.cuts
      }
      cutSources.set(ownCut.value, fresh)
      source = cut === null ? fresh : sourceAt(cut)
      wholeHead.value = { ...found, cuts: cuts.value }
    })
  } finally {
    working.value = ''
  }
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
