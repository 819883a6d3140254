import { afterEach, describe, expect, it } from 'vitest'
import type { Head, Points } from '../src/payload'
import { wholeHead } from '../src/store'
import { documentTitle, factsOf } from '../src/ui/Documents'

afterEach(() => {
  wholeHead.value = null
})

describe('documentTitle', () => {
  const of = (title: string | null, id: string | null, snippet: string | null) =>
    documentTitle({ row: 1233, title, id, snippet })

  it('is the title, else the id, else how it begins, else its number', () => {
    expect([
      of('Title', 'id', 'text'),
      of(null, 'id', 'text'),
      of(' ', '', 'text'),
      of(null, null, null),
    ]).toEqual(['Title', 'id', 'text', 'document 1,234'])
  })

  it('is harmless and not too long', () => {
    expect(of('a\u202eb\nc', null, null)).toBe('a b c')
    expect(of('x'.repeat(500), null, null)).toHaveLength(120)
  })
})

describe('factsOf', () => {
  const points = {
    topic: Int16Array.of(3, -1),
    other: Int16Array.of(-1, 2),
    membership: Uint8Array.of(255, 51),
    confidence: Uint8Array.of(127, 255),
    date: Int32Array.of(-1, -2147483648),
    label: Uint16Array.of(1, 65535),
  } as unknown as Points

  it('reads what the columns hold', () => {
    wholeHead.value = { labels: ['a', 'b'] } as unknown as Head
    expect(factsOf(points, 0)).toEqual({
      topic: 3,
      other: -1,
      membership: 1,
      confidence: 0.5,
      date: '1969-12-31',
      label: 'b',
    })
  })

  it('knows what is not known', () => {
    expect(factsOf(points, 1)).toEqual({
      topic: -1,
      other: 2,
      membership: 0.2,
      confidence: null,
      date: null,
      label: null,
    })
    expect(factsOf({ ...points, date: null, label: null }, 0)).toMatchObject({ date: null, label: null })
  })
})
