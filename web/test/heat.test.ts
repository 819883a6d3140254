import { describe, expect, it } from 'vitest'
import { cellSize, cellText, firstCell, levels, nextCell, shades } from '../src/heat'

describe('shades', () => {
  const matrix = [
    [8, 2],
    [0, 10],
    [0, 0],
  ]

  it('are shares of the class, of the topic, or of the largest count', () => {
    expect(shades(matrix, 'class')).toEqual([
      [0.8, 0.2],
      [0, 1],
      [0, 0],
    ])
    expect(shades(matrix, 'topic')).toEqual([
      [1, 2 / 12],
      [0, 10 / 12],
      [0, 0],
    ])
    expect(shades(matrix, 'count')).toEqual([
      [0.8, 0.2],
      [0, 1],
      [0, 0],
    ])
  })

  it('are none of an empty matrix', () => expect(shades([], 'class')).toEqual([]))
})

describe('cells', () => {
  it('are smaller where there are many, but never too small to be pointed at', () => {
    expect(cellSize(5, 1000)).toBe(54)
    expect(cellSize(51, 1000)).toBe(19)
    expect(cellSize(200, 300)).toBe(13)
  })

  it('hold their count where it fits', () => {
    expect(cellText(1194, 46)).toBe('1,194')
    expect(cellText(1194, 32)).toBe('1.2k')
    expect(cellText(9999, 26)).toBe('10k')
    expect(cellText(1194, 22)).toBe('')
    expect(cellText(5, 14)).toBe('')
  })

  it('are walked by arrows over those that hold nothing', () => {
    const matrix = [
      [1, 0, 2],
      [0, 0, 0],
      [3, 0, 0],
    ]
    expect(nextCell(matrix, [0, 0], 'ArrowRight')).toEqual([0, 2])
    expect(nextCell(matrix, [0, 0], 'ArrowDown')).toEqual([2, 0])
    expect(nextCell(matrix, [0, 2], 'ArrowRight')).toEqual([0, 2])
    expect(nextCell(matrix, [0, 0], 'Tab')).toBeNull()
  })

  it('begin on the diagonal, or where something is', () => {
    expect(
      firstCell([
        [0, 1],
        [0, 2],
      ]),
    ).toEqual([1, 1])
    expect(
      firstCell([
        [0, 1],
        [0, 0],
      ]),
    ).toEqual([0, 1])
    expect(firstCell([[0]])).toEqual([0, 0])
  })
})

/** Paint the paths again, cell by cell. */
function painted(rows: number[][], steps: number): number[][] {
  const found = rows.map((row) => row.map(() => 0))
  for (const { level, path } of levels(rows, steps)) {
    for (const [, x, y, w, h] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)) {
      for (let i = Number(y); i < Number(y) + Number(h); i++) {
        for (let j = Number(x); j < Number(x) + Number(w); j++) {
          expect(found[i]![j]).toBe(0) // no cell is painted twice
          found[i]![j] = level
        }
      }
    }
  }
  return found
}

describe('levels', () => {
  it('paint every cell once, in its level', () => {
    const rows = Array.from({ length: 23 }, (_, i) =>
      Array.from({ length: 23 }, (_, j) => (i * i * 7 + j * 31 + ((i * j) % 5) * 20) % 101),
    )
    expect(painted(rows, 10)).toEqual(rows.map((row) => row.map((value) => Math.round(value / 10) / 10)))
  })

  it('join what is alike', () => {
    const block = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: 60 }, (_, j) => (i < 30 === j < 30 ? 100 : 0)),
    )
    expect(levels(block)).toEqual([{ level: 1, path: 'M0 0h30v30h-30zM30 30h30v30h-30z' }])
  })

  it('leave the paper where there is nothing, and hold numbers to 0 to 100', () => {
    expect(levels([[0, 0]])).toEqual([])
    expect(levels([[150]])[0]!.level).toBe(1)
  })
})
