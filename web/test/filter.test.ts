/** Only the documents with one value of a column. */
import { describe, expect, it } from 'vitest'
import { facetsOf, formatValues, narrowed, parseValues, type Facets } from '../src/facets'
import { countsOf, filterOf, headOf, timeOf } from '../src/filter'
import type { Head, Points, Time } from '../src/payload'
import { NO_DATE, rowsWhere } from '../src/rows'

const head = {
  n: 6,
  unassigned: 1,
  labels: ['x', 'y'],
  by: { columns: [{ name: 'age' }, { name: 'region', values: ['North', 'South'] }] },
  topics: [
    { topic: 0, size: 3, share: 0.5, spark: [2, 1] },
    { topic: 1, size: 2, share: 1 / 3, spark: [0, 1] },
  ],
  spark: { bin: 'year', starts: ['1970-01-01', '1971-01-01'] },
  classes: {
    labels: ['y', 'x'],
    topics: [1, 0],
    matrix: [
      [2, 0],
      [0, 3],
    ],
    unassigned: [1, 0],
  },
} as unknown as Head
const points = {
  topic: Int16Array.of(0, 0, 0, 1, 1, -1),
  date: Int32Array.of(3, 364, 365, 400, NO_DATE, NO_DATE),
  label: Uint16Array.of(1, 1, 1, 0, 0, 0),
  membership: Uint8Array.of(255, 255, 100, 128, 255, 0),
  by: [undefined, Uint8Array.of(0, 1, 0, 0, 255, 0)],
} as unknown as Points

const north = filterOf(head, 'region', 'North')!
const nothing: Facets = { values: [], since: null, until: null, topics: [], holds: '' }
const those = narrowed(points, { ...nothing, values: [[north]] }, null, 2)

describe('filterOf', () => {
  it('finds the column and the value', () => {
    expect(north).toEqual({ column: 1, code: 0, name: 'region', value: 'North' })
  })
  it('is none where the page has no such value or column, or is not there yet', () => {
    for (const asked of [
      ['region', 'East'],
      ['constructor', 'North'],
      ['', ''],
      ['age', 'x'],
    ])
      expect(filterOf({ ...head, by: { columns: [{ ...head.by!.columns[1]! }] } }, ...asked)).toBeNull()
    expect(filterOf(null, 'region', 'North')).toBeNull()
  })
})

describe('what is left', () => {
  it('leaves out those with another value and those with none, and changes no row', () => {
    expect([...those.topic]).toEqual([0, 2, 0, 1, 2, -1])
    expect([...rowsWhere(those, { topic: 0 })]).toEqual([0, 2])
    expect([...rowsWhere(those, {}, 2)]).toEqual([0, 2, 3, 5])
    expect([...points.topic]).toEqual([0, 0, 0, 1, 1, -1])
  })
  it('is all where the points know nothing of the column', () => {
    expect(narrowed(points, { ...nothing, values: [[{ ...north, column: 7 }]] }, null, 2)).toEqual(points)
  })
  it('is counted anew: documents, shares, sparks, classes', () => {
    const made = headOf(head, those)
    expect([made.n, made.unassigned]).toEqual([4, 1])
    expect(made.topics.map(({ size, share, spark }) => [size, share, spark])).toEqual([
      [2, 0.5, [1, 1]],
      [1, 0.25, [0, 1]],
    ])
    expect(made.classes).toMatchObject({
      matrix: [
        [0, 2],
        [1, 0],
      ],
      unassigned: [0, 1],
    })
    expect(headOf(head, points).topics.map(({ size }) => size)).toEqual([3, 2])
  })
  it('is counted anew over time', () => {
    const time = {
      bin: 'year',
      undated: 1,
      bins: { year: { starts: head.spark!.starts, counts: [], words: [] } },
    }
    const made = timeOf(time as unknown as Time, those, 2)
    expect(made.bins.year!.counts).toEqual([
      [1, 1],
      [0, 1],
    ])
    expect(made.undated).toBe(0)
    expect(countsOf(points, ['1971-01-01'], 2)).toEqual([[1], [1]])
  })
})

describe('facets', () => {
  const rows = (params: Record<string, string>, holding: Uint8Array | null = null) => [
    ...rowsWhere(narrowed(points, facetsOf(head, params)!, holding, 2), {}, 2),
  ]
  it('are none where nothing is asked for, or nothing that is there', () => {
    expect(facetsOf(head, {})).toBeNull()
    expect(facetsOf(null, { holds: 'moon' })).toBeNull()
    expect(
      facetsOf(head, { values: 'region:East~x', since: '2020-99-99', among: '7.x', holds: ' ' }),
    ).toBeNull()
  })
  it('are taken together: values, classes, days, topics and words', () => {
    expect(rows({ values: 'region:North' })).toEqual([0, 2, 3, 5])
    expect(rows({ values: 'region:North~region:South' })).toEqual([0, 1, 2, 3, 5])
    expect(rows({ where: 'region', is: 'North', values: 'class:y' })).toEqual([0, 2])
    expect(rows({ since: '1970-12-31' })).toEqual([1, 2, 3])
    expect(rows({ since: '1970-12-31', until: '1971-01-01' })).toEqual([1, 2])
    expect(rows({ among: '1.-1' })).toEqual([3, 4, 5])
    expect(rows({ values: 'region:North', holds: 'moon' }, Uint8Array.of(1, 1, 0, 1, 1, 1))).toEqual([
      0, 3, 5,
    ])
  })
  it('come back from an address as they went into it', () => {
    const all: [string, string][] = [
      ['a:b~c', '100 % ~:'],
      ['x', ''],
    ]
    expect(parseValues(formatValues(all))).toEqual(all)
    expect(parseValues('%~:x~a%:1')).toEqual([])
  })
})
