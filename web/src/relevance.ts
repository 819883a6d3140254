/** Which words stand for a topic, and whether it rises: plain arithmetic on what the head knows. */
import type { Topic } from './payload'

/** A word with p(word | topic) and, where known, p(word). */
export interface Ranked {
  word: string
  share: number
  overall: number | null
}

/** λ·log p(w|t) + (1−λ)·log(p(w|t) / p(w)), after Sievert and Shirley 2014. */
export function relevance(share: number, overall: number, lam: number): number {
  if (!(share > 0)) return -Infinity
  return Math.log(share) - (1 - lam) * Math.log(overall > 0 ? overall : share)
}

/** λ as the address has it; null: the keywords that the run chose. */
export function readLambda(text: string): number | null {
  const value = text.trim() === '' ? NaN : Number(text)
  return value >= 0 && value <= 1 ? value : null
}

/** The words of a topic: those that the run chose (λ null), or the most relevant ones by λ; at most `most`. */
export function wordsOf(
  topic: Pick<Topic, 'keywords' | 'terms'>,
  lam: number | null,
  most: number,
): Ranked[] {
  if (lam === null) {
    const known = new Map(topic.terms.map(([word, , overall]) => [word, overall]))
    return topic.keywords
      .slice(0, most)
      .map(([word, share]) => ({ word, share, overall: known.get(word) ?? null }))
  }
  return topic.terms
    .map(([word, share, overall]) => ({ word, share, overall, by: relevance(share, overall, lam) }))
    .sort((a, b) => b.by - a.by || b.share - a.share || (a.word < b.word ? -1 : 1))
    .slice(0, most)
    .map(({ word, share, overall }) => ({ word, share, overall }))
}

/** The bin in which the later half of all documents begins. */
export function halfOf(totals: number[]): number {
  const all = totals.reduce((sum, each) => sum + each, 0)
  let seen = 0
  const at = totals.findIndex((each) => {
    seen += each
    return seen > all / 2
  })
  return Math.max(1, at)
}

/**
 * How much larger a topic is among the later half of the documents than among the earlier: 1 as large, 2 twice.
 * One document is added to each count so that a few of them do not make a trend; null where there is no time.
 */
export function rise(spark: number[] | null, totals: number[]): number | null {
  if (!spark || spark.length < 2) return null
  const half = halfOf(totals)
  const sum = (values: number[], from: number, to: number) =>
    values.slice(from, to).reduce((total, each) => total + each, 0)
  const late = (sum(spark, half, spark.length) + 1) / (sum(totals, half, totals.length) + 1)
  const early = (sum(spark, 0, half) + 1) / (sum(totals, 0, half) + 1)
  return late / early
}

/** Documents of all topics, bin by bin. */
export function totalsOf(topics: Pick<Topic, 'spark'>[]): number[] {
  const length = Math.max(0, ...topics.map((each) => each.spark?.length ?? 0))
  return Array.from({ length }, (_, bin) => topics.reduce((sum, each) => sum + (each.spark?.[bin] ?? 0), 0))
}

export type Order = 'size' | 'name' | 'sure' | 'rising'

/** Topics in an order; what is not known comes last, ties as the run has them. */
export function orderTopics(topics: Topic[], by: Order, names: string[]): Topic[] {
  const totals = totalsOf(topics)
  const value = (each: Topic): number | null =>
    by === 'sure' ? each.stability : by === 'rising' ? rise(each.spark, totals) : each.size
  return topics
    .map((each) => ({ each, value: value(each) }))
    .sort((a, b) => {
      if (by === 'name')
        return (
          names[a.each.topic]!.localeCompare(names[b.each.topic]!, 'en', { numeric: true }) ||
          a.each.topic - b.each.topic
        )
      return (b.value ?? -Infinity) - (a.value ?? -Infinity) || a.each.topic - b.each.topic
    })
    .map(({ each }) => each)
}

/** Whether a topic's name or one of its words holds what was typed. */
export function holdsWord(topic: Pick<Topic, 'keywords' | 'terms'>, name: string, typed: string): boolean {
  const wanted = typed.trim().toLowerCase()
  return (
    !wanted ||
    name.toLowerCase().includes(wanted) ||
    topic.keywords.some(([word]) => word.toLowerCase().includes(wanted)) ||
    topic.terms.some(([word]) => word.toLowerCase().includes(wanted))
  )
}
