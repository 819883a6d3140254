/** The map itself: a canvas with the points, above it the names of topics and the line that is drawn. */
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Points } from '../payload'
import { go, href } from '../route'
import { isDark } from '../ui/scheme'
import { asNumbers, GREY } from '../colour'
import { scaleOf, toScreen, toWorld, type Camera, type Place, type Size } from './camera'
import { cameraAfter, usePointers, useWheel } from './gestures'
import { Contours } from './Contours'
import { gridOf, nearest } from './grid'
import { cornersOf, Names } from './Names'
import type { PlacedName } from './names'
import { createRenderer, type Renderer } from './renderer'
import { Tip } from './Tip'
import { Titles } from './Titles'

interface StageProps {
  points: Points
  size: Size
  camera: Signal<Camera>
  codes: Uint16Array
  /** RGBA by code, and by topic + 1 whether it is shown. */
  palette: Uint8Array
  shown: Uint8Array
  drawing: boolean
  stopDrawing(): void
  names: PlacedName[]
  /** Names have the colours of topics. */
  coloured: boolean
  lasso: Place[]
  onLasso(polygon: Place[]): void
  /** Where the renderer is, for a picture to save. */
  hold(renderer: Renderer | null, canvas: HTMLCanvasElement | null): void
  withoutWebgl: boolean
}

const REACH = 12 // pixels from the pointer to a point that is meant
const LABEL =
  'Map of the documents: arrow keys move it, plus and minus come nearer and go farther, 0 shows all. ' +
  'Its topics are in the table; the button “list what is seen” lists the documents.'
const ADVICE = 1600 // milliseconds that it is shown

export function Stage(props: StageProps): JSX.Element {
  const { points, size, camera, drawing, stopDrawing, lasso, onLasso } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const renderer = useRenderer(canvas, props)
  const grid = useMemo(() => gridOf(points.x, points.y), [points])
  const isShown = useCallback(
    (row: number) => props.shown[4 * (points.topic[row]! + 1)] !== 0,
    [points, props.shown],
  )
  const pick = (place: Place) => {
    const [x, y] = toWorld(camera.peek(), size, place)
    return nearest(grid, x, y, REACH / scaleOf(camera.peek(), size), isShown)
  }
  const { line, hover, down, move, up, stop } = usePointers({
    stage,
    camera,
    size,
    drawing,
    pick,
    onLasso,
    open: (row) => go(href('document', row)),
  })
  const advice = useAdvice()
  useWheel(stage, camera, size, advice.show)
  useEscape(() => {
    stop()
    stopDrawing()
  })
  useEffect(() => renderer.current?.setCamera(camera.value), [camera.value])
  const keys = (event: KeyboardEvent) => {
    const next = cameraAfter(event.key, camera.peek(), size)
    if (!next) return
    camera.value = next
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the canvas in it takes the keys
    <div
      class={`map-stage${drawing ? ' drawing' : ''}`}
      ref={stage}
      style={{ height: `${size.height}px` }}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onDragStart={(event) => event.preventDefault()}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse') hover.value = -1
      }}>
      <Contours points={points} camera={camera} size={size} />
      <div class="map-canvas" tabIndex={0} role="application" onKeyDown={keys} aria-label={LABEL}>
        <canvas ref={canvas} />
      </div>
      <Drawing line={line} lasso={lasso} camera={camera} size={size} />
      <Titles points={points} grid={grid} names={props.names} camera={camera} size={size} shown={isShown} />
      <Names names={props.names} camera={camera} size={size} coloured={props.coloured} />
      <Tip row={hover} points={points} camera={camera} size={size} />
      {advice.shown && (
        <p class="map-advice" aria-hidden="true">
          Click the map, or hold Ctrl or ⌘, to come nearer with the wheel.
        </p>
      )}
    </div>
  )
}

/** A sentence that goes away by itself. */
function useAdvice(): { shown: boolean; show(): void } {
  const [until, setUntil] = useState(0)
  useEffect(() => {
    if (!until) return
    const timer = setTimeout(() => setUntil(0), ADVICE)
    return () => clearTimeout(timer)
  }, [until])
  return { shown: until > 0, show: () => setUntil(Date.now() + ADVICE) }
}

/** Escape ends the drawing of a line, wherever the focus is. */
function useEscape(end: () => void): void {
  const now = useRef(end)
  now.current = end
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape') now.current()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [])
}

/** Make the renderer once, and tell it what changed. */
function useRenderer(
  canvas: { current: HTMLCanvasElement | null },
  props: StageProps,
): { current: Renderer | null } {
  const renderer = useRef<Renderer | null>(null)
  const { points, size, codes, palette, shown, camera, hold, withoutWebgl } = props
  const dark = isDark()
  useEffect(() => {
    const made = createRenderer(canvas.current!, points, withoutWebgl)
    renderer.current = made
    canvas.current!.dataset.kind = made.kind
    made.setCamera(camera.peek())
    resizeTo(made, size)
    hold(made, canvas.current)
    return () => {
      made.destroy()
      renderer.current = null
      hold(null, null)
    }
  }, [points, withoutWebgl])
  useEffect(() => renderer.current?.setCodes(codes), [points, codes])
  useEffect(
    () => renderer.current?.setColours(palette, shown, [...asNumbers(GREY), 0.28]),
    [points, palette, shown, dark],
  )
  useLayoutEffect(() => {
    // before the next frame: nothing is drawn for a size that is known to be another
    if (renderer.current) resizeTo(renderer.current, size)
  }, [size.width, size.height])
  return renderer
}

const resizeTo = (renderer: Renderer, { width, height }: Size): void =>
  renderer.resize(width, height, Math.min(2, window.devicePixelRatio || 1))

/** The line being drawn, or the one that was. */
function Drawing({
  line,
  lasso,
  camera,
  size,
}: {
  line: Signal<Place[]>
  lasso: Place[]
  camera: Signal<Camera>
  size: Size
}): JSX.Element {
  const polygon = line.value.length ? line.value : lasso
  const corners = cornersOf(polygon.map((place) => toScreen(camera.value, size, place)))
  return (
    <svg class="map-lasso" width={size.width} height={size.height} aria-hidden="true">
      {corners && <polygon points={corners} class={line.value.length ? 'being-drawn' : ''} />}
    </svg>
  )
}
