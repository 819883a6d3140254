/** The map itself: a canvas with the points, above it the names of topics and the line that is drawn. */
import { useSignal, type Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Points } from '../payload'
import { go, href } from '../route'
import { isDark } from '../ui/scheme'
import { asNumbers, GREY } from '../colour'
import { panBy, pinch, scaleOf, toScreen, toWorld, WHOLE, zoomAt, type Camera, type Place, type Size } from './camera'
import { gridOf, nearest } from './grid'
import { simplified } from './lasso'
import { Names } from './Names'
import { createRenderer, type Renderer } from './renderer'
import { Tip } from './Tip'

export interface StageProps {
  points: Points
  size: Size
  camera: Signal<Camera>
  codes: Uint16Array
  /** RGBA by code, and by topic + 1 whether it is shown. */
  palette: Uint8Array
  shown: Uint8Array
  drawing: boolean
  swatches: boolean
  lasso: Place[]
  onLasso(polygon: Place[]): void
  /** Where the renderer is, for a picture to save. */
  hold(renderer: Renderer | null, canvas: HTMLCanvasElement | null): void
  withoutWebgl: boolean
}

const REACH = 12 // pixels from the pointer to a point that is meant
const STEP = 60 // pixels that an arrow key moves
const CLICK = 5 // a pointer that moved less has clicked

export function Stage(props: StageProps): JSX.Element {
  const { points, size, camera, drawing, lasso, onLasso } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const renderer = useRenderer(canvas, props)
  const grid = useMemo(() => gridOf(points.x, points.y), [points])
  const line = useSignal<Place[]>([])
  const hover = useSignal(-1)
  const [pointers] = useState(() => new Map<number, Place>())
  const from = useRef<{ place: Place; moved: boolean; lasso: boolean; link: boolean } | null>(null)
  const placeOf = (event: MouseEvent): Place => {
    const box = stage.current!.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  const pick = (place: Place) => {
    const [x, y] = toWorld(camera.peek(), size, place)
    return nearest(grid, x, y, REACH / scaleOf(camera.peek(), size), (row) => props.shown[4 * (points.topic[row]! + 1)] !== 0)
  }
  useWheel(stage, camera, size)
  useEffect(() => renderer.current?.setCamera(camera.value), [camera.value])

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return
    if (event.isPrimary) pointers.clear() // one that was let go of elsewhere
    pointers.set(event.pointerId, placeOf(event))
    // a link is clicked only by a pointer that is not captured: that is done when it has moved
    if (!isLink(event) || pointers.size > 1) stage.current!.setPointerCapture(event.pointerId)
    if (pointers.size > 1) { line.value = []; from.current = null; return }
    from.current = { place: placeOf(event), moved: false, lasso: drawing || event.shiftKey, link: isLink(event) }
    if (from.current.lasso) line.value = [toWorld(camera.peek(), size, placeOf(event))]
  }
  const move = (event: PointerEvent) => {
    const place = placeOf(event)
    const last = pointers.get(event.pointerId)
    if (!last) { if (event.pointerType === 'mouse') hover.value = isLink(event) ? -1 : pick(place); return }
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)![1]
      camera.value = pinch(camera.peek(), size, [last, other], [place, other])
    } else if (from.current) {
      if (!from.current.moved && Math.hypot(place[0] - from.current.place[0], place[1] - from.current.place[1]) >= CLICK) {
        from.current.moved = true
        stage.current!.setPointerCapture(event.pointerId)
      }
      if (from.current.lasso) line.value = [...line.peek(), toWorld(camera.peek(), size, place)]
      else if (from.current.moved) { hover.value = -1; camera.value = panBy(camera.peek(), size, place[0] - last[0], place[1] - last[1]) }
    }
    pointers.set(event.pointerId, place)
  }
  const up = (event: PointerEvent) => {
    pointers.delete(event.pointerId)
    const began = from.current
    from.current = null
    if (!began) return
    if (began.lasso) {
      const drawn = simplified(line.peek(), 3 / scaleOf(camera.peek(), size))
      line.value = []
      if (began.moved && drawn.length >= 3) onLasso(drawn)
    } else if (!began.moved && !began.link && event.type === 'pointerup') {
      const row = pick(placeOf(event))
      if (event.pointerType === 'mouse' && row >= 0) go(href('document', row))
      else hover.value = row // a finger first shows what is there
    }
  }
  const keys = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }
    const step = steps[event.key]
    const middle: Place = [size.width / 2, size.height / 2]
    if (step) camera.value = panBy(camera.peek(), size, ...step)
    else if (event.key === '+' || event.key === '=') camera.value = zoomAt(camera.peek(), size, middle, 1.5)
    else if (event.key === '-') camera.value = zoomAt(camera.peek(), size, middle, 1 / 1.5)
    else if (event.key === '0') camera.value = WHOLE
    else if (event.key === 'Escape') { line.value = []; from.current = null } else return
    event.preventDefault()
  }
  return (
    <div class={`map-stage${drawing ? ' drawing' : ''}`} ref={stage} style={{ height: `${size.height}px` }} onPointerDown={down} onPointerMove={move} onPointerUp={up}
      onPointerCancel={up} onDragStart={(event) => event.preventDefault()}
      onPointerLeave={(event) => { if (event.pointerType === 'mouse') hover.value = -1 }}>
      <div class="map-canvas" tabIndex={0} role="application" onKeyDown={keys}
        aria-label="Map of the documents: arrow keys move it, plus and minus come nearer and go farther, 0 shows all. The same documents are listed by topic in the table.">
        <canvas ref={canvas} />
      </div>
      <Drawing line={line} lasso={lasso} camera={camera} size={size} />
      <Names camera={camera} size={size} swatches={props.swatches} />
      <Tip row={hover} points={points} camera={camera} size={size} />
    </div>
  )
}

