import { describe, expect, test } from 'vitest'
import type { Bin, Binned } from '../src/payload'
import { calendarTicks } from '../src/time/axis'
import {
  LARGEST,
  SMALLEST,
  binAt,
  binEdges,
  candidatesOf,
  edgesAt,
  nextStart,
  peakOf,
  placeWords,
  roomBetween,
  roundBelow,
  sharesOf,
  smooth,
  streamOf,
  wordsIn,
  type Shape,
} from '../src/stream'

/** Numbers that look random and are always the same. */
function dice(seed = 1): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

function binned(topics: number, bins: number, seed = 1): Binned {
  const roll = dice(seed)
  const starts = Array.from({ length: bins }, (_, i) =>
    new Date(Date.UTC(2000, i, 1)).toISOString().slice(0, 10),
  )
  return {
    starts,
    counts: starts.length
      ? Array.from({ length: topics }, () => starts.map(() => Math.floor(30 * roll() ** 3)))
      : [],
    words: [],
  }
}

describe('bins', () => {
  test('the next one begins on the right day, also in leap years and at the end of a year', () => {
    expect(nextStart('2024-02-28', 'day')).toBe('2024-02-29')
    expect(nextStart('2024-12-30', 'week')).toBe('2025-01-06')
    expect(nextStart('2024-12-01', 'month')).toBe('2025-01-01')
    expect(nextStart('2024-10-01', 'quarter')).toBe('2025-01-01')
    expect(nextStart('1999-01-01', 'year')).toBe('2000-01-01')
    expect(nextStart('1990-01-01', 'decade')).toBe('2000-01-01')
  })
  test('edges are one more than bins', () => {
    expect(binEdges(['1970-01-01', '1970-02-01'], 'month')).toEqual([0, 31, 59])
    expect(binEdges([], 'month')).toEqual([])
  })
})

describe('smooth', () => {
  test('goes through the values and stays between neighbours', () => {
    const values = [3, 0, 0, 8, 9, 20, 4]
    const fine = smooth(values, 7)
    expect(fine).toHaveLength(6 * 7 + 1)
    for (const [i, value] of values.entries()) expect(fine[7 * i]).toBeCloseTo(value, 12)
    fine.forEach((value, i) => {
      const [a, b] = [values[Math.floor(i / 7)]!, values[Math.min(6, Math.floor(i / 7) + 1)]!]
      expect(value).toBeGreaterThanOrEqual(Math.min(a, b) - 1e-12)
      expect(value).toBeLessThanOrEqual(Math.max(a, b) + 1e-12)
    })
  })
  test('of nothing and of one value', () => {
    expect(smooth([], 4)).toEqual([])
    expect(smooth([5], 4)).toEqual([5])
  })
})

