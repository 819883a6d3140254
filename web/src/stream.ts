/**
 * The streamgraph: where its bands lie and which words fit into them. Numbers only; `time/Stream.tsx` draws it.
 *
 * Counts are first made smooth topic by topic (a monotone cubic that goes through every count and never below zero) and
 * then stacked, sample by sample. So edges never cross, the height at the middle of a bin is its count, and where a word
 * fits can be read off the same samples that are drawn.
 */
import { stack, stackOffsetSilhouette, stackOrderInsideOut } from 'd3-shape'
import { daysOfIso, isoOfDays } from './format'
import type { Bin, Binned } from './payload'
import { toldApart } from './time/order'

/** First day of the bin after the one that begins on this day. */
export function nextStart(start: string, bin: Bin): string {
  if (bin === 'day' || bin === 'week') return isoOfDays(daysOfIso(start) + (bin === 'day' ? 1 : 7))
  const months = { month: 1, quarter: 3, year: 12, decade: 120 }[bin]
  const day = new Date(`${start}T00:00:00Z`)
  day.setUTCMonth(day.getUTCMonth() + months)
  return day.toISOString().slice(0, 10)
}

/** Where bins begin, in days, and where the last one ends. */
export function binEdges(starts: string[], bin: Bin): number[] {
  const last = starts[starts.length - 1]
  return last === undefined ? [] : [...starts.map(daysOfIso), daysOfIso(nextStart(last, bin))]
}

/** Of all documents of a bin, the share of each topic; 0 throughout a bin without documents. */
export function sharesOf(counts: number[][]): number[][] {
  const totals = (counts[0] ?? []).map((_, i) => counts.reduce((sum, row) => sum + row[i]!, 0))
  return counts.map((row) => row.map((n, i) => (totals[i] ? n / totals[i] : 0)))
}

/** `pieces` values for each step between two neighbours, by a monotone cubic (Steffen 1990), and the last value. */
export function smooth(values: number[], pieces: number): number[] {
  const n = values.length
  const step = (i: number) => values[i + 1]! - values[i]!
  const slope = values.map((_, i) => {
    if (i === 0 || i === n - 1) return 0
    const [before, after] = [step(i - 1), step(i)]
    if (before * after <= 0) return 0
    return (
      Math.sign(after) * Math.min(2 * Math.abs(before), 2 * Math.abs(after), Math.abs(before + after) / 2)
    )
  })
  const found: number[] = []
  for (let i = 0; i < n - 1; i++) {
    for (let j = 0; j < pieces; j++) {
      const t = j / pieces
      const [a, b] = [t * t * (3 - 2 * t), t * (1 - t) * (1 - t)]
      found.push(values[i]! * (1 - a) + values[i + 1]! * a + slope[i]! * b - slope[i + 1]! * t * t * (1 - t))
    }
  }
  return n ? [...found, values[n - 1]!] : found
}

interface Band {
  topic: number
  low: number[]
  high: number[]
}

export interface Stream {
  /** Where the samples lie, in days. */
  at: number[]
  /** Topics with documents; edges at each sample, in documents or shares. */
  bands: Band[]
  low: number
  high: number
}

const SAMPLES = 400

/** How much the colours of two topics differ. */
type Differ = (one: number, other: number) => number

/** Stack all topics around a middle line; as shares, from 0 to 1. `differ`: bands that touch are to be told apart by it. */
export function streamOf(binned: Binned, bin: Bin, shares: boolean, differ?: Differ): Stream {
  const edges = binEdges(binned.starts, bin)
  const n = binned.starts.length
  const topics = binned.counts
    .map((_, topic) => topic)
    .filter((topic) => binned.counts[topic]!.some((each) => each > 0))
  const values = shares ? sharesOf(binned.counts) : binned.counts
  const pieces = Math.max(1, Math.min(16, Math.floor(SAMPLES / Math.max(1, n))))
  const whole = (inner: number[]) => (inner.length ? [inner[0]!, ...inner, inner[inner.length - 1]!] : [])
  const middles = binned.starts.map((_, i) => (edges[i]! + edges[i + 1]!) / 2)
  const at = middles.flatMap((middle, i) =>
    i === n - 1
      ? [middle]
      : Array.from({ length: pieces }, (_, j) => middle + ((middles[i + 1]! - middle) * j) / pieces),
  )
  const rows = topics.map((topic) => whole(smooth(values[topic]!, pieces)))
  if (shares) {
    // smoothed one by one they sum to nearly 1: make it 1, or the way to a bin without documents
    const there = whole(
      smooth(
        middles.map((_, i) => (topics.some((topic) => values[topic]![i]! > 0) ? 1 : 0)),
        pieces,
      ),
    )
    there.forEach((goal, i) => {
      const sum = rows.reduce((all, row) => all + row[i]!, 0)
      if (sum > 0) for (const row of rows) row[i] = (row[i]! * goal) / sum
    })
  }
  return stacked([edges[0] ?? 0, ...at, edges[n] ?? 1], topics, rows, shares, differ)
}