/** A name is a link, and does what links do. */
const isLink = (event: Event): boolean => event.target instanceof Element && !!event.target.closest('a')

/** Make the renderer once, and tell it what changed. */
function useRenderer(canvas: { current: HTMLCanvasElement | null }, props: StageProps): { current: Renderer | null } {
  const renderer = useRef<Renderer | null>(null)
  const { points, size, codes, palette, shown, camera, hold, withoutWebgl } = props
  const dark = isDark()
  useEffect(() => {
    const made = createRenderer(canvas.current!, points, withoutWebgl)
    renderer.current = made
    canvas.current!.dataset.kind = made.kind
    made.setCamera(camera.peek())
    hold(made, canvas.current)
    return () => { made.destroy(); renderer.current = null; hold(null, null) }
  }, [points, withoutWebgl])
  useEffect(() => renderer.current?.setCodes(codes), [points, codes])
  useEffect(() => renderer.current?.setColours(palette, shown, [...asNumbers(GREY), 0.28]), [points, palette, shown, dark])
  useEffect(() => renderer.current?.resize(size.width, size.height, Math.min(2, window.devicePixelRatio || 1)), [points, size.width, size.height])
  return renderer
}

/** A wheel event must be stopped from scrolling the page, which an ordinary listener is not allowed to. */
function useWheel(stage: { current: HTMLDivElement | null }, camera: Signal<Camera>, size: Size): void {
  useEffect(() => {
    const element = stage.current!
    const turned = (event: WheelEvent) => {
      event.preventDefault()
      const box = element.getBoundingClientRect()
      const lines = event.deltaMode === 1 ? 16 : 1
      const factor = Math.exp(-Math.max(-120, Math.min(120, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0022))
      camera.value = zoomAt(camera.peek(), size, [event.clientX - box.left, event.clientY - box.top], factor)
    }
    element.addEventListener('wheel', turned, { passive: false })
    return () => element.removeEventListener('wheel', turned)
  }, [size.width, size.height])
}

/** The line being drawn, or the one that was. */
function Drawing({ line, lasso, camera, size }: { line: Signal<Place[]>; lasso: Place[]; camera: Signal<Camera>; size: Size }): JSX.Element {
  const polygon = line.value.length ? line.value : lasso
  const corners = polygon.map((place) => toScreen(camera.value, size, place).map((value) => value.toFixed(1)).join(',')).join(' ')
  return <svg class="map-lasso" width={size.width} height={size.height} aria-hidden="true">{corners && <polygon points={corners} class={line.value.length ? 'being-drawn' : ''} />}</svg>
}
