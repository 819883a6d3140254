import { describe, expect, it, test } from 'vitest'
import { aired, extent, legend, nearest, roundTicks, scalesOf, tickText } from '../src/axis'
import { spanName } from '../src/format'
import { fitted, textWidth } from '../src/text'

describe('an axis', () => {
  it('spans what is known', () => {
    expect(extent([3, null, undefined, NaN, -1, Infinity])).toEqual([-1, 3])
    expect(extent([null])).toBeNull()
  })

  it('has air, also around one value, within limits', () => {
    expect(aired([0, 100])).toEqual([-6, 106])
    expect(aired([0.5, 1], [0, 1])[1]).toBe(1)
    const [low, high] = aired([5, 5])
    expect(low).toBeLessThan(5)
    expect(high).toBeGreaterThan(5)
    expect(aired([0, 0])).toEqual([-1, 1])
  })

  it('never cuts a value off for its limits', () => {
    const [low, high] = aired([-0.2, 1.3], [0, 1])
    expect(low).toBeLessThanOrEqual(-0.2)
    expect(high).toBeGreaterThanOrEqual(1.3)
  })

  it('counts in whole numbers', () => {
    expect(roundTicks([2, 4], 600, 60, true)).toEqual([2, 3, 4])
    for (const tick of roundTicks([2, 40], 500, 60, true)) expect(Number.isInteger(tick)).toBe(true)
  })

  it('has marks as there is room', () => {
    expect(roundTicks([0, 1], 120).length).toBeLessThan(roundTicks([0, 1], 900).length)
  })

  it('writes no more digits than needed, and all marks differ', () => {
    expect([0, 0.2, 0.4].map(tickText([0, 0.2, 0.4]))).toEqual(['0', '0.2', '0.4'])
    expect([950, 1000].map(tickText([950, 1000]))).toEqual(['950', '1,000'])
    expect(tickText([-1, 0])(-1)).toBe('−1')
    const small = [0, 0.00001, 0.00002]
    expect(new Set(small.map(tickText(small))).size).toBe(3)
  })
})

describe('a legend', () => {
  it('goes on in the next line where one is full', () => {
    const { entries, rows } = legend(['runs as good as the best', 'better half of the runs', 'all runs'], 300)
    expect(rows).toBeGreaterThan(1)
    for (const { name, x } of entries) expect(x === 0 || x + 26 + textWidth(name) <= 300).toBe(true)
    expect(legend([], 300)).toEqual({ entries: [], rows: 0 })
  })
})

describe('what is pointed at', () => {
  it('is the nearest value', () => {
    expect(nearest([2, 3, 7], 4)).toBe(1)
    expect(nearest([], 4)).toBe(-1)
  })
})

describe('scales', () => {
  it('show every point with its interval, within limits', () => {
    const curves = [
      {
        points: [
          { x: 2, y: 0.4, low: 0.1, high: 0.9 },
          { x: 8, y: 0.6 },
        ],
      },
      { points: [{ x: 5, y: 0.2, low: null, high: null }] },
    ]
    const { x, y } = scalesOf(curves, [50, 500], [200, 10], [0, 1])
    for (const value of [2, 5, 8]) {
      expect(x(value)).toBeGreaterThan(50)
      expect(x(value)).toBeLessThan(500)
    }
    for (const value of [0.1, 0.9]) {
      expect(y(value)).toBeGreaterThan(10)
      expect(y(value)).toBeLessThan(200)
    }
    expect(y(0.9)).toBeLessThan(y(0.1))
    expect(y.domain()[0]).toBeGreaterThanOrEqual(0)
    expect(y.domain()[1]).toBeLessThanOrEqual(1)
  })

  it('stand where there is nothing', () => {
    const { x, y } = scalesOf([], [0, 100], [100, 0])
    for (const scale of [x, y]) expect(Number.isFinite(scale(0.5))).toBe(true)
  })
})

describe('a text', () => {
  it('is wider the larger it is written, and with more letters', () => {
    expect(textWidth('moon', 24)).toBeCloseTo(2 * textWidth('moon', 12))
    expect(textWidth('moons')).toBeGreaterThan(textWidth('moon'))
  })

  it('is cut to its room, and uses it', () => {
    for (const room of [30, 44, 61, 100]) {
      const cut = fitted('nonnegative matrix factorization', room)
      expect(cut).toMatch(/\S…$/)
      expect(textWidth(cut)).toBeLessThanOrEqual(room)
      expect(textWidth(cut) + textWidth('mm')).toBeGreaterThan(room - textWidth(' '))
    }
    expect(fitted('ρ', 100)).toBe('ρ')
    expect(fitted('consensus', 0)).toBe('c…')
  })

  it('is never cut within a letter', () => {
    for (let room = 10; room < 100; room++)
      expect(fitted('🌘🌗🌖🌕🌔🌓🌒🌑', room)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
  })
})

test.each([
  ['1987-02-23', '1987-10-19', 'week', ['Feb', 'Oct', 'Feb to Oct 1987']],
  ['1987-02-01', '1987-02-20', 'day', ['1 Feb', '20 Feb', '1 Feb to 20 Feb 1987']],
  ['1987-02-01', '1991-02-01', 'month', ['1987', '1991', '1987 to 1991']],
  ['1790-01-01', '2020-01-01', 'decade', ['1790s', '2020s', '1790s to 2020s']],
  ['1987-01-01', '1987-01-01', 'year', ['1987', '1987', '1987 to 1987']],
] as const)('a span from %s to %s by %s has short ends', (first, last, bin, said) => {
  expect(spanName(first, last, bin)).toEqual(said)
})
