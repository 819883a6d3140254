/** Density as faint land under the points, seen from afar; nearer it fades away. */
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Points } from '../payload'
import { allTopics } from '../ui/small'
import { scaleOf, toScreen, type Camera, type Size } from './camera'
import { contoursOf } from './contours'

const FEW = 200 // documents; fewer have no density
/** How near one is when it begins to fade, and when it is gone. */
const FADES = [2, 5] as const

export function Contours({
  points,
  camera,
  size,
}: {
  points: Points
  camera: Signal<Camera>
  size: Size
}): JSX.Element | null {
  const paths = useMemo(() => (points.x.length < FEW ? [] : contoursOf(points, allTopics().length)), [points])
  const { zoom } = camera.value
  const opacity = Math.max(0, Math.min(1, (FADES[1] - zoom) / (FADES[1] - FADES[0])))
  if (!paths.length || !opacity) return null
  const [x, y] = toScreen(camera.value, size, [0, 0])
  const transform = `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scaleOf(camera.value, size).toFixed(2)})`
  return (
    <svg class="map-contours" width={size.width} height={size.height} aria-hidden="true">
      <g transform={transform} opacity={opacity}>
        {paths.map((path, i) => (
          <path key={i} d={path} vector-effect="non-scaling-stroke" />
        ))}
      </g>
    </svg>
  )
}
