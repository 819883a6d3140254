/** Parts of topics on the map: from the tree, or else from a cut with more topics. */
import { describe, expect, test } from 'vitest'
import { formsOf } from '../src/map/layers'
import { partsOf, type Finer } from '../src/map/parts'
import type { Head, Points } from '../src/payload'

const keywords = (words: string) => words.split(' ').map((word) => [word, 0.1])
const headOf = (...topics: string[]): Head =>
  ({ topics: topics.map((words, topic) => ({ topic, keywords: keywords(words) })) }) as unknown as Head
const pointsOf = (topic: number[], node?: number[]): Points =>
  ({
    x: Uint16Array.from(topic, (_, i) => 1000 * i),
    y: Uint16Array.from(topic, () => 500),
    topic: Int16Array.from(topic),
    node: node ? Uint16Array.from(node) : null,
  }) as unknown as Points

const HERE = headOf('cup win coach team', 'film actor award star')
const FINER: Finer = {
  head: headOf('cup chelsea win', 'coach rugby nations', 'film oscar star', 'song'),
  points: pointsOf([0, 0, 0, 1, 1, 1, 2, 2, 2, 2]),
}

describe('parts of a finer cut', () => {
  const topic = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
  test('a topic parts into those that share its documents, by words that are not its own name', () => {
    const parts = partsOf(pointsOf(topic), HERE, FINER)
    expect(parts.map(({ topic, size, words }) => ({ topic, size, words }))).toEqual([
      { topic: 0, size: 3, words: ['chelsea'] },
      { topic: 0, size: 3, words: ['rugby', 'nations'] },
    ])
  })
  test('a part lies among its own documents', () => {
    for (const { x, size } of partsOf(pointsOf(topic), HERE, FINER)) {
      expect(size).toBe(3)
      expect([0, 1000, 2000, 3000, 4000, 5000].map((place) => place / 65535)).toContain(x)
    }
  })
  test('documents that the filter left out, and those without a topic, are in none', () => {
    expect(partsOf(pointsOf([0, 0, -1, -1, 0, 0, 1, 1, 1, 1]), HERE, FINER)).toEqual([])
  })
  test('without a finer cut or a tree there are none', () => {
    expect(partsOf(pointsOf(topic), HERE, null)).toEqual([])
  })
})

test('the tree comes first', () => {
  const nodes = [
    { parent: null, topic: null, keywords: [] },
    { parent: 0, topic: 0, keywords: ['cup'] },
    { parent: 1, topic: null, keywords: ['goal'] },
  ]
  const head = { ...HERE, tree: { nodes } } as unknown as Head
  const points = pointsOf([0, 0, 0, 0, 1, 1, 1, 1, 1, 1], [2, 2, 2, 1, 9, 9, 9, 9, 9, 9])
  expect(partsOf(points, head, FINER).map(({ words }) => words)).toEqual([['goal']])
})

test('a name becomes shorter by whole words, and is cut only where one word is too long', () => {
  expect(formsOf('rahm emanuel, supreme court, chicago', 40)).toEqual([
    'rahm emanuel, supreme court, chicago',
    'rahm emanuel, supreme court',
    'rahm emanuel',
  ])
  expect(formsOf('rahm emanuel, supreme court, chicago', 20)).toEqual(['rahm emanuel'])
  expect(formsOf('antidisestablishmentarianism', 10)).toEqual(['antidises…'])
})
