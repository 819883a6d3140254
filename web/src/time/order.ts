/** In which order the bands of a stream lie: wide ones inside, and none beside one of nearly the same colour. */

const BINS = 16 // looked at
const REACH = 5 // places that a band may move at a time
const SWEEPS = 8
const ENOUGH = 18 // ΔE; what differs more is no better

/**
 * Move bands a little until those that touch are told apart. `values`: rows of bands, some columns of time; `differ`: how
 * much the colours of two rows differ.
 */
export function toldApart(
  order: number[],
  values: number[][],
  differ: (one: number, other: number) => number,
): number[] {
  const n = values[0]?.length ?? 0
  const step = Math.max(1, Math.floor(n / BINS))
  const bins = Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step)
  const now = [...order]
  const cost = () => {
    let sum = 0
    for (const bin of bins) {
      let below = -1
      for (const row of now) {
        if (!(values[row]![bin]! > 0)) continue
        if (below >= 0) sum += Math.max(0, 1 - differ(below, row) / ENOUGH) ** 2
        below = row
      }
    }
    return sum
  }
  let least = cost()
  const swap = (i: number, j: number) => {
    const kept = now[i]!
    now[i] = now[j]!
    now[j] = kept
  }
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    const before = least
    for (let i = 0; i < now.length; i++)
      for (let j = i + 1; j < Math.min(now.length, i + REACH + 1); j++) {
        swap(i, j)
        const found = cost()
        if (found < least - 1e-9) least = found
        else swap(i, j)
      }
    if (least === before) break
  }
  return now
}
