/**
 * What pointers, the wheel and keys do to the map. One finger scrolls the page and two move the map; the wheel scrolls the
 * page too until the map was clicked: whoever only passes by is not held.
 */
import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { panBy, pinch, scaleOf, toWorld, WHOLE, zoomAt, type Camera, type Place, type Size } from './camera'
import { simplified } from './lasso'

const STEP = 60 // pixels that an arrow key moves
const CLICK = 5 // a pointer that moved less has clicked

interface Wanted {
  stage: { current: HTMLDivElement | null }
  camera: Signal<Camera>
  size: Size
  /** A line is to be drawn. */
  drawing: boolean
  /** The row that is meant at a place of the screen; −1: none. */
  pick(place: Place): number
  open(row: number): void
  onLasso(polygon: Place[]): void
}

interface Began {
  place: Place
  moved: boolean
  lasso: boolean
  link: boolean
}

interface Gestures {
  /** The line that is being drawn, and the row that is pointed at. */
  line: Signal<Place[]>
  hover: Signal<number>
  down(event: PointerEvent): void
  move(event: PointerEvent): void
  up(event: PointerEvent): void
  /** Give up what was begun. */
  stop(): void
}

export function usePointers({ stage, camera, size, drawing, pick, open, onLasso }: Wanted): Gestures {
  const line = useSignal<Place[]>([])
  const hover = useSignal(-1)
  const [pointers] = useState(() => new Map<number, Place>())
  const from = useRef<Began | null>(null)
  const world = (place: Place) => toWorld(camera.peek(), size, place)
  const placeOf = (event: MouseEvent): Place => {
    const box = stage.current!.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  const stop = () => {
    line.value = []
    from.current = null
  }
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return
    if (event.isPrimary) pointers.clear() // one that was let go of elsewhere
    pointers.set(event.pointerId, placeOf(event))
    // a link is clicked only by a pointer that is not captured: that is done when it has moved
    if (!isLink(event) || pointers.size > 1) stage.current!.setPointerCapture(event.pointerId)
    if (pointers.size > 1) {
      stop()
      return
    }
    from.current = {
      place: placeOf(event),
      moved: false,
      lasso: drawing || event.shiftKey,
      link: isLink(event),
    }
    if (from.current.lasso) line.value = [world(placeOf(event))]
  }
  const drag = (began: Began, event: PointerEvent, last: Place, place: Place) => {
    if (!began.moved && Math.hypot(place[0] - began.place[0], place[1] - began.place[1]) >= CLICK) {
      began.moved = true
      stage.current!.setPointerCapture(event.pointerId)
    }
    if (began.lasso) line.value = [...line.peek(), world(place)]
    else if (began.moved && event.pointerType !== 'touch') {
      hover.value = -1
      camera.value = panBy(camera.peek(), size, place[0] - last[0], place[1] - last[1])
    }
  }
  const move = (event: PointerEvent) => {
    const place = placeOf(event)
    const last = pointers.get(event.pointerId)
    if (!last) {
      if (event.pointerType === 'mouse') hover.value = isLink(event) ? -1 : pick(place)
      return
    }
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)![1]
      camera.value = pinch(camera.peek(), size, [last, other], [place, other])
    } else if (from.current) drag(from.current, event, last, place)
    pointers.set(event.pointerId, place)
  }
  const up = (event: PointerEvent) => {
    pointers.delete(event.pointerId)
    const began = from.current
    const drawn = simplified(line.peek(), 3 / scaleOf(camera.peek(), size))
    stop()
    if (began?.lasso) {
      if (began.moved && drawn.length >= 3) onLasso(drawn)
    } else if (began && !began.moved && !began.link && event.type === 'pointerup') {
      const row = pick(placeOf(event))
      if (event.pointerType === 'mouse' && row >= 0) open(row)
      else hover.value = row // a finger first shows what is there
    }
  }
  return { line, hover, down, move, up, stop }
}

/** A name is a link, and does what links do. */
const isLink = (event: Event): boolean => event.target instanceof Element && !!event.target.closest('a')

/** The camera after a key; null: the key is not one of the map's. */
export function cameraAfter(key: string, camera: Camera, size: Size): Camera | null {
  const middle: Place = [size.width / 2, size.height / 2]
  switch (key) {
    case 'ArrowLeft':
      return panBy(camera, size, STEP, 0)
    case 'ArrowRight':
      return panBy(camera, size, -STEP, 0)
    case 'ArrowUp':
      return panBy(camera, size, 0, STEP)
    case 'ArrowDown':
      return panBy(camera, size, 0, -STEP)
    case '+':
    case '=':
      return zoomAt(camera, size, middle, 1.5)
    case '-':
      return zoomAt(camera, size, middle, 1 / 1.5)
    case '0':
      return WHOLE
    default:
      return null
  }
}

/**
 * The wheel, where the map has the focus or Ctrl or ⌘ is held, and two fingers; `passed` is told of a wheel that was left
 * to the page. Both must be kept from the page, which an ordinary listener is not allowed to.
 */
export function useWheel(
  stage: { current: HTMLDivElement | null },
  camera: Signal<Camera>,
  size: Size,
  passed: () => void,
): void {
  useEffect(() => {
    const element = stage.current!
    const turned = (event: WheelEvent) => {
      const meant = event.ctrlKey || event.metaKey || element.contains(document.activeElement)
      if (!meant) {
        passed()
        return
      }
      event.preventDefault()
      const box = element.getBoundingClientRect()
      const lines = event.deltaMode === 1 ? 16 : 1
      const factor = Math.exp(
        -Math.max(-120, Math.min(120, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0022),
      )
      camera.value = zoomAt(camera.peek(), size, [event.clientX - box.left, event.clientY - box.top], factor)
    }
    const touched = (event: TouchEvent) => {
      if (event.touches.length > 1 && event.cancelable) event.preventDefault()
    }
    element.addEventListener('wheel', turned, { passive: false })
    element.addEventListener('touchstart', touched, { passive: false })
    element.addEventListener('touchmove', touched, { passive: false })
    return () => {
      element.removeEventListener('wheel', turned)
      element.removeEventListener('touchstart', touched)
      element.removeEventListener('touchmove', touched)
    }
  }, [size.width, size.height])
}
