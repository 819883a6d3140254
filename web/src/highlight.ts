/** Where in a text the words of an explanation stand, and how strongly each speaks. No DOM here. */
import type { Why } from './payload'

/** A piece of the text; `term` is the place of its term in the list, −1: none. */
interface Segment {
  text: string
  term: number
}

// One class of characters, so that no text, however odd, makes the expression go back and try again.
const WORD = /[\p{L}\p{M}\p{N}_]+/gu
/** Words of one form may be this far apart ("x-ray", "new  york"), but not in two paragraphs. */
const GAP = 4

interface Forms {
  byWords: Map<string, number>
  most: number
  longest: number
}

/** All forms by their words; of two terms with the same form the first keeps it. */
function readForms(terms: readonly (readonly string[])[]): Forms {
  const byWords = new Map<string, number>()
  let most = 0
  let longest = 0
  terms.forEach((forms, term) => {
    for (const form of forms) {
      const words = form.toLowerCase().match(WORD)
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
  const { byWords, most, longest } = readForms(terms)
  if (!most) return text ? [{ text, term: -1 }] : []
  const words = [...text.matchAll(WORD)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
  }))
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
      if (joined.length + to - from > longest) break
      joined += `${n > 1 ? ' ' : ''}${text.slice(from, to).toLowerCase()}`
      const term = byWords.get(joined)
      if (term !== undefined) found = { term, words: n }
    }
    return found
  }
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