describe('stream', () => {
  test('the thickness in the middle of a bin is its count; bands lie on each other without gaps', () => {
    const data = binned(5, 9)
    const { at, bands } = streamOf(data, 'month', false)
    const edges = binEdges(data.starts, 'month')
    for (const { topic, low, high } of bands) {
      data.counts[topic]!.forEach((n, i) => {
        const sample = at.findIndex((day) => Math.abs(day - (edges[i]! + edges[i + 1]!) / 2) < 1e-6)
        expect(high[sample]! - low[sample]!).toBeCloseTo(n, 9)
      })
      for (const [i, value] of low.entries()) expect(high[i]).toBeGreaterThanOrEqual(value - 1e-9)
    }
    at.forEach((_, i) => {
      const sorted = bands
        .map((band) => [band.low[i]!, band.high[i]!])
        .sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!)
      const thick = sorted.reduce((sum, [low, high]) => sum + high! - low!, 0)
      expect(sorted.at(-1)![1]! - sorted[0]![0]!).toBeCloseTo(thick, 9)
    })
  })
  test('shares sum to 1 everywhere, and to 0 in a bin without documents', () => {
    const data = binned(4, 6)
    for (const row of data.counts) row[3] = 0
    data.counts[0]![2] = 9
    data.counts[0]![4] = 9
    const { at, bands, low, high } = streamOf(data, 'month', true)
    const edges = binEdges(data.starts, 'month')
    at.forEach((day, i) => {
      const sum = bands.reduce((all, band) => all + band.high[i]! - band.low[i]!, 0)
      if (day < (edges[2]! + edges[3]!) / 2 || day > (edges[4]! + edges[5]!) / 2)
        expect(sum).toBeCloseTo(1, 9)
      if (Math.abs(day - (edges[3]! + edges[4]!) / 2) < 1e-6) expect(sum).toBe(0)
    })
    expect(low).toBe(0)
    expect(high).toBeCloseTo(1, 9)
    expect(
      sharesOf([
        [1, 0],
        [3, 0],
      ]),
    ).toEqual([
      [0.25, 0],
      [0.75, 0],
    ])
  })
  test('one bin, 400 bins of 100 topics, topics without documents, nothing at all', () => {
    const one = streamOf(binned(3, 1), 'month', false)
    expect(one.at.length).toBeGreaterThanOrEqual(2)
    expect(one.at[0]).toBeLessThan(one.at.at(-1)!)
    const many = streamOf(binned(100, 400), 'month', false)
    expect(many.bands).toHaveLength(100)
    expect(many.bands.flatMap((band) => [...band.low, ...band.high]).every(Number.isFinite)).toBe(true)
    const empty = streamOf({ starts: ['2000-01-01'], counts: [[0], [2]], words: [] }, 'year', false)
    expect(empty.bands.map((band) => band.topic)).toEqual([1])
    expect(streamOf({ starts: [], counts: [], words: [] }, 'year', true).bands).toEqual([])
  })
})

describe('words', () => {
  const x = Array.from({ length: 101 }, (_, i) => 10 * i)
  const wave: Shape = {
    x,
    top: x.map((at) => 100 - 60 * Math.sin(at / 130) ** 2),
    bottom: x.map((at) => 120 + 50 * Math.sin(at / 90) ** 2),
  }
  const middles = Array.from({ length: 20 }, (_, i) => 25 + 50 * i)
  const roll = dice(7)
  const words = Array.from(
    { length: 12 },
    (_, w) =>
      [`word${'s'.repeat(w)}`, middles.map((_, bin) => [bin, 1 + 99 * roll()] as [number, number])] as [
        string,
        [number, number][],
      ],
  )
  const placed = placeWords(wave, candidatesOf(words), middles, 100, (word) => 0.55 * word.length)

  test('many are placed, each wholly inside its band', () => {
    expect(placed.length).toBeGreaterThan(10)
    for (const { x: at, y, size, width } of placed) {
      for (let place = at - width / 2; place <= at + width / 2; place += 1) {
        const [top, bottom] = edgesAt(wave, place)
        expect(y - size / 2).toBeGreaterThanOrEqual(top)
        expect(y + size / 2).toBeLessThanOrEqual(bottom)
      }
    }
  })
  test('none lies on another', () => {
    for (const [i, a] of placed.entries()) {
      for (const b of placed.slice(i + 1)) {
        const apart =
          Math.abs(a.x - b.x) >= (a.width + b.width) / 2 || Math.abs(a.y - b.y) >= (a.size + b.size) / 2
        expect(apart).toBe(true)
      }
    }
  })
  test('heavier words are larger, within limits', () => {
    const sorted = [...placed].sort((a, b) => a.weight - b.weight)
    sorted.forEach((each, i) => {
      expect(each.size).toBeGreaterThanOrEqual(SMALLEST)
      expect(each.size).toBeLessThanOrEqual(LARGEST)
      if (i) expect(each.size).toBeGreaterThanOrEqual(sorted[i - 1]!.size)
    })
  })
  test('a thin band has small words, a band too thin none', () => {
    const flat = (height: number): Shape => ({ x, top: x.map(() => 0), bottom: x.map(() => height) })
    const put = (height: number) =>
      placeWords(flat(height), candidatesOf(words), middles, 100, (word) => 0.55 * word.length)
    expect(put(6)).toEqual([])
    expect(put(14).length).toBeGreaterThan(0)
    expect(Math.max(...put(14).map((each) => each.size))).toBeLessThan(14)
  })
  test('a band that is thick only where its words are not has one all the same', () => {
    const bulge: Shape = { x, top: x.map(() => 0), bottom: x.map((at) => (at > 700 && at < 900 ? 14 : 2)) }
    const found = placeWords(
      bulge,
      [{ word: 'early', bin: 0, weight: 3 }],
      middles,
      100,
      (word) => 0.55 * word.length,
    )
    expect(found).toHaveLength(1)
    expect(found[0]!.x).toBeGreaterThan(700)
    expect(found[0]!.size).toBe(SMALLEST)
  })
  test('room is what is free over the whole width', () => {
    const peak: Shape = { x: [0, 10, 20], top: [0, 5, 0], bottom: [20, 12, 20] }
    expect(roomBetween(peak, 2, 18)).toEqual([5, 12])
    expect(roomBetween(peak, -1, 5)).toBeNull()
  })
})

