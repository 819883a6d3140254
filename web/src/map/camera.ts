/** Where one looks at the map: the middle of the screen in the world, which is the unit square, and how near. */

/** `zoom` 1: the whole square is seen. */
export interface Camera {
  x: number
  y: number
  zoom: number
}

/** In pixels. */
export interface Size {
  width: number
  height: number
}

export type Place = readonly [x: number, y: number]

export const WHOLE: Camera = { x: 0.5, y: 0.5, zoom: 1 }
export const NEAREST = 300
const FARTHEST = 0.6

const MARGIN = 14 // pixels around the whole: a point on the edge of the square is seen as a whole

/** Pixels that the side of the unit square takes. */
export const scaleOf = (camera: Camera, size: Size): number =>
  Math.max(1, Math.min(size.width, size.height) - 2 * MARGIN) * camera.zoom

export function toScreen(camera: Camera, size: Size, [x, y]: Place): Place {
  const scale = scaleOf(camera, size)
  return [(x - camera.x) * scale + size.width / 2, (y - camera.y) * scale + size.height / 2]
}

export function toWorld(camera: Camera, size: Size, [x, y]: Place): Place {
  const scale = scaleOf(camera, size)
  return [(x - size.width / 2) / scale + camera.x, (y - size.height / 2) / scale + camera.y]
}

/** Neither so far nor so near nor so much aside that nothing is seen. */
export function kept({ x, y, zoom }: Camera): Camera {
  const within = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value))
  return { x: within(x, 0, 1), y: within(y, 0, 1), zoom: within(zoom, FARTHEST, NEAREST) }
}

/** Nearer (factor above 1) or farther; what lies at this place of the screen stays there. */
export function zoomAt(camera: Camera, size: Size, place: Place, factor: number): Camera {
  const zoom = Math.max(FARTHEST, Math.min(NEAREST, camera.zoom * factor))
  const [x, y] = toWorld(camera, size, place)
  const scale = scaleOf({ ...camera, zoom }, size)
  return kept({
    x: x - (place[0] - size.width / 2) / scale,
    y: y - (place[1] - size.height / 2) / scale,
    zoom,
  })
}

/** Move what is seen by so many pixels. */
export function panBy(camera: Camera, size: Size, dx: number, dy: number): Camera {
  const scale = scaleOf(camera, size)
  return kept({ ...camera, x: camera.x - dx / scale, y: camera.y - dy / scale })
}

/** Two fingers moved from `a`, `b` to `c`, `d`: what was between them stays between them. */
export function pinch(camera: Camera, size: Size, [a, b]: [Place, Place], [c, d]: [Place, Place]): Camera {
  const apart = (one: Place, other: Place) => Math.max(1, Math.hypot(one[0] - other[0], one[1] - other[1]))
  const between = (one: Place, other: Place): Place => [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2]
  const [from, to] = [between(a, b), between(c, d)]
  return zoomAt(panBy(camera, size, to[0] - from[0], to[1] - from[1]), size, to, apart(c, d) / apart(a, b))
}

// -- in the address --------------------------------------------------------------------------------------------------

/** "0.512,0.43,3.2"; the whole is not written. */
export function formatCamera(camera: Camera): string {
  const short = (value: number, digits: number) => String(Number(value.toFixed(digits)))
  const text = [short(camera.x, 5), short(camera.y, 5), short(camera.zoom, 3)].join(',')
  return text === '0.5,0.5,1' ? '' : text
}

export function parseCamera(text: string): Camera {
  const [x, y, zoom, more] = text.split(',').map(Number)
  const good = more === undefined && [x, y, zoom].every((value) => Number.isFinite(value)) && zoom! > 0
  return text && good ? kept({ x: x!, y: y!, zoom: zoom! }) : WHOLE
}
