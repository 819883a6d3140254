/** Where in a text the words of an explanation stand, and how strongly each speaks. No DOM here. */
import type { Why } from './payload'

/** A piece of the text; `term` is the place of its term in the list, −1: none. */
interface Segment {
  text: string
  term: number
}

// One class of characters, so that no text, however odd, makes the expression go back and try again.
const WORD = /[\p{L}\p{M}\p{N}_\u00ad]+/gu
/** Scripts that have no spaces between words: a form may begin and end anywhere in them. */
const LETTERS = String.raw`\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const SPACELESS = new RegExp(`[${LETTERS}]`, 'u')
const PIECES = new RegExp(`([${LETTERS}]+)|[^${LETTERS}]+`, 'gu')
const UNSPOKEN =
  /[\u0307\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]|[\u00ad\u0640]/g
/** Words of one form may be this far apart ("x-ray", "new  york"), but not in two paragraphs. */
const GAP = 4
/** Characters of a form that is looked for where there are no spaces: more would take too long, and no word has more. */
const LONGEST = 16
/** Units of a text that a unit of a form may be: a letter of two, and a mark for each. */
const SPELLED = 4

interface Place {
  from: number
  to: number
}

interface Forms {
  byWords: Map<string, number>
  most: number
  longest: number
}

/** A word as terms are written: in small letters, one form of each, without marks that only say how it is read out. */
const spelled = (word: string): string =>
  /[^ -~]/.test(word) ? word.normalize('NFKC').toLowerCase().replace(UNSPOKEN, '') : word.toLowerCase()

/** All forms by their words; of two terms with the same form the first keeps it. */
function readForms(terms: readonly (readonly string[])[]): Forms {
  const byWords = new Map<string, number>()
  let most = 0
  let longest = 0
  terms.forEach((forms, term) => {
    for (const form of forms) {
      const words = spelled(form).match(WORD)
      if (!words) continue
      const joined = words.join(' ')
      if (!byWords.has(joined)) byWords.set(joined, term)
      most = Math.max(most, words.length)
      longest = Math.max(longest, joined.length)
    }
  })
  return { byWords, most, longest }
}

/**
 * Cut a text at the words that are a form of one of the terms: whole words, in any case, the longest form first.
 * The pieces put together are the text again. Takes time in proportion to the text, also where it is one long word.
 */
export function segments(text: string, terms: readonly (readonly string[])[]): Segment[] {
  const forms = readForms(terms)
  const { byWords, most, longest } = forms
  if (!most) return text ? [{ text, term: -1 }] : []
  const words = [...text.matchAll(WORD)].flatMap((found) => wordsOf(found[0], found.index, forms))
  const pieces: Segment[] = []
  let at = 0
  for (let i = 0; i < words.length; i++) {
    const found = longestFrom(i)
    if (!found) continue
    const { from } = words[i]!
    const { to } = words[i + found.words - 1]!
    if (from > at) pieces.push({ text: text.slice(at, from), term: -1 })
    pieces.push({ text: text.slice(from, to), term: found.term })
    at = to
    i += found.words - 1
  }
  if (at < text.length) pieces.push({ text: text.slice(at), term: -1 })
  return pieces

  function longestFrom(first: number): { term: number; words: number } | null {
    let joined = ''
    let found: { term: number; words: number } | null = null
    for (let n = 1; n <= most && first + n <= words.length; n++) {
      const { from, to } = words[first + n - 1]!
      if (n > 1 && from - words[first + n - 2]!.to > GAP) break
      if (to - from > SPELLED * longest) break
      const word = spelled(text.slice(from, to))
      if (joined.length + word.length > longest) break
      joined += `${n > 1 ? ' ' : ''}${word}`
      const term = byWords.get(joined)
      if (term !== undefined) found = { term, words: n }
    }
    return found
  }
}

/** The places of the words of a run of letters; where it has no spaces, of the forms in it, the longest first. */
function wordsOf(run: string, at: number, forms: Forms): Place[] {
  if (!SPACELESS.test(run)) return [{ from: at, to: at + run.length }]
  return [...run.matchAll(PIECES)].flatMap(({ 0: piece, 1: spaceless, index }) =>
    spaceless ? formsIn(piece, at + index, forms) : [{ from: at + index, to: at + index + piece.length }],
  )
}

function formsIn(run: string, at: number, { byWords, longest }: Forms): Place[] {
  const places: Place[] = []
  const whole = spelled(run)
  const same = whole.length === run.length // else letters must be spelled where they stand, which takes longer
  for (let from = 0; from < run.length; ) {
    let to = Math.min(run.length, from + Math.min(longest, LONGEST))
    while (to > from && !byWords.has(same ? whole.slice(from, to) : spelled(run.slice(from, to)))) to--
    if (to > from) places.push({ from: at + from, to: at + to })
    from = Math.max(to, from + 1)
  }
  return places
}

/** How a term speaks: for the topic or for the other one, and how strongly from 1 (little) to 4; 0: hardly. */
export interface Voice {
  side: 'mine' | 'other'
  strength: 0 | 1 | 2 | 3 | 4
}

const STEPS = [0.02, 0.08, 0.25, 0.55]

/**
 * By the evidence where the method weighs evidence: positive for the topic, negative for the other; else by the larger of
 * the two contributions. Strengths are relative to the strongest term of either side.
 */
export function voices(why: Why): Voice[] {
  const told = why.terms.map(([, , , mine, others, evidence]) =>
    evidence !== null
      ? { mine: evidence >= 0, size: Math.abs(evidence) }
      : { mine: mine >= others, size: Math.max(Math.abs(mine), Math.abs(others)) },
  )
  const largest = Math.max(0, ...told.map((each) => each.size))
  return told.map(({ mine, size }) => ({
    side: mine ? 'mine' : 'other',
    strength: (largest > 0 ? STEPS.filter((step) => size / largest >= step).length : 0) as Voice['strength'],
  }))
}

/** What was found in a passage (between \u0002 and \u0003), as pieces; a mark without its partner marks nothing. */
export function marked(passage: string): { text: string; found: boolean }[] {
  const pieces: { text: string; found: boolean }[] = []
  const add = (text: string, found: boolean) => {
    if (text) pieces.push({ text, found })
  }
  let at = 0
  for (;;) {
    const open = passage.indexOf('\u0002', at)
    const close = open < 0 ? -1 : passage.indexOf('\u0003', open)
    if (close < 0) break
    add(passage.slice(at, open), false)
    add(passage.slice(open + 1, close), true)
    at = close + 1
  }
  add(passage.slice(at), false)
  return pieces
}
