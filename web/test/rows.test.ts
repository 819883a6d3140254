import { describe, expect, it } from 'vitest'
import type { Points } from '../src/payload'
import { NO_DATE, NO_LABEL, orderRows, rowsWhere, type Order } from '../src/rows'

const points = {
  topic: Int16Array.of(0, 1, 0, -1, 0),
  rank: Uint32Array.of(2, 0, 0, 0, 1),
  membership: Uint8Array.of(10, 20, 30, 0, 10),
  confidence: Uint8Array.of(9, 255, 200, 255, 100),
  date: Int32Array.of(5, 5, 7, 5, NO_DATE),
  label: Uint16Array.of(0, 0, 1, NO_LABEL, 1),
} as unknown as Points
const bare = { ...points, date: null, label: null } as Points

describe('rowsWhere', () => {
  const rows = (wanted: Parameters<typeof rowsWhere>[1], of = points) => [...rowsWhere(of, wanted)]

  it('takes all where nothing is asked, and those that meet everything that is', () => {
    expect(rows({})).toEqual([0, 1, 2, 3, 4])
    expect(rows({ topic: 0 })).toEqual([0, 2, 4])
    expect(rows({ topic: -1 })).toEqual([3])
    expect(rows({ label: 1 })).toEqual([2, 4])
    expect(rows({ label: 0, topic: 0 })).toEqual([0])
    expect(rows({ label: NO_LABEL })).toEqual([3])
  })

  it('takes the first day with it and leaves the last; without a date none lies between days', () => {
    expect(rows({ topic: 0, from: 5, to: 7 })).toEqual([0])
    expect(rows({ topic: 0, from: 5 })).toEqual([0, 2])
    expect(rows({ to: 7 })).toEqual([0, 1, 3])
    expect(rows({ to: 7 }, bare)).toEqual([])
    expect(rows({ label: 0 }, bare)).toEqual([])
  })
})

describe('orderRows', () => {
  const order = (by: Order, reversed = false, of = points) => [
    ...orderRows([4, 3, 2, 1, 0], of, by, reversed),
  ]

  it('begins with the most typical, the firmest, the surest, the first', () => {
    expect(order('typical')).toEqual([1, 2, 4, 0, 3])
    expect(order('membership')).toEqual([2, 1, 0, 4, 3])
    expect(order('confidence')).toEqual([2, 4, 0, 1, 3])
    expect(order('date')).toEqual([0, 1, 3, 2, 4])
    expect(order('row')).toEqual([0, 1, 2, 3, 4])
  })

  it('turns around, and what is not known stays last', () => {
    expect(order('typical', true)).toEqual([0, 4, 1, 2, 3])
    expect(order('membership', true)).toEqual([0, 4, 1, 2, 3])
    expect(order('confidence', true)).toEqual([0, 4, 2, 1, 3])
    expect(order('date', true)).toEqual([2, 0, 1, 3, 4])
    expect(order('row', true)).toEqual([4, 3, 2, 1, 0])
  })

  it('keeps the order of the run where nothing is known', () => {
    expect(order('date', false, bare)).toEqual([0, 1, 2, 3, 4])
    expect(order('date', true, bare)).toEqual([0, 1, 2, 3, 4])
  })
})
