import { describe, expect, it } from 'vitest'
import type { Topic } from '../src/payload'
import {
  halfOf,
  holdsWord,
  orderTopics,
  readLambda,
  relevance,
  rise,
  totalsOf,
  wordsOf,
} from '../src/relevance'

const topic = (number: number, more: Partial<Topic> = {}): Topic => ({
  topic: number,
  name: `t${number}`,
  size: 10,
  share: 0.5,
  stability: null,
  confidence: null,
  membership: 0.8,
  keywords: [],
  terms: [],
  nearest: [],
  typical: [],
  borderline: [],
  x: 0,
  y: 0,
  spark: null,
  ...more,
})

// "the" is frequent everywhere, "orbit" half as frequent here but rare elsewhere, "apogee" occurs only here.
const space = topic(0, {
  keywords: [
    ['orbit', 0.03],
    ['red planet', 0.01],
  ],
  terms: [
    ['the', 0.06, 0.06],
    ['orbit', 0.03, 0.003],
    ['apogee', 0.001, 0.00005],
  ],
})

describe('relevance', () => {
  it('is the log share at one end and the log lift at the other, and mixes them between', () => {
    expect(relevance(0.03, 0.003, 1)).toBeCloseTo(Math.log(0.03))
    expect(relevance(0.03, 0.003, 0)).toBeCloseTo(Math.log(10))
    expect(relevance(0.03, 0.003, 0.4)).toBeCloseTo(0.4 * Math.log(0.03) + 0.6 * Math.log(10))
    expect(relevance(0, 0.1, 0.5)).toBe(-Infinity)
  })

  it('ranks frequent words first at λ = 1, words of this topic alone at λ = 0, telling ones between', () => {
    const first = (lam: number) => wordsOf(space, lam, 1)[0]!.word
    expect([first(1), first(0.6), first(0)]).toEqual(['the', 'orbit', 'apogee'])
  })

  it('shows the chosen keywords without λ, with p(word) where it is known', () => {
    expect(wordsOf(space, null, 10)).toEqual([
      { word: 'orbit', share: 0.03, overall: 0.003 },
      { word: 'red planet', share: 0.01, overall: null },
    ])
    expect(wordsOf(space, null, 1)).toHaveLength(1)
  })

  it('reads λ from the address and nothing else', () => {
    expect(['0', '0.35', '1', '', ' ', '2', '-1', 'x'].map(readLambda)).toEqual([
      0,
      0.35,
      1,
      null,
      null,
      null,
      null,
      null,
    ])
  })
})

describe('rise', () => {
  it('cuts time where half of the documents lie behind', () => {
    expect(halfOf([1, 1, 1, 10])).toBe(3)
    expect(halfOf([10, 1, 1])).toBe(1)
    expect(halfOf([])).toBe(1)
  })

  it('is above one for a topic that grows, below for one that shrinks, and not known without time', () => {
    const totals = [100, 100]
    expect(rise([10, 40], totals)!).toBeGreaterThan(3)
    expect(rise([40, 10], totals)!).toBeLessThan(1 / 3)
    expect(rise([25, 25], totals)).toBeCloseTo(1)
    expect(rise(null, totals)).toBeNull()
  })

  it('sums over topics', () => {
    expect(
      totalsOf([topic(0, { spark: [1, 2] }), topic(1, { spark: null }), topic(2, { spark: [3, 4] })]),
    ).toEqual([4, 6])
  })
})

describe('orderTopics', () => {
  const topics = [
    topic(0, { size: 5, stability: 0.2, spark: [9, 1] }),
    topic(1, { size: 9, stability: null, spark: [1, 9] }),
    topic(2, { size: 5, stability: 0.9, spark: [5, 5] }),
  ]
  const order = (by: Parameters<typeof orderTopics>[1]) =>
    orderTopics(topics, by, ['b10', 'b9', 'a']).map((each) => each.topic)

  it('puts the largest first and keeps ties as they are', () => expect(order('size')).toEqual([1, 0, 2]))
  it('compares names with numbers by their numbers', () => expect(order('name')).toEqual([2, 1, 0]))
  it('puts what is not known last', () => expect(order('sure')).toEqual([2, 0, 1]))
  it('puts the steepest first', () => expect(order('rising')).toEqual([1, 2, 0]))
})

describe('holdsWord', () => {
  it('looks at the name, the keywords and the terms, in any case', () => {
    expect(holdsWord(space, 'Space', 'SPA')).toBe(true)
    expect(holdsWord(space, 'Space', 'planet')).toBe(true)
    expect(holdsWord(space, 'Space', 'Apog')).toBe(true)
    expect(holdsWord(space, 'Space', 'hockey')).toBe(false)
    expect(holdsWord(space, 'Space', '  ')).toBe(true)
  })
})