test('round numbers for a scale', () => {
  expect([0.4, 1, 3, 7, 49, 50, 1234].map(roundBelow)).toEqual([1, 1, 2, 5, 20, 50, 1000])
})

describe('ticks', () => {
  const ticksOf = (starts: string[], bin: Bin, width: number) => {
    const edges = binEdges(starts, bin)
    return calendarTicks(
      starts,
      bin,
      edges,
      (day) => ((day - edges[0]!) / (edges.at(-1)! - edges[0]!)) * width,
    )
  }
  const months = (n: number) =>
    Array.from({ length: n }, (_, i) => new Date(Date.UTC(1987, 1 + i, 1)).toISOString().slice(0, 10))
  test('few bins have their names, many have round dates, and a year is always said', () => {
    expect(ticksOf(months(3), 'month', 600).map((tick) => tick.text)).toEqual([
      'Feb 1987',
      'Mar 1987',
      'Apr 1987',
    ])
    expect(ticksOf(months(1), 'month', 50)).toHaveLength(1)
    for (const n of [8, 40, 400])
      expect(ticksOf(months(n), 'month', 400).some((tick) => /\d{4}/.test(tick.text))).toBe(true)
    expect(ticksOf([], 'day', 400)).toEqual([])
  })
  test('they leave room for their words', () => {
    for (const n of [8, 40, 400])
      for (const width of [220, 800]) {
        const at = ticksOf(months(n), 'month', width).map((tick) => tick.x)
        at.forEach((x, i) => {
          if (i) expect(x - at[i - 1]!).toBeGreaterThan(35)
        })
        expect(at.length).toBeGreaterThan(0)
      }
  })
})

describe('what is pointed at', () => {
  test('a bin begins at its border; outside it is the first or the last', () => {
    expect([-5, 0, 9, 10, 24, 25, 30, 99].map((x) => binAt([0, 10, 25, 30], x))).toEqual([
      0, 0, 0, 1, 1, 2, 2, 2,
    ])
    expect(binAt([], 3)).toBe(0)
  })
  test('the peak is the first of the largest', () => {
    expect(peakOf([1, 4, 2, 4])).toBe(1)
  })
  test('words of a bin, heaviest first, and none of other bins', () => {
    const found: Binned = {
      starts: [],
      counts: [],
      words: [
        [
          [
            'moon',
            [
              [0, 1],
              [1, 3],
            ],
          ],
          ['tide', [[1, 5]]],
          ['dust', [[0, 2]]],
        ],
      ],
    }
    expect(wordsIn(found, { topic: 0, bin: 1 })).toEqual(['tide', 'moon'])
    expect(wordsIn(found, { topic: 0, bin: 0 }, 1)).toEqual(['dust'])
    expect(wordsIn(found, { topic: 7, bin: 0 })).toEqual([])
  })
})
