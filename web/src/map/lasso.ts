/** The documents inside a line that someone drew. */
import type { Place } from './camera'

export const FINEST = 65535 // coordinates of points are 0 to 65535
const STRIPS = 512
const MOST = 80 // corners kept in the address

/** Leave out corners until few are left that still follow the line; at least every corner that is `near` from the last. */
export function simplified(polygon: Place[], near: number): Place[] {
  for (let apart = near; ; apart *= 1.5) {
    const kept: Place[] = []
    for (const place of polygon) {
      const last = kept[kept.length - 1]
      if (!last || Math.hypot(place[0] - last[0], place[1] - last[1]) >= apart) kept.push(place)
    }
    if (kept.length <= MOST) return kept
  }
}

/**
 * Rows of the points inside a polygon of the unit square (even-odd: where the line crosses itself, what is enclosed twice is
 * outside). The polygon is cut into horizontal strips first, so that each point looks at the few edges of its strip only.
 */
export function inside(polygon: Place[], x: Uint16Array, y: Uint16Array): Uint32Array {
  if (polygon.length < 3) return new Uint32Array(0)
  const corners = polygon.map(([px, py]) => [px * FINEST, py * FINEST] as const)
  const [left, right] = bounds(corners.map((each) => each[0]))
  const [top, bottom] = bounds(corners.map((each) => each[1]))
  const strips = edgesByStrip(corners, top, bottom)
  const perStrip = STRIPS / Math.max(1e-9, bottom - top)
  const found = new Uint32Array(x.length)
  let n = 0
  for (let row = 0; row < x.length; row++) {
    const px = x[row]!
    const py = y[row]!
    if (px < left || px > right || py < top || py > bottom) continue
    const edges = strips[Math.min(STRIPS - 1, Math.floor((py - top) * perStrip))]!
    let odd = false
    for (let i = 0; i < edges.length; i += 4) {
      const ay = edges[i + 1]!
      const by = edges[i + 3]!
      if (ay > py !== by > py && px < edges[i]! + ((py - ay) / (by - ay)) * (edges[i + 2]! - edges[i]!))
        odd = !odd
    }
    if (odd) found[n++] = row
  }
  return found.slice(0, n)
}

function bounds(values: number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

/** Edges as ax, ay, bx, by one after the other, for each strip those that reach into it. */
function edgesByStrip(corners: (readonly [number, number])[], top: number, bottom: number): Float64Array[] {
  const strips: number[][] = Array.from({ length: STRIPS }, () => [])
  const stripOf = (py: number) =>
    Math.max(0, Math.min(STRIPS - 1, Math.floor(((py - top) * STRIPS) / Math.max(1e-9, bottom - top))))
  corners.forEach(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length]!
    const [first, last] = [stripOf(Math.min(ay, by)), stripOf(Math.max(ay, by))]
    for (let strip = first; strip <= last; strip++) strips[strip]!.push(ax, ay, bx, by)
  })
  return strips.map((edges) => Float64Array.from(edges))
}

/** How many of these rows have each code; codes that do not occur are not there. */
export function counted(rows: ArrayLike<number>, codes: ArrayLike<number>): Map<number, number> {
  const found = new Map<number, number>()
  for (let i = 0; i < rows.length; i++) {
    const code = codes[rows[i]!]!
    found.set(code, (found.get(code) ?? 0) + 1)
  }
  return found
}

// -- in the address --------------------------------------------------------------------------------------------------

/** Corners in ten-thousandths: "1200.4300_1250.4310_…". */
export function formatLasso(polygon: Place[]): string {
  return polygon.map(([x, y]) => `${Math.round(x * 10_000)}.${Math.round(y * 10_000)}`).join('_')
}

export function parseLasso(text: string): Place[] {
  const corners = text
    .split('_')
    .slice(0, 4 * MOST)
    .map((each) => /^(-?\d{1,6})\.(-?\d{1,6})$/.exec(each))
  if (corners.length < 3 || corners.some((each) => !each)) return []
  return corners.map((each) => [Number(each![1]) / 10_000, Number(each![2]) / 10_000])
}