function stacked(
  at: number[],
  topics: number[],
  rows: number[][],
  shares: boolean,
  differ: Differ = () => Infinity,
): Stream {
  const samples = at.map((_, i) => i)
  const make = stack<unknown, number, number>()
    .keys(topics.map((_, i) => i))
    .value((i, key) => rows[key]![i] ?? 0)
    .order((series) =>
      toldApart(stackOrderInsideOut(series), rows, (one, other) => differ(topics[one]!, topics[other]!)),
    )
  if (!shares) make.offset(stackOffsetSilhouette)
  const bands = make(samples).map((series) => ({
    topic: topics[series.key]!,
    low: series.map((each) => each[0]),
    high: series.map((each) => each[1]),
  }))
  const low = bands.reduce((least, band) => Math.min(least, ...band.low), 0)
  const high = bands.reduce((most, band) => Math.max(most, ...band.high), 0)
  return { at, bands, low, high: high > low ? high : low + 1 }
}

// -- words inside bands ---------------------------------------------------------------------------------------------

/** A band on the screen: y grows downwards. */
export interface Shape {
  x: number[]
  top: number[]
  bottom: number[]
}

interface Candidate {
  word: string
  bin: number
  weight: number
}

export interface Placed extends Candidate {
  x: number
  y: number
  size: number
  width: number
}

export const SMALLEST = 9
export const LARGEST = 28
const LINE = 1.08 // height of a word's box, in its size
const APART = 3 // pixels between words
const REPEATED = 190 // pixels before the same word may come again
const MOST = 60 // words in a band
const PER_WORD = 30 // bins tried for a word
const SCALES = [1, 0.75, 0.55, 0.4, 0.25, 0.12, 0]

/** Edges of a shape at a place between its samples. */
export function edgesAt({ x, top, bottom }: Shape, at: number): [top: number, bottom: number] {
  let low = 0
  let high = x.length - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (x[middle]! <= at) low = middle
    else high = middle
  }
  const width = x[high]! - x[low]!
  const t = width > 0 ? Math.max(0, Math.min(1, (at - x[low]!) / width)) : 0
  return [top[low]! + t * (top[high]! - top[low]!), bottom[low]! + t * (bottom[high]! - bottom[low]!)]
}

/** The straight room between two places: the lowest top and the highest bottom between them; null: outside of the shape. */
export function roomBetween(shape: Shape, from: number, to: number): [top: number, bottom: number] | null {
  const { x, top, bottom } = shape
  if (from < x[0]! || to > x[x.length - 1]!) return null
  const ends = [edgesAt(shape, from), edgesAt(shape, to)]
  let highest = Math.max(ends[0]![0], ends[1]![0])
  let lowest = Math.min(ends[0]![1], ends[1]![1])
  const first = x.findIndex((each) => each >= from)
  for (let i = first; i < x.length && x[i]! <= to; i++) {
    highest = Math.max(highest, top[i]!)
    lowest = Math.min(lowest, bottom[i]!)
  }
  return [highest, lowest]
}

/** The words of a topic with their bins, heaviest first. */
export function candidatesOf(words: Binned['words'][number]): Candidate[] {
  return words
    .flatMap(([word, weights]) =>
      [...weights]
        .sort((a, b) => b[1] - a[1])
        .slice(0, PER_WORD)
        .map(([bin, weight]) => ({ word, bin, weight })),
    )
    .sort((a, b) => b.weight - a.weight || a.bin - b.bin)
}

/**
 * Put words into a band, heaviest first, each where it fits as a whole and touches no other. Within a band a heavier word
 * is never smaller; bands may have their own scale: the one that fills most of the band with words.
 */
