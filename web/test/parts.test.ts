/** Parts of topics on the map: from the tree, or else from a cut with more topics. */
import { describe, expect, test } from 'vitest'
import { formsOf } from '../src/map/layers'
import { partsOf } from '../src/map/parts'
import type { Head, Points } from '../src/payload'

const pointsOf = (topic: number[], codes: { node?: number[]; part?: number[] }): Points =>
  ({
    x: Uint16Array.from(topic, (_, i) => 1000 * i),
    y: Uint16Array.from(topic, () => 500),
    topic: Int16Array.from(topic),
    node: codes.node ? Uint16Array.from(codes.node) : null,
    part: codes.part ? Uint16Array.from(codes.part) : null,
  }) as unknown as Points

const NONE = 65535
const NODES = [
  { parent: null, topic: null, keywords: [] },
  { parent: 0, topic: 0, keywords: ['cup'] },
  { parent: 1, topic: null, keywords: ['goal'] },
]
const PARTS = [
  { topic: 0, keywords: ['chelsea'] },
  { topic: 0, keywords: ['rugby', 'nations'] },
]
const headWith = (more: object) => ({ topics: [{}, {}], ...more }) as unknown as Head
const TOPIC = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
const PART = [0, 0, 0, 1, 1, 1, NONE, NONE, NONE, NONE]

describe('parts of a finer cut', () => {
  test('each has its words, and lies among its own documents', () => {
    const [first, second] = partsOf(pointsOf(TOPIC, { part: PART }), headWith({ parts: PARTS }))
    expect(first).toMatchObject({ topic: 0, size: 3, words: ['chelsea'], x: 1000 / 65535 })
    expect(second).toMatchObject({ topic: 0, size: 3, words: ['rugby', 'nations'], x: 4000 / 65535 })
  })
  test('documents that the filter left out are in none, and what is left of a part may be too little', () => {
    const points = pointsOf([0, 0, 2, 0, 0, 0, 1, 1, 1, 1], { part: PART })
    expect(partsOf(points, headWith({ parts: PARTS })).map(({ words }) => words[0])).toEqual(['rugby'])
  })
  test('without parts or a tree there are none', () => {
    expect(partsOf(pointsOf(TOPIC, {}), headWith({ parts: null }))).toEqual([])
    expect(partsOf(pointsOf(TOPIC, {}), headWith({}))).toEqual([])
  })
})

test('parts of the tree are the nodes below topics', () => {
  const points = pointsOf(TOPIC, { node: [2, 2, 2, 1, 1, 1, 9, 9, 9, 9] })
  expect(partsOf(points, headWith({ tree: { nodes: NODES } })).map(({ words }) => words)).toEqual([['goal']])
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
