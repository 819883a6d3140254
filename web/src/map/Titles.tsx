/** Titles of documents beside their points, where one is so near that few are seen; the most typical first. */
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Points } from '../payload'
import { href } from '../route'
import { source } from '../store'
import { fitted, textWidth } from '../text'
import { documentTitle } from '../ui/Documents'
import { useAnswer } from '../ui/small'
import { toScreen, toWorld, type Camera, type Place, type Size } from './camera'
import { rowsWithin, type Grid } from './grid'
import { FINEST } from './lasso'
import { drawnNames } from './Names'
import { overlap, type PlacedName } from './names'

const MOST_SEEN = 1500 // documents on the screen; where there are more, titles would say little
const MOST = 40 // titles
const REST = 180 // milliseconds before they are fetched
const FONT = 11
const WIDEST = 210
const GAP = 7 // pixels from a point

interface TitlesProps {
  points: Points
  grid: Grid
  names: PlacedName[]
  camera: Signal<Camera>
  size: Size
  shown(row: number): boolean
}

/** Rows on the screen, the most typical of their topics first; none where there are too many. */
function rowsSeen({ points, grid, camera, size, shown }: TitlesProps): number[] {
  const [left, top] = toWorld(camera.peek(), size, [0, 0])
  const [right, bottom] = toWorld(camera.peek(), size, [size.width, size.height])
  const rows = rowsWithin(grid, left, top, right, bottom, MOST_SEEN)?.filter(shown) ?? []
  return rows.sort((a, b) => points.rank[a]! - points.rank[b]! || a - b).slice(0, MOST)
}

/** The rows, once the map has come to rest. */
function useSettled(props: TitlesProps): number[] {
  const { camera, size, points } = props
  const [rows, setRows] = useState<number[]>([])
  useEffect(() => {
    const timer = setTimeout(() => {
      const next = rowsSeen(props)
      setRows((now) => (now.join() === next.join() ? now : next))
    }, REST)
    return () => clearTimeout(timer)
  }, [camera.value, size.width, size.height, points, props.shown])
  return rows
}

export function Titles(props: TitlesProps): JSX.Element | null {
  const { points, names, camera, size } = props
  const rows = useSettled(props)
  const { value: listed } = useAnswer(rows.join(), async () => (rows.length ? source.listed(rows) : []))
  if (!listed?.length) return null
  const taken = drawnNames(names, camera.value, size).map(({ left, top, width, height }) =>
    boxOf(left - width / 2, top - height / 2, width, height),
  )
  return (
    <div class="map-names map-titles">
      {listed.map((each, i) => {
        const row = rows[i]!
        const text = fitted(documentTitle(each), WIDEST, FONT)
        const place = freeBeside(
          toScreen(camera.value, size, [points.x[row]! / FINEST, points.y[row]! / FINEST]),
          textWidth(text, FONT),
          size,
          taken,
        )
        return (
          place && (
            <a
              key={row}
              href={href('document', row)}
              draggable={false}
              style={{
                transform: `translate(${Math.round(place[0])}px, ${Math.round(place[1])}px)`,
                fontSize: `${FONT}px`,
              }}>
              {text}
            </a>
          )
        )
      })}
    </div>
  )
}

const HEIGHT = 15

const boxOf = (left: number, top: number, width: number, height: number) => ({
  left: left - 2,
  top: top - 1,
  right: left + width + 2,
  bottom: top + height + 1,
})

/** Right or left of a point, where nothing is yet; what is found is taken. */
function freeBeside(
  [x, y]: Place,
  width: number,
  size: Size,
  taken: ReturnType<typeof boxOf>[],
): Place | null {
  for (const left of [x + GAP, x - GAP - width]) {
    const box = boxOf(left, y - HEIGHT / 2, width, HEIGHT)
    const inside = box.left > 0 && box.right < size.width && box.top > 0 && box.bottom < size.height
    if (!inside || taken.some((other) => overlap(box, other))) continue
    taken.push(box)
    return [left, y - HEIGHT / 2]
  }
  return null
}
