/** Looking words up in the vocabulary. */
import type { Terms, Topic } from './payload'

/** What is known of a word: its place by frequency, how often it occurs, its topics; null: not in the vocabulary. */
export interface KnownTerm {
  word: string
  place: number
  total: number
  topics: [topic: number, percent: number][]
}

const termAt = (terms: Terms, place: number): KnownTerm => ({
  word: terms.words[place]!,
  place,
  total: terms.totals[place] ?? 0,
  topics: terms.topics[place] ?? [],
})

export function findTerm(terms: Terms, word: string): KnownTerm | null {
  let place = terms.words.indexOf(word)
  if (place < 0) {
    const lower = word.toLowerCase()
    place = terms.words.findIndex((each) => each.toLowerCase() === lower)
  }
  return place < 0 ? null : termAt(terms, place)
}

/** Terms that begin with what was typed, then those that hold it, each the most frequent first. */
export function likeTerms(terms: Terms, typed: string, most: number): { found: KnownTerm[]; total: number } {
  const wanted = typed.trim().toLowerCase()
  if (!wanted) return { found: [], total: 0 }
  const same: number[] = []
  const begin: number[] = []
  const hold: number[] = []
  terms.words.forEach((word, place) => {
    const at = word.toLowerCase().indexOf(wanted)
    if (at === 0) (word.length === wanted.length ? same : begin).push(place)
    else if (at > 0) hold.push(place)
  })
  const all = [...same, ...begin, ...hold]
  return { found: all.slice(0, most).map((place) => termAt(terms, place)), total: all.length }
}

/** A topic that has the word among its own: p(word | topic), its place among the keywords (from 1; null: not one). */
export interface Use {
  topic: number
  share: number
  place: number | null
  overall: number | null
}

export function usesOf(topics: Topic[], word: string): Use[] {
  const lower = word.toLowerCase()
  const same = (each: string) => each.toLowerCase() === lower
  const uses: Use[] = []
  for (const { topic, keywords, terms } of topics) {
    const at = keywords.findIndex(([each]) => same(each))
    const term = terms.find(([each]) => same(each))
    if (at < 0 && !term) continue
    uses.push({
      topic,
      share: term?.[1] ?? keywords[at]![1],
      place: at < 0 ? null : at + 1,
      overall: term?.[2] ?? null,
    })
  }
  return uses.sort((a, b) => b.share - a.share || a.topic - b.topic)
}
