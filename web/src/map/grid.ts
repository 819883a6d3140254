/** The point nearest to the pointer: points are sorted into the cells of a grid once. */
import { FINEST } from './lasso'

export interface Grid {
  side: number
  starts: Uint32Array
  rows: Uint32Array
  x: Uint16Array
  y: Uint16Array
}

export function gridOf(x: Uint16Array, y: Uint16Array): Grid {
  const side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(x.length / 4))))
  const starts = new Uint32Array(side * side + 1)
  const cell = (row: number) => cellOf(y[row]!, side) * side + cellOf(x[row]!, side)
  for (let row = 0; row < x.length; row++) starts[cell(row) + 1]!++
  for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!
  const next = starts.slice()
  const rows = new Uint32Array(x.length)
  for (let row = 0; row < x.length; row++) rows[next[cell(row)]!++] = row
  return { side, starts, rows, x, y }
}

const cellOf = (value: number, side: number): number =>
  Math.max(0, Math.min(side - 1, Math.floor((value * side) / (FINEST + 1))))

/** The row nearest to a place of the unit square, at most `within` from it; −1: none. */
export function nearest(
  { side, starts, rows, x, y }: Grid,
  px: number,
  py: number,
  within: number,
  wanted: (row: number) => boolean = () => true,
): number {
  const [cx, cy, reach] = [px * FINEST, py * FINEST, within * FINEST]
  let best = -1
  let least = reach * reach
  for (let j = cellOf(cy - reach, side); j <= cellOf(cy + reach, side); j++) {
    for (let i = cellOf(cx - reach, side); i <= cellOf(cx + reach, side); i++) {
      for (let at = starts[j * side + i]!; at < starts[j * side + i + 1]!; at++) {
        const row = rows[at]!
        const far = (x[row]! - cx) ** 2 + (y[row]! - cy) ** 2
        if (far <= least && wanted(row)) [best, least] = [row, far]
      }
    }
  }
  return best
}

/** Rows inside a box of the unit square; null: there are more than `most`. */
export function rowsWithin(
  { side, starts, rows, x, y }: Grid,
  left: number,
  top: number,
  right: number,
  bottom: number,
  most: number,
): number[] | null {
  const found: number[] = []
  const [x0, x1] = [left * FINEST, right * FINEST]
  const [y0, y1] = [top * FINEST, bottom * FINEST]
  for (let j = cellOf(y0, side); j <= cellOf(y1, side); j++)
    for (let i = cellOf(x0, side); i <= cellOf(x1, side); i++)
      for (let at = starts[j * side + i]!; at < starts[j * side + i + 1]!; at++) {
        const row = rows[at]!
        if (x[row]! < x0 || x[row]! > x1 || y[row]! < y0 || y[row]! > y1) continue
        if (found.length >= most) return null
        found.push(row)
      }
  return found
}
