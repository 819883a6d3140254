/**
 * Where names stand on the map: the most important first, each on its own group or, where it would lie on others, in free
 * room beside it with a line to it. None lies on another; a line rather makes a detour than to run under a name. Numbers
 * only; `Names.tsx` draws them.
 */
import type { Place, Size } from './camera'
import type { Ground } from './groups'

export type Kind = 'topic' | 'part' | 'word'

export interface Name {
  key: string
  kind: Kind
  topic: number
  lines: string[]
  /** Height of its letters in pixels; the box of its lines. */
  font: number
  width: number
  height: number
  /** What it names: a place where there is a document, and how far the group reaches, in the world. */
  x: number
  y: number
  radius: number
  /** The same with fewer words, where it has no room; the longest first. */
  shorter?: Name[]
}

export interface PlacedName extends Name {
  /** The middle of its box, in the world: as one comes nearer all middles part, so that boxes never meet. */
  at: Place
  /** It stands beside what it names, with a line to it. */
  aside: boolean
}

const AIR = 3 // pixels around a name
const DIRECTIONS = 24
const FARTHEST = 900 // pixels of a line
const FOREIGN = 6 // what it costs to lie on other groups as a whole
const LINE = 0.4 // and to need a line, for itself and for a hundred pixels of it
const PER_PIXEL = 0.006
const NARROW = 500 // pixels of a screen on which only names near what they name are shown
const MOST_NARROW = 1.8
const LAST_NARROW = 3.5 // or a little farther, where it cannot be made shorter
const SWEEPS = 6
const CROSSED = 0.5 // and to cross another line, or to run under a name

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

type Line = readonly [ax: number, ay: number, bx: number, by: number]

const boxAt = (x: number, y: number, { width, height }: Name): Box => ({
  left: x - width / 2 - AIR,
  right: x + width / 2 + AIR,
  top: y - height / 2 - AIR,
  bottom: y + height / 2 + AIR,
})

export const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Whether a line touches a box (Liang and Barsky 1984). */
export function meets([ax, ay, bx, by]: Line, box: Box): boolean {
  let [from, to] = [0, 1]
  for (const [step, room] of [
    [ax - bx, ax - box.left],
    [bx - ax, box.right - ax],
    [ay - by, ay - box.top],
    [by - ay, box.bottom - ay],
  ] as const) {
    if (step === 0 && room < 0) return false
    if (step < 0) from = Math.max(from, room / step)
    else if (step > 0) to = Math.min(to, room / step)
  }
  return from <= to
}

function crosses([ax, ay, bx, by]: Line, [cx, cy, dx, dy]: Line): boolean {
  const side = (px: number, py: number, qx: number, qy: number, x: number, y: number) =>
    Math.sign((qx - px) * (y - py) - (qy - py) * (x - px))
  return (
    side(ax, ay, bx, by, cx, cy) !== side(ax, ay, bx, by, dx, dy) &&
    side(cx, cy, dx, dy, ax, ay) !== side(cx, cy, dx, dy, bx, by)
  )
}

/** The end of the line at a box: the place of its edge that is nearest to what it names. */
export function lineTo(box: Box, x: number, y: number): Line {
  const within = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value))
  return [x, y, within(x, box.left, box.right), within(y, box.top, box.bottom)]
}

interface Found {
  x: number
  y: number
  cost: number
  aside: boolean
}

/** What is there already, in pixels of the whole world. */
interface Taken {
  boxes: Box[]
  lines: Line[]
  bounds: Box
  /** How much of a box lies on other groups than this one, 0 to 1. */
  foreign(box: Box, topic: number): number
}

/** Names with their places, those that have one: the more important come first in `names`. */
export function placeNames(names: Name[], scale: number, size: Size, ground: Ground): PlacedName[] {
  const side = Math.min(scale, Math.min(size.width, size.height))
  const [across, down] = [(size.width - side) / 2, (size.height - side) / 2].map((room) =>
    Math.max(4, room - 4),
  )
  const taken: Taken = {
    boxes: [],
    lines: [],
    bounds: { left: -across!, top: -down!, right: scale + across!, bottom: scale + down! },
    foreign: (box, topic) =>
      ground.foreign(box.left / scale, box.top / scale, box.right / scale, box.bottom / scale, topic),
  }
  const narrow = size.width < NARROW
  const places: [Name, Found][] = []
  const put = (whole: Name) => {
    const forms = [whole, ...(whole.shorter ?? [])]
    const most = (i: number) => (!narrow ? Infinity : i < forms.length - 1 ? MOST_NARROW : LAST_NARROW)
    const [name, found] = firstFound(forms, (form, i) => placeOf(form, scale, taken, most(i)))
    if (!name || !found) return
    const box = boxAt(found.x, found.y, name)
    taken.boxes.push(box)
    if (found.aside) taken.lines.push(lineTo(box, name.x * scale, name.y * scale))
    places.push([name, found])
  }
  names.filter(({ kind }) => kind === 'topic').forEach(put)
  untangle(places, scale, taken)
  names.filter(({ kind }) => kind !== 'topic').forEach(put)
  return places.map(([name, { x, y, aside }]) => ({ ...name, at: [x / scale, y / scale], aside }))
}

