/** What grew most, and when: topics that had more documents in a period than the periods before let expect. */
import type { Binned } from '../payload'

export interface Growth {
  topic: number
  bin: number
  documents: number
  /** How many there would be, had the topic the share of the periods before, or its usual one where these are few. */
  expected: number
  /** How far above that it is, in standard deviations of chance. */
  score: number
  /** The topic's words that grew most. */
  words: string[]
}

const BEFORE = 4 // periods that are looked back at
const FEWEST = 3 // documents, more than expected
const PRIOR = 50 // documents with the topic's share of all the time, so that few before say little
const APART = 2 // periods between two events of a topic
const LEAST = 2 // standard deviations
const WORDS = 5

/** Periods with documents before this one, the last few of them. */
function before(totals: number[], bin: number): number[] {
  const found: number[] = []
  for (let at = bin - 1; at >= 0 && found.length < BEFORE; at--) if (totals[at]! > 0) found.push(at)
  return found
}

const sumAt = (values: number[], bins: number[]): number => bins.reduce((sum, bin) => sum + values[bin]!, 0)

function growthOf(binned: Binned, totals: number[], topic: number, bin: number): Growth | null {
  const counts = binned.counts[topic]!
  const past = before(totals, bin)
  if (!past.length) return null
  const all = [...counts.keys()]
  const usual = sumAt(counts, all) / Math.max(1, sumAt(totals, all))
  const share = (sumAt(counts, past) + PRIOR * usual) / (sumAt(totals, past) + PRIOR)
  const expected = totals[bin]! * share
  const documents = counts[bin]!
  const score = (documents - expected) / Math.sqrt(expected + 1)
  if (documents - expected < FEWEST || score < LEAST) return null
  return { topic, bin, documents, expected, score, words: grownWords(binned, topic, bin, past) }
}

/** Words of a topic by how much more they weigh in a period than, on average, in those before. */
function grownWords(binned: Binned, topic: number, bin: number, past: number[]): string[] {
  return (binned.words[topic] ?? [])
    .map(([word, weights]) => {
      const at = new Map(weights)
      const earlier = past.reduce((sum, each) => sum + (at.get(each) ?? 0), 0) / past.length
      return [word, (at.get(bin) ?? 0) - earlier] as const
    })
    .filter(([, more]) => more > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, WORDS)
    .map(([word]) => word)
}

/** The strongest first; of a topic none so near to a stronger one that it is the same. `only`: of one period. */
export function eventsOf(binned: Binned, most: number, only = -1): Growth[] {
  const totals = binned.starts.map((_, bin) => binned.counts.reduce((sum, row) => sum + row[bin]!, 0))
  const bins = only < 0 ? [...binned.starts.keys()] : [only]
  const all = binned.counts
    .flatMap((_, topic) => bins.map((bin) => growthOf(binned, totals, topic, bin)))
    .filter((each) => each !== null)
    .sort((a, b) => b.score - a.score || a.topic - b.topic || a.bin - b.bin)
  const kept: Growth[] = []
  for (const each of all) {
    if (kept.length >= most) break
    if (!kept.some((other) => other.topic === each.topic && Math.abs(other.bin - each.bin) <= APART))
      kept.push(each)
  }
  return kept
}
