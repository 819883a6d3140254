/** What document a point is: its title beside the point, as one comes near it. */
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Points } from '../payload'
import { href } from '../route'
import { nameOf, source } from '../store'
import { plain } from '../format'
import { documentTitle, factsOf } from '../ui/Documents'
import { Swatch, useAnswer } from '../ui/small'
import { toScreen, type Camera, type Size } from './camera'
import { FINEST } from './lasso'

const PATIENCE = 60 // milliseconds before a title is fetched

export function Tip({
  row,
  points,
  camera,
  size,
}: {
  row: Signal<number>
  points: Points
  camera: Signal<Camera>
  size: Size
}): JSX.Element | null {
  const now = row.value
  const [settled, settle] = useState(-1)
  useEffect(() => {
    const timer = setTimeout(() => settle(now), PATIENCE)
    return () => clearTimeout(timer)
  }, [now])
  const { value } = useAnswer(String(settled), async () => (settled < 0 ? [] : source.listed([settled])))
  if (now < 0) return null
  const [x, y] = toScreen(camera.value, size, [points.x[now]! / FINEST, points.y[now]! / FINEST])
  const { topic, date, label } = factsOf(points, now)
  const listed = settled === now ? value?.[0] : undefined
  const aside = {
    left: x > size.width / 2 ? 'auto' : `${x + 12}px`,
    right: x > size.width / 2 ? `${size.width - x + 12}px` : 'auto',
  }
  const above = {
    top: y > size.height / 2 ? 'auto' : `${y + 8}px`,
    bottom: y > size.height / 2 ? `${size.height - y + 8}px` : 'auto',
  }
  return (
    <>
      <span class="map-ring" style={{ left: `${x}px`, top: `${y}px` }} aria-hidden="true" />
      <div class="map-tip" style={{ ...aside, ...above }}>
        <a href={href('document', now)}>{listed ? documentTitle(listed) : '…'}</a>
        <span class="map-tip-facts">
          <Swatch topic={topic} /> {plain(nameOf(topic), 60)}
          {date ? ` · ${date}` : ''}
          {label ? ` · ${plain(label, 40)}` : ''}
        </span>
      </div>
    </>
  )
}
