import { describe, expect, it } from 'vitest'
import { asCsv, asRecords, legalXml } from '../src/export'
import type { Why } from '../src/payload'
import { compareCells, sortRows } from '../src/ui/Table'
import { restShown, rowsOf as contributions } from '../src/views/Contributions'

describe('a saved picture', () => {
  it('holds no letter that XML knows none of', () => {
    expect(legalXml('a\ufffeb\uffffc\u0001d\ud800e')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde')
    const kept = '\t\r\n <ä> \ud7ff\ue000\ufffd 😀'
    expect(legalXml(kept)).toBe(kept)
  })
})

describe('sorting', () => {
  const column = { name: 'v', value: (row: { v: string | number | null }) => row.v }
  const sorted = (values: (string | number | null)[], down: boolean) =>
    sortRows(
      values.map((v) => ({ v })),
      column,
      down,
    ).map((row) => row.v)

  it('compares numbers as numbers, text as people do, and what is not known comes last', () => {
    expect(compareCells(9, 10)).toBeLessThan(0)
    expect(compareCells('topic 9', 'topic 10')).toBeLessThan(0)
    expect(compareCells(null, -5)).toBeGreaterThan(0)
    expect(compareCells(null, null)).toBe(0)
  })

  it('keeps what is not known last in both directions, and ties as they were', () => {
    expect(sorted([2, null, 1], false)).toEqual([1, 2, null])
    expect(sorted([2, null, 1], true)).toEqual([2, 1, null])
    const rows = [
      { v: 1, i: 0 },
      { v: 1, i: 1 },
    ]
    expect(sortRows(rows, column, true)).toEqual(rows)
    expect(sortRows(rows, undefined, true)).toBe(rows)
  })
})

describe('taking along', () => {
  it('quotes what CSV needs quoted', () => {
    expect(
      asCsv(
        ['a', 'b'],
        [
          ['x,y', 'say "hi"'],
          ['two\nlines', null],
          [1.5, ''],
        ],
      ),
    ).toBe('a,b\r\n"x,y","say ""hi"""\r\n"two\nlines",\r\n1.5,\r\n')
  })

  it('makes no formula of text, and leaves negative numbers alone', () => {
    expect(asCsv(['=a'], [['=1+1'], ['@x'], ['-y'], [-1]])).toBe("'=a\r\n'=1+1\r\n'@x\r\n'-y\r\n-1\r\n")
  })

  it('names cells in records', () => {
    expect(asRecords(['a', 'b'], [[1]])).toEqual([{ a: 1, b: null }])
  })
})

describe('contributions', () => {
  it('and what is left make the score', () => {
    const why: Why = {
      topic: 0,
      other: 1,
      score: 1,
      other_score: 0.5,
      rest: { terms: 3, mine: 0.1, others: 0.2, evidence: -0.5 },
      terms: [
        ['a', [], 2, 0.7, 0.1, 2],
        ['b', [], 1, 0.2, 0.2, -1],
      ],
    }
    const { rows, rest, sum } = contributions(why)
    expect(rows.reduce((total, row) => total + row.mine, rest.mine)).toBeCloseTo(sum.mine)
    expect(rows.reduce((total, row) => total + row.others, rest.others)).toBeCloseTo(sum.others)
    expect(sum.evidence).toBeCloseTo(0.5)
    expect(contributions({ ...why, rest: { ...why.rest, evidence: null } }).sum.evidence).toBeNull()
  })

  it('as they are shown add up to the score as it is shown', () => {
    const values = [0.00215, 0.001384, 0.0008554, 0.01125]
    const cents = (value: number) => Math.round(Number(value.toFixed(4)) * 10_000)
    expect(
      values.reduce((total, value) => total + cents(value), cents(restShown(values, 0.0156394, 4))),
    ).toBe(cents(0.0156394))
    expect(restShown([0.5, 0.25], 0.75, 3)).toBe(0)
  })
})
