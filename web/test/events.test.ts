import { describe, expect, test } from 'vitest'
import type { Binned } from '../src/payload'
import { eventsOf } from '../src/time/events'

/** Two topics of ten documents in each of eight periods; the second has forty in the sixth. */
const binned: Binned = {
  starts: Array.from({ length: 8 }, (_, i) => `2020-0${i + 1}-01`),
  counts: [Array.from({ length: 8 }, () => 10), [10, 10, 10, 10, 10, 40, 10, 10]],
  words: [
    [],
    [
      ['always', Array.from({ length: 8 }, (_, i) => [i, 5])],
      ['storm', [[5, 9]]],
      [
        'flood',
        [
          [4, 1],
          [5, 4],
        ],
      ],
      ['gone', [[2, 7]]],
    ],
  ],
}

describe('what grew most', () => {
  test('is the topic with more than before, then, with the words that grew', () => {
    const [first, ...others] = eventsOf(binned, 6)
    expect([first!.topic, first!.bin, first!.documents]).toEqual([1, 5, 40])
    expect(first!.expected).toBeGreaterThan(25) // half of the fifty that there are,
    expect(first!.expected).toBeLessThan(28) // and a little more, for it has more than half of all
    expect(first!.words).toEqual(['storm', 'flood'])
    expect(others.filter((each) => each.topic === 1)).toEqual([])
  })
  test('of one period: only what grew in it', () => {
    expect(eventsOf(binned, 6, 5).map((each) => each.bin)).toEqual([5])
    expect(eventsOf(binned, 6, 2)).toEqual([])
  })
  test('where all grow alike nobody grew, and the first period has nothing before it', () => {
    const alike = {
      ...binned,
      counts: [
        [4, 8, 16, 80],
        [4, 8, 16, 80],
      ],
      starts: binned.starts.slice(0, 4),
    }
    expect(eventsOf(alike, 6)).toEqual([])
    expect(eventsOf(binned, 6, 0)).toEqual([])
    expect(eventsOf({ starts: [], counts: [], words: [] }, 6)).toEqual([])
  })
  test('a first period with few documents makes no event of the second', () => {
    const thin = {
      ...binned,
      starts: binned.starts.slice(0, 3),
      counts: [
        [1, 50, 50],
        [0, 50, 50],
      ],
    }
    expect(eventsOf(thin, 6)).toEqual([])
  })
  test('empty periods between do not hide what was before', () => {
    const gaps = {
      ...binned,
      starts: binned.starts.slice(0, 4),
      counts: [
        [190, 0, 0, 90],
        [10, 0, 0, 60],
      ],
    }
    const [first] = eventsOf(gaps, 6)
    expect([first!.topic, first!.bin]).toEqual([1, 3])
    expect(first!.expected).toBeLessThan(30)
  })
})

test('no more than asked for, the strongest first', () => {
  const many: Binned = {
    starts: binned.starts,
    counts: Array.from({ length: 9 }, (_, t) =>
      binned.starts.map((_, i) => (i === 7 && t < 6 ? 20 + 5 * t : 10)),
    ),
    words: [],
  }
  const found = eventsOf(many, 3)
  expect(found.length).toBeLessThanOrEqual(3)
  found.forEach((each, i) => {
    if (i) expect(each.score).toBeLessThanOrEqual(found[i - 1]!.score)
  })
})
