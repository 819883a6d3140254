/** Matrices as colours: shares of counts, and large heat-maps as a few paths. */

export type Shading = 'class' | 'topic' | 'count'

/** Counts from 0 to 1: as shares of their row, of their column, or of the largest count. */
export function shades(matrix: number[][], by: Shading): number[][] {
  const columns = matrix[0]?.length ?? 0
  const across = matrix.map((row) => row.reduce((sum, n) => sum + n, 0))
  const down = Array.from({ length: columns }, (_, j) => matrix.reduce((sum, row) => sum + row[j]!, 0))
  const most = matrix.reduce((top, row) => row.reduce((a, b) => Math.max(a, b), top), 0)
  return matrix.map((row, i) =>
    row.map((n, j) => {
      const whole = by === 'class' ? across[i]! : by === 'topic' ? down[j]! : most
      return whole > 0 ? n / whole : 0
    }),
  )
}

/** How large a cell of the class matrix can be. */
export function cellSize(columns: number, room: number): number {
  return Math.max(13, Math.min(54, Math.floor(room / Math.max(1, columns))))
}

/** A count as it fits into a cell: whole, in thousands, or not at all; in small cells none, so that no number seems missing. */
export function cellText(n: number, size: number): string {
  if (size < 20) return ''
  const thousands = n >= 1000 ? `${n < 9950 ? (n / 1000).toFixed(1) : Math.round(n / 1000)}k` : ''
  return [n.toLocaleString('en'), thousands].find((text) => text && 6.4 * text.length + 4 <= size) ?? ''
}

/** The next cell that holds something, in a direction; the same where there is none. */
export function nextCell(
  matrix: number[][],
  [row, column]: [number, number],
  key: string,
): [number, number] | null {
  const steps: Record<string, [number, number]> = {
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
  }
  const step = steps[key]
  if (!step) return null
  for (
    let i = row + step[0], j = column + step[1];
    matrix[i]?.[j] !== undefined;
    i += step[0], j += step[1]
  ) {
    if (matrix[i]![j]! > 0) return [i, j]
  }
  return [row, column]
}

/** The first cell that holds something, along the diagonal if possible: where the keyboard begins. */
export function firstCell(matrix: number[][]): [number, number] {
  for (let i = 0; i < matrix.length; i++) if ((matrix[i]![i] ?? 0) > 0) return [i, i]
  const row = matrix.findIndex((each) => each.some((n) => n > 0))
  return row < 0 ? [0, 0] : [row, matrix[row]!.findIndex((n) => n > 0)]
}

interface Level {
  level: number
  path: string
}

/**
 * Rows of 0 to 100 as one path a level (0, the paper, has none): runs of cells of the same level in a row, and these
 * again over rows that are alike. Thousands of cells become some twenty elements, which stay sharp when saved.
 */
export function levels(rows: number[][], steps = 20): Level[] {
  const paths = new Map<number, string>()
  const of = (value: number) => Math.max(0, Math.min(steps, Math.round((value / 100) * steps)))
  const runs = rows.map((row) => runsOf(row.map(of)))
  const open = new Map<string, number>() // a run, and the row it began in
  const close = (key: string, from: number, to: number) => {
    const [start = 0, length = 0, level = 0] = key.split(' ').map(Number)
    paths.set(level, `${paths.get(level) ?? ''}M${start} ${from}h${length}v${to - from}h${-length}z`)
  }
  runs.forEach((now, i) => {
    const keys = new Set(now.map((run) => run.join(' ')))
    for (const [key, from] of open)
      if (!keys.has(key)) {
        close(key, from, i)
        open.delete(key)
      }
    for (const key of keys) if (!open.has(key)) open.set(key, i)
  })
  for (const [key, from] of open) close(key, from, rows.length)
  return [...paths]
    .filter(([level]) => level > 0)
    .map(([level, path]) => ({ level: level / steps, path }))
    .sort((a, b) => a.level - b.level)
}

function runsOf(row: number[]): [start: number, length: number, level: number][] {
  const found: [number, number, number][] = []
  row.forEach((level, j) => {
    const last = found.at(-1)
    if (last && last[2] === level) last[1]++
    else found.push([j, 1, level])
  })
  return found
}
