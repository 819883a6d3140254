/** Counts as shaded cells with names, walked by mouse or arrows; and heat-maps of thousands of cells as a few paths. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { count } from '../format'
import { cellSize, cellText, firstCell, levels, nextCell } from '../heat'
import { fitted, textWidth } from '../text'
import './HeatMap.css'

export type CellAt = [row: number, column: number]

interface HeatMapProps {
  label: string
  rows: string[]
  columns: string[]
  /** Counts; cells without any are left empty. */
  matrix: number[][]
  /** 0 to 1, cell by cell. */
  shade: number[][]
  /** Sums of rows, written beside their names. */
  totals: number[]
  /** Cells with an outline are (i, i) for i below this. */
  paired: number
  chosen: CellAt | null
  room: number
  say(cell: CellAt): string
  pick(cell: CellAt): void
}

const SLANT = Math.SQRT1_2

export function HeatMap(props: HeatMapProps): JSX.Element {
  const { rows, columns, matrix, room, chosen } = props
  const [at, setAt] = useState<CellAt | null>(null)
  const frame = frameOf(rows, columns, room)
  const { size, left, top, width, height } = frame
  const cells = useMemo(
    () => <Cells {...props} frame={frame} />,
    [props.matrix, props.shade, rows.join('\n'), columns.join('\n'), room],
  )
  const cellOf = (event: MouseEvent & { currentTarget: SVGSVGElement }): CellAt | null => {
    const box = event.currentTarget.getBoundingClientRect()
    const [i, j] = [
      Math.floor((event.clientY - box.top - top) / size),
      Math.floor((event.clientX - box.left - left) / size),
    ]
    return (matrix[i]?.[j] ?? 0) > 0 ? [i, j] : null
  }
  const keys = at ?? chosen ?? firstCell(matrix)
  const cursor = useRef<SVGRectElement>(null)
  const walked = useRef(false) // by keys: a pointer is where one looks already
  useEffect(() => {
    if (walked.current) cursor.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    walked.current = false
  }, [keys[0], keys[1]])
  return (
    <>
      <p class="readout" aria-live="polite">
        {props.say(at ?? chosen ?? [-1, -1])}
      </p>
      <div class="heat-box" tabIndex={0} role="region" aria-label={`${props.label}, to scroll`}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the cell that has the focus takes the keys */}
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label={props.label}
          onPointerMove={(event) => setAt(cellOf(event))}
          onPointerLeave={() => setAt(null)}
          onClick={(event) => {
            const cell = cellOf(event)
            if (cell) props.pick(cell)
          }}>
          {cells}
          {chosen && (
            <rect
              class="heat-chosen"
              x={left + chosen[1] * size}
              y={top + chosen[0] * size}
              width={size}
              height={size}
            />
          )}
          <rect
            class={`heat-cursor${at ? ' on' : ''}`}
            x={left + keys[1] * size}
            y={top + keys[0] * size}
            width={size}
            height={size}
            ref={cursor}
            tabIndex={0}
            role="button"
            aria-label={`${props.say(keys)} Arrow keys move, Enter lists the documents.`}
            onFocus={() => setAt(keys)}
            onBlur={() => setAt(null)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === ' ') {
                event.preventDefault()
                props.pick(keys)
              }
              const next = nextCell(matrix, keys, event.key)
              if (next) {
                event.preventDefault()
                walked.current = true
                setAt(next)
              }
            }}
          />
        </svg>
      </div>
    </>
  )
}

interface Frame {
  size: number
  left: number
  top: number
  width: number
  height: number
  names: number
  slanted: number
}

function frameOf(rows: string[], columns: string[], room: number): Frame {
  const longest = (texts: string[]) => texts.reduce((most, text) => Math.max(most, textWidth(text)), 0)
  const names = Math.min(room < 500 ? 78 : 190, longest(rows) + 4)
  const left = names + 48
  const slanted = Math.min(room < 500 ? 110 : 190, longest(columns) + 4)
  const top = slanted * SLANT + 18
  const over = slanted * SLANT
  const size = cellSize(columns.length, room - left - over)
  return {
    size,
    left,
    top,
    names,
    slanted,
    width: Math.ceil(left + columns.length * size + over),
    height: Math.ceil(top + rows.length * size + 4),
  }
}

function Cells({
  rows,
  columns,
  matrix,
  shade,
  totals,
  paired,
  frame,
}: HeatMapProps & { frame: Frame }): JSX.Element {
  const { size, left, top, names, slanted } = frame
  const small = Math.min(12, 0.68 * size) // slanted lines lie closer than the cells are wide
  return (
    <g>
      <rect class="heat-paper" x={left} y={top} width={columns.length * size} height={rows.length * size} />
      {rows.map((row, i) => (
        <g key={i}>
          <text
            class="heat-row"
            style={{ fontSize: `${Math.min(12, 0.85 * size)}px` }}
            x={names}
            y={top + (i + 0.5) * size}
            dy="0.34em"
            text-anchor="end">
            {fitted(row, names)}
          </text>
          <text class="heat-total" x={left - 6} y={top + (i + 0.5) * size} dy="0.34em" text-anchor="end">
            {count(totals[i]!)}
          </text>
        </g>
      ))}
      {columns.map((column, j) => (
        <text
          key={j}
          class="heat-column"
          transform={`translate(${left + (j + 0.5) * size + 3} ${top - 6}) rotate(-45)`}
          style={{ fontSize: `${small}px` }}>
          {fitted(column, slanted, small)}
        </text>
      ))}
      {matrix.map((row, i) =>
        row.map(
          (n, j) =>
            n > 0 && (
              <g key={`${i} ${j}`} transform={`translate(${left + j * size} ${top + i * size})`}>
                <rect
                  class="heat-cell"
                  width={size}
                  height={size}
                  fill-opacity={Number(shade[i]![j]!.toFixed(3))}
                />
                {size >= 20 && (
                  <text class="heat-count" x={size / 2} y={size / 2} dy="0.34em" text-anchor="middle">
                    {cellText(n, size)}
                  </text>
                )}
              </g>
            ),
        ),
      )}
      {Array.from({ length: paired }, (_, i) => (
        <rect
          key={i}
          class="heat-pair"
          x={left + i * size + 0.5}
          y={top + i * size + 0.5}
          width={size - 1}
          height={size - 1}
        />
      ))}
    </g>
  )
}

/** A square matrix of 0 to 100, drawn into a square. */
export function SmallHeat({
  rows,
  x,
  y,
  side,
}: {
  rows: number[][]
  x: number
  y: number
  side: number
}): JSX.Element {
  const found = useMemo(() => levels(rows), [rows])
  return (
    <g transform={`translate(${x} ${y}) scale(${side / Math.max(1, rows.length)})`}>
      <rect class="heat-paper" width={rows.length} height={rows.length} />
      {found.map(({ level, path }) => (
        <path key={level} class="heat-level" d={path} fill-opacity={level} shape-rendering="crispEdges" />
      ))}
    </g>
  )
}
