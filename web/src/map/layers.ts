/** Which names the map can show: of topics, of their parts, and words of both; more as one comes nearer. */
import { plain } from '../format'
import type { Points } from '../payload'
import { head, nameOf } from '../store'
import { textWidth } from '../text'
import { scaleOf, toWorld, type Camera, type Size } from './camera'
import { groundOf, groupsOf, type Ground, type Group } from './groups'
import { placeNames, type Kind, type Name, type PlacedName } from './names'
import { partsOf, type Part } from './parts'

export const LINE_HEIGHT = 1.16 // of its letters
export const WEIGHTS: Record<Kind, number> = { topic: 650, part: 600, word: 400 }
const STEP = 1.2 // how much nearer one comes before names are placed anew
const NARROW = 500 // pixels
const MANY = 40 // topics, whose names are smaller
const CROWDED = 15 // and, on a narrow screen, shorter
const PARTS_FROM = 50 // pixels from the middle of a topic to its edge, before its parts have names
const WORDS_FROM = 120 // and of a topic or part before it has words

/** What of it does not depend on where one looks. */
export interface Layers {
  topics: (Group | null)[]
  parts: Part[]
  ground: Ground
}

export function layersOf(points: Points): Layers {
  return {
    topics: groupsOf(points, (row) => points.topic[row]!, head.value!.topics.length),
    parts: partsOf(points, head.value!),
    ground: groundOf(points),
  }
}

/** One or two lines, the longer as short as can be. */
export function wrapped(text: string, most = 16): string[] {
  const words = text.split(' ')
  if ([...text].length <= most || words.length < 2) return [text]
  const splits = words.slice(1).map((_, i) => [words.slice(0, i + 1).join(' '), words.slice(i + 1).join(' ')])
  const longest = (lines: string[]) => Math.max(...lines.map((line) => line.length))
  return splits.reduce((best, each) => (longest(each) < longest(best) ? each : best))
}

/** A name, and with ever fewer of the words that commas part it into; the first is not longer than `most`. */
export function formsOf(name: string, most: number): string[] {
  const words = plain(name).split(', ')
  const forms = words.map((_, i) => words.slice(0, words.length - i).join(', '))
  const short = forms.filter((form) => form.length <= most)
  return short.length ? short : [plain(name, most)]
}

function nameFor(kind: Kind, key: string, topic: number, text: string, font: number, group: Group): Name {
  const lines = kind === 'word' ? [text] : wrapped(text)
  return {
    key,
    kind,
    topic,
    lines,
    font,
    width: Math.max(...lines.map((line) => textWidth(line, font, WEIGHTS[kind]))),
    height: lines.length * font * LINE_HEIGHT,
    x: group.x,
    y: group.y,
    radius: group.radius,
  }
}

/** How many letters a name may have; on a narrow screen that many topics share, few. */
const longest = (narrow: boolean, topics: number): number => (!narrow ? 48 : topics > CROWDED ? 20 : 32)

const bySize = (a: Group, b: Group): number => b.size - a.size

/** Names to place, the most important first: larger topics, then parts, then words. */
function wanted(layers: Layers, scale: number, size: Size, seen: (group: Group) => boolean, only: number[]) {
  const narrow = size.width < NARROW
  const most = Math.max(1, ...layers.topics.map((group) => group?.size ?? 0))
  const shown = (topic: number) => !only.length || only.includes(topic)
  const topics = layers.topics
    .flatMap((group, topic) => (group && shown(topic) ? [{ ...group, topic }] : []))
    .sort(bySize)
  const names: Name[] = topics.map((group) => {
    const font =
      (narrow ? 10 : topics.length > MANY ? 10.5 : 11.5) + (narrow ? 4 : 7) * Math.sqrt(group.size / most)
    const named = (text: string) => nameFor('topic', `t${group.topic}`, group.topic, text, font, group)
    const [first, ...shorter] = formsOf(nameOf(group.topic), longest(narrow, topics.length))
    return { ...named(first!), shorter: shorter.map(named) }
  })
  const near = (group: Group, from: number) => group.radius * scale > from && seen(group)
  const parted = new Set(topics.filter((group) => near(group, PARTS_FROM)).map((group) => group.topic))
  const parts = layers.parts
    .filter((part) => parted.has(part.topic) && part.words.length && seen(part))
    .sort(bySize)
  parts.forEach((part, i) => {
    const text = plain(part.words.slice(0, 2).join(', '), 40)
    names.push(nameFor('part', `p${part.topic} ${i} ${text}`, part.topic, text, 11.5, part))
  })
  const worded = [
    ...parts.map((part) => ({ ...part, words: part.words.slice(2) })),
    ...topics.map((group) => ({
      ...group,
      words: head.value!.topics[group.topic]!.keywords.slice(3, 12).map(([word]) => word),
    })),
  ].filter((group) => near(group, WORDS_FROM))
  worded.forEach((group, i) => {
    for (const word of group.words)
      names.push(nameFor('word', `w${i} ${word}`, group.topic, plain(word, 24), 10.5, group))
  })
  return names
}

/** Says when names are to be placed anew: how near one is, in steps, and about where. */
export function tileOf(camera: Camera, size: Size): string {
  const step = Math.floor(Math.log(camera.zoom) / Math.log(STEP) + 1e-6)
  const scale = scaleOf({ ...camera, zoom: STEP ** step }, size)
  const tile = (place: number, room: number) => (step < 4 ? 0 : Math.round((2 * place * scale) / room))
  return [step, tile(camera.x, size.width), tile(camera.y, size.height)].join()
}

/** Names around where one looks, with their places. */
export function namesFor(layers: Layers, camera: Camera, size: Size, only: number[]): PlacedName[] {
  const zoom = STEP ** Math.floor(Math.log(camera.zoom) / Math.log(STEP) + 1e-6)
  const scale = scaleOf({ ...camera, zoom }, size)
  const [left, top] = toWorld({ ...camera, zoom }, size, [-size.width / 2, -size.height / 2])
  const [right, bottom] = toWorld({ ...camera, zoom }, size, [1.5 * size.width, 1.5 * size.height])
  const seen = ({ x, y, radius }: Group) =>
    x + radius > left && x - radius < right && y + radius > top && y - radius < bottom
  return placeNames(wanted(layers, scale, size, seen, only), scale, size, layers.ground)
}