/** The first of some for which something is found, and that. */
function firstFound<T, F>(all: T[], find: (one: T, i: number) => F | null): [T, F] | [null, null] {
  for (const [i, one] of all.entries()) {
    const found = find(one, i)
    if (found) return [one, found]
  }
  return [null, null]
}

function placeOf(name: Name, scale: number, taken: Taken, most: number): Found | null {
  const own = inGroup(name, scale, taken)
  if (name.kind !== 'topic' || (own && own.cost <= LINE)) return own
  return beside(name, scale, taken, Math.min(most, own?.cost ?? Infinity)) ?? own
}

/** Names that stand aside change their places where lines become shorter: then they hardly cross. */
function untangle(places: [Name, Found][], scale: number, taken: Taken): void {
  const aside = places.map((_, i) => i).filter((i) => places[i]![1].aside)
  const boxOf = (i: number, { x, y }: Found) => boxAt(x, y, places[i]![0])
  const long = (i: number, at: Found) => {
    const [ax, ay, bx, by] = lineTo(boxOf(i, at), places[i]![0].x * scale, places[i]![0].y * scale)
    return Math.hypot(bx - ax, by - ay)
  }
  for (let sweep = 0, moved = true; moved && sweep < SWEEPS; sweep++) {
    moved = false
    for (const i of aside)
      for (const j of aside) {
        const [one, other] = [places[i]![1], places[j]![1]]
        if (i >= j || long(i, other) + long(j, one) > long(i, one) + long(j, other) - 1) continue
        const boxes = [boxOf(i, other), boxOf(j, one)] as const
        const rest = { ...taken, boxes: taken.boxes.filter((_, k) => k !== i && k !== j) }
        if (overlap(...boxes) || !boxes.every((box) => isFree(box, rest))) continue
        places[i]![1] = other
        places[j]![1] = one
        taken.boxes[i] = boxes[0]
        taken.boxes[j] = boxes[1]
        moved = true
      }
  }
  taken.lines = aside.map((i) => lineTo(taken.boxes[i]!, places[i]![0].x * scale, places[i]![0].y * scale))
}

function isFree(box: Box, { boxes, bounds }: Taken): boolean {
  if (
    box.left < bounds.left ||
    box.right > bounds.right ||
    box.top < bounds.top ||
    box.bottom > bounds.bottom
  )
    return false
  return !boxes.some((other) => overlap(box, other))
}

/** On its own group: in the middle of it, or as near to that as is free. */
function inGroup(name: Name, scale: number, taken: Taken): Found | null {
  const [ax, ay, radius] = [name.x * scale, name.y * scale, 0.75 * name.radius * scale]
  const most = name.kind === 'topic' ? Infinity : 0.35 // parts and words keep to themselves
  let best: Found | null = null
  for (let far = 0; far <= radius; far += Math.max(9, radius / 8)) {
    for (let turn = 0; turn < (far ? DIRECTIONS : 1); turn++) {
      const angle = (2 * Math.PI * turn) / DIRECTIONS
      const [x, y] = [ax + far * Math.cos(angle), ay + far * Math.sin(angle)]
      const box = boxAt(x, y, name)
      if (!isFree(box, taken)) continue
      const foreign = taken.foreign(box, name.topic)
      const under = taken.lines.filter((line) => meets(line, box)).length
      const cost = FOREIGN * foreign + CROSSED * under + 0.3 * (far / Math.max(1, radius))
      if (foreign <= most && cost < (best?.cost ?? Infinity)) best = { x, y, cost, aside: false }
    }
    if (best && best.cost < 0.3 * (far / Math.max(1, radius))) break
  }
  return best
}

/** Beside its group, with a line to it that runs through no name. */
function beside(name: Name, scale: number, taken: Taken, below = Infinity): Found | null {
  const [ax, ay] = [name.x * scale, name.y * scale]
  let best: Found | null = null
  for (let far = 10; far <= FARTHEST; far += 6 + far / 8) {
    if (LINE + PER_PIXEL * far >= Math.min(below, best?.cost ?? Infinity)) break
    for (let turn = 0; turn < DIRECTIONS; turn++) {
      const angle = (2 * Math.PI * (turn + 0.5)) / DIRECTIONS
      const x = ax + Math.cos(angle) * (far + name.width / 2)
      const y = ay + Math.sin(angle) * (far + name.height / 2)
      const box = boxAt(x, y, name)
      if (!isFree(box, taken)) continue
      const limit = Math.min(below, best?.cost ?? Infinity)
      const least = LINE + PER_PIXEL * far + FOREIGN * taken.foreign(box, -2)
      if (least >= limit) continue
      const line = lineTo(box, ax, ay)
      const crossed =
        taken.lines.filter((other) => crosses(line, other) || meets(other, box)).length +
        taken.boxes.filter((other) => meets(line, other)).length
      const cost = least + CROSSED * crossed
      if (cost < limit) best = { x, y, cost, aside: true }
    }
  }
  return best
}
