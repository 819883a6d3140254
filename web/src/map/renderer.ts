/**
 * When and how much is drawn. Points lie in an order that was shuffled once, so that the first so many of them are a fair
 * sample: while the map moves as many are drawn as a frame allows, and when it rests the others are added, frame by frame.
 * Nothing is drawn where nothing changed.
 */
import type { Points } from '../payload'
import { scaleOf, WHOLE, type Camera } from './camera'
import { canvasPainter } from './canvas'
import { isSoftware, webglPainter } from './webgl'

/** The colour of points that are not shown, with its opacity. */
type Hidden = [number, number, number, number]

/** What a painter has to know: the middle in the world, device pixels for the unit square, points' size and opacity. */
export interface PainterView {
  x: number
  y: number
  scale: number
  size: number
  alpha: number
  hidden: Hidden
}

export interface Painter {
  kind: 'webgl' | 'canvas'
  setCodes(codes: Uint16Array): void
  /** RGBA by code; RGBA by topic + 1, of which the first says whether it is shown. */
  setColours(palette: Uint8Array, shown: Uint8Array): void
  /** An empty picture, looked at like this. */
  begin(view: PainterView): void
  /** Add points. */
  draw(from: number, to: number): void
  /** Whether what was asked for is on the screen; a graphics card works by itself. */
  ready(): boolean
  destroy(): void
}

export interface Renderer {
  /** none: nothing here can draw. */
  kind: 'webgl' | 'canvas' | 'none'
  setCamera(camera: Camera): void
  /** A code for each row. */
  setCodes(codes: Uint16Array): void
  setColours(palette: Uint8Array, shown: Uint8Array, hidden: Hidden): void
  resize(width: number, height: number, ratio: number): void
  /** Draw all of it now, for a picture to save. */
  finish(): void
  destroy(): void
}

const FIRST = 300_000 // points a frame to begin with, where the processor draws
const MANY = 30_000 // points that a processor draws quicker by itself than by way of WebGL
const FEWEST = 40_000
const FRAME = 12 // milliseconds; what takes less leaves room for more
const MOVING = 28 // milliseconds for the points of a frame while the map moves
const RESTING = 90 // and when it rests; not more, so that it can be moved at any time

/** Rows in a shuffled order, always the same. */
export function shuffled(n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i)
  let state = 12345
  for (let i = n - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const j = Math.floor((state / 4294967296) * (i + 1))
    const kept = order[i]!
    order[i] = order[j]!
    order[j] = kept
  }
  return order
}

/** How many points may be drawn at once, when drawing `drawn` of them took so long and may take `wanted` milliseconds. */
export function nextBudget(budget: number, drawn: number, took: number, wanted: number, n: number): number {
  if (drawn < Math.min(n, FEWEST)) return budget // too few to tell
  const fair = took < FRAME ? 2 * budget : (budget * wanted) / took
  return Math.round(Math.max(Math.min(n, FEWEST), Math.min(n, 2 * budget, Math.max(budget / 3, fair))))
}

/** Size in pixels and opacity, so that few points are seen and many leave paper between them. */
export function pointLook(n: number, side: number): { size: number; alpha: number } {
  const apart = side / Math.sqrt(Math.max(1, n)) // mean distance of neighbours
  return {
    size: Math.max(1.4, Math.min(9, 1 + 0.42 * apart)),
    alpha: Math.max(0.35, Math.min(0.85, 0.3 + apart / 12)),
  }
}

const gathered = (values: ArrayLike<number>, order: Uint32Array, more = 0): Uint16Array<ArrayBuffer> => {
  const found = new Uint16Array(order.length)
  for (let i = 0; i < order.length; i++) found[i] = values[order[i]!]! + more
  return found
}

interface Work {
  /** An empty picture. */
  begin(): void
  draw(from: number, to: number): void
  ready(): boolean
}