export function placeWords(
  shape: Shape,
  candidates: Candidate[],
  middles: number[],
  heaviest: number,
  widthOf: (word: string) => number,
): Placed[] {
  if (!shape.x.some((_, i) => shape.bottom[i]! - shape.top[i]! >= SMALLEST * LINE + 1)) return []
  let best: Placed[] = []
  let most = 0
  for (const scale of SCALES) {
    const placed = placedAt(scale, shape, candidates, middles, heaviest, widthOf)
    const area = placed.reduce((sum, each) => sum + each.width * each.size, 0)
    if (area > most * 1.05) [best, most] = [placed, area]
  }
  return best.length ? best : oneWord(shape, candidates, middles, widthOf)
}

/** Where no word fits into its own period: the first of the topic's words that fits anywhere, as near to it as can be. */
function oneWord(
  shape: Shape,
  candidates: Candidate[],
  middles: number[],
  widthOf: (word: string) => number,
): Placed[] {
  for (const each of candidates) {
    const width = widthOf(each.word) * SMALLEST
    const near = shape.x
      .filter((_, i) => shape.bottom[i]! - shape.top[i]! >= SMALLEST * LINE + 1)
      .sort((a, b) => Math.abs(a - middles[each.bin]!) - Math.abs(b - middles[each.bin]!))
    for (const x of near) {
      const place = freePlace(shape, [], x, width, SMALLEST * LINE)
      if (place) return [{ ...each, ...place, size: SMALLEST, width }]
    }
  }
  return []
}

function placedAt(
  scale: number,
  shape: Shape,
  candidates: Candidate[],
  middles: number[],
  heaviest: number,
  widthOf: (word: string) => number,
): Placed[] {
  const placed: Placed[] = []
  for (const each of candidates) {
    if (placed.length >= MOST) break
    const size =
      SMALLEST + (LARGEST - SMALLEST) * scale * Math.sqrt(Math.min(1, each.weight / (heaviest || 1)))
    const width = widthOf(each.word) * size
    const middle = middles[each.bin]!
    if (placed.some((other) => other.word === each.word && Math.abs(other.x - middle) < REPEATED)) continue
    const place = freePlace(shape, placed, middle, width, size * LINE)
    if (place) placed.push({ ...each, ...place, size, width })
  }
  return placed
}

function freePlace(
  shape: Shape,
  placed: Placed[],
  middle: number,
  width: number,
  height: number,
): { x: number; y: number } | null {
  const first = shape.x[0]! + width / 2 + APART
  const last = shape.x[shape.x.length - 1]! - width / 2 - APART
  if (first > last) return null
  for (const aside of [0, -14, 14, -28, 28]) {
    const x = Math.max(first, Math.min(last, middle + aside)) // a word of the first or last bin is moved inwards
    const room = roomBetween(shape, x - width / 2, x + width / 2)
    if (!room || room[1] - room[0] < height + 1) continue
    const centre = (room[0] + room[1]) / 2
    const slack = (room[1] - room[0] - height - 1) / 2
    for (let off = 0; off <= slack; off += Math.max(2, height / 3)) {
      for (const y of off ? [centre - off, centre + off] : [centre]) {
        if (!placed.some((other) => touches(other, x, y, width, height))) return { x, y }
      }
    }
  }
  return null
}

function touches(other: Placed, x: number, y: number, width: number, height: number): boolean {
  return (
    Math.abs(other.x - x) < (other.width + width) / 2 + APART &&
    Math.abs(other.y - y) < (other.size * LINE + height) / 2
  )
}

/** A round number of documents (1, 2 or 5 times a power of ten), at most `most`, for a scale. */
export function roundBelow(most: number): number {
  if (most < 1) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return power * (most / power >= 5 ? 5 : most / power >= 2 ? 2 : 1)
}

// -- what is pointed at ---------------------------------------------------------------------------------------------

/** A topic in a bin. */
export interface Cell {
  topic: number
  bin: number
}

/** The bin at a place, by where bins begin and the last one ends; beyond them the first or the last. */
export function binAt(borders: number[], x: number): number {
  let found = 0
  for (let i = 0; i < borders.length - 1 && borders[i]! <= x; i++) found = i
  return found
}

/** The bin with the most documents. */
export const peakOf = (counts: number[]): number => counts.indexOf(Math.max(...counts))

/** Words of a topic in a bin, heaviest first. */
export function wordsIn(binned: Binned, { topic, bin }: Cell, most = 6): string[] {
  return (binned.words[topic] ?? [])
    .map(([word, weights]) => [word, weights.find(([at]) => at === bin)?.[1] ?? 0] as const)
    .filter(([, weight]) => weight > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([word]) => word)
}
