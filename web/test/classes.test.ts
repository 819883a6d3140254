import { describe, expect, test } from 'vitest'
import { chosenCell, withNone } from '../src/classes'
import type { Classes } from '../src/payload'

const found: Classes = {
  labels: ['b', 'a', 'c'],
  topics: [1, 0],
  matrix: [
    [5, 1],
    [0, 4],
    [2, 2],
  ],
  unassigned: [0, 3, 0],
  matched: ['b', 'a'],
  scores: [],
  said: [],
}

describe('classes against topics', () => {
  test('documents in no topic are a last column, and count', () => {
    const view = withNone(found)
    expect(view.topics).toEqual([1, 0, -1])
    expect(view.matrix).toEqual([
      [5, 1, 0],
      [0, 4, 3],
      [2, 2, 0],
    ])
    expect(view.totals).toEqual([6, 7, 4])
    expect(view.paired).toBe(2)
  })
  test('where all have a topic there is no such column', () => {
    const view = withNone({ ...found, unassigned: [0, 0, 0], matched: [null, 'a'] })
    expect(view.topics).toEqual([1, 0])
    expect(view.matrix).toEqual(found.matrix)
    expect(view.paired).toBe(1)
  })
  test('a cell of the address; what is not there is none', () => {
    const [view, names] = [withNone(found), ['a', 'b', 'c', 'small']]
    expect(chosenCell(view, names, '0', '0')).toEqual([1, 1])
    expect(chosenCell(view, names, '1', '-1')).toEqual([0, 2])
    for (const [label, topic] of [
      ['', '0'],
      ['0', ''],
      ['3', '0'],
      ['9', '0'],
      ['x', '0'],
      ['-1', '0'],
      ['0', '7'],
      ['0', 'x'],
    ] as const) {
      expect(chosenCell(view, names, label, topic)).toBeNull()
    }
  })
})