/** Draws a picture of n points piece by piece, in each frame as many as there is time for. */
function createPace(n: number, first: number, work: Work): { change(): void; finish(): void; stop(): void } {
  let budget = first
  let [changed, done, asked] = [true, 0, 0]
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = { drawn: 0, at: 0, moved: false }
  const begin = () => {
    work.begin()
    changed = false
    done = 0
  }
  const add = (to: number) => {
    work.draw(done, to)
    done = to
  }
  const watch = () => {
    // until it is drawn: never more work than is done, and how long it took says how much comes next
    if (!work.ready()) {
      timer = setTimeout(watch, 2)
      return
    }
    budget = nextBudget(budget, last.drawn, performance.now() - last.at, last.moved ? MOVING : RESTING, n)
    last.drawn = 0
    if (changed || done < n) ask()
  }
  const frame = () => {
    asked = 0
    if (last.drawn) return // watch() asks again
    const moved = changed
    if (changed) begin()
    const to = Math.min(n, done + Math.round(moved ? budget : (budget * RESTING) / MOVING))
    last = { drawn: to - done, at: performance.now(), moved }
    add(to)
    watch()
  }
  const ask = () => {
    asked ||= requestAnimationFrame(frame)
  }
  return {
    change() {
      changed = true
      ask()
    },
    finish() {
      if (changed) begin()
      if (done < n) add(n)
    },
    stop() {
      cancelAnimationFrame(asked)
      clearTimeout(timer)
    },
  }
}

interface Look {
  codes?: Uint16Array
  palette?: Uint8Array
  shown?: Uint8Array
  hidden: Hidden
}

export function createRenderer(canvas: HTMLCanvasElement, points: Points, withoutWebgl = false): Renderer {
  const n = points.x.length
  const order = shuffled(n)
  const [x, y, topics] = [
    gathered(points.x, order),
    gathered(points.y, order),
    gathered(points.topic, order, 1),
  ]
  const plain = withoutWebgl || (n > MANY && isSoftware())
  const make = () =>
    (plain ? null : webglPainter(canvas, x, y, topics)) ?? canvasPainter(canvas, x, y, topics)
  let painter = make()
  let camera = WHOLE
  let [width, height, ratio] = [1, 1, 1]
  let look: Look = { hidden: [0.5, 0.5, 0.5, 0.2] }
  const pace = createPace(n, painter?.kind === 'canvas' ? Math.min(n, FIRST) : n, {
    begin() {
      const scale = scaleOf(camera, { width, height }) * ratio
      const { size, alpha } = pointLook(n, scale / ratio)
      painter?.begin({ x: camera.x, y: camera.y, scale, size: size * ratio, alpha, hidden: look.hidden })
    },
    draw(from, to) {
      painter?.draw(from, to)
      canvas.dataset.drawn = String(to)
    },
    ready: () => painter?.ready() ?? true,
  })
  const lost = (event: Event) => {
    event.preventDefault()
    painter = null
  }
  const restored = () => {
    painter = make()
    if (look.codes) painter?.setCodes(look.codes)
    if (look.palette && look.shown) painter?.setColours(look.palette, look.shown)
    pace.change()
  }
  canvas.addEventListener('webglcontextlost', lost)
  canvas.addEventListener('webglcontextrestored', restored)
  return {
    kind: painter?.kind ?? 'none',
    setCamera(next) {
      camera = next
      pace.change()
    },
    setCodes(codes) {
      look.codes = gathered(codes, order)
      painter?.setCodes(look.codes)
      pace.change()
    },
    setColours(palette, shown, hidden) {
      look = { ...look, palette, shown, hidden }
      painter?.setColours(palette, shown)
      pace.change()
    },
    resize(w, h, r) {
      ;[width, height, ratio] = [w, h, r]
      const [wide, high] = [Math.round(w * r), Math.round(h * r)]
      if (canvas.width !== wide) canvas.width = wide
      if (canvas.height !== high) canvas.height = high
      pace.change()
    },
    finish: pace.finish,
    destroy() {
      pace.stop()
      canvas.removeEventListener('webglcontextlost', lost)
      canvas.removeEventListener('webglcontextrestored', restored)
      painter?.destroy()
    },
  }
}
