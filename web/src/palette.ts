/**
 * A colour for each of some places, as many as there are. The hue is the angle at which a place lies around the middle, the
 * lightness how far outside it is; then colours move a little until near ones are told apart, also by people who see fewer
 * colours. Numbers only, the same for the same places; `colour.ts` says whose places they are.
 */

type Triple = [number, number, number]

export interface Placed {
  x: number
  y: number
  size: number
}

/** Where colours may lie: OKLCH lightness from inside to outside, chroma, and the luminance of the paper. */
const SPACE = {
  light: { lightness: [0.64, 0.57, 0.5, 0.43, 0.36], chroma: [0.08, 0.125, 0.17], paper: 0.955 },
  dark: { lightness: [0.58, 0.65, 0.72, 0.79, 0.86], chroma: [0.08, 0.125, 0.17], paper: 0.0085 },
}
const [LEVELS, VIVID] = [5, 3]
const HUES = 36 // steps around the circle
const APART = 6 // steps that a hue may move
const CONTRAST = 3 // with the paper
const NEAR = 7 // neighbours that are told apart by everybody
const AROUND = 24 // and that are told apart at all
const SWEEPS = 12
const TWICE = 0.6 // what it costs to give a colour to one more
/** ΔE that is wished for: of near ones, the same as others see them, of those around. */
const WISHED = { near: 30, others: 15, around: 14 }

// Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB: protanopia, deuteranopia, tritanopia.
const VISIONS: Triple[][] = [
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
]

const times = (matrix: Triple[], [a, b, c]: Triple): Triple =>
  matrix.map((row) => row[0] * a + row[1] * b + row[2] * c) as Triple

/** Linear RGB of a colour in OKLCH (Ottosson 2020); hue in turns. */
function linearOf(lightness: number, chroma: number, hue: number): Triple {
  const [a, b] = [chroma * Math.cos(2 * Math.PI * hue), chroma * Math.sin(2 * Math.PI * hue)]
  const cones = [
    lightness + 0.3963377774 * a + 0.2158037573 * b,
    lightness - 0.1055613458 * a - 0.0638541728 * b,
    lightness - 0.0894841775 * a - 1.291485548 * b,
  ].map((value) => value ** 3) as Triple
  return times(
    [
      [4.0767416621, -3.3077115913, 0.2309699292],
      [-1.2684380046, 2.6097574011, -0.3413193965],
      [-0.0041960863, -0.7034186147, 1.707614701],
    ],
    cones,
  )
}

/** CIELAB of linear RGB, for differences. */
function labOf(colour: Triple): Triple {
  const [x, y, z] = times(
    [
      [0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505],
      [0.2126, 0.7152, 0.0722],
      [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089],
    ],
    colour.map((value) => Math.max(0, Math.min(1, value))) as Triple,
  ).map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116))
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)]
}

/** A channel of sRGB, 0 to 1, as light. */
export const linear = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
const encoded = (value: number): number =>
  value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055

export const luminance = ([r, g, b]: Triple): number => 0.2126 * r + 0.7152 * g + 0.0722 * b

function hexOf(colour: Triple): string {
  const byte = (value: number) => Math.round(255 * encoded(Math.max(0, Math.min(1, value))))
  return `#${colour.map((value) => byte(value).toString(16).padStart(2, '0')).join('')}`
}

/** As everybody sees a colour, and as people do who see fewer. */
const seenOf = (colour: Triple): Triple[] =>
  [colour, ...VISIONS.map((vision) => times(vision, colour))].map(labOf)

interface Colour {
  hex: string
  hue: number
  level: number
  vivid: number
  seen: Triple[]
}

/** Colours to choose from, and what is wanting between every two of them, near and around. */
interface Choice {
  all: Colour[]
  near: Float32Array
  around: Float32Array
}

/** A colour that screens have: as vivid as asked for, or as there is. */
function within(lightness: number, chroma: number, hue: number): Triple {
  for (let c = chroma; ; c -= 0.005) {
    const found = linearOf(lightness, c, hue)
    if (c <= 0.005 || found.every((value) => value >= -0.0005 && value <= 1.0005)) return found
  }
}

function colours(dark: boolean): Colour[] {
  const { lightness, chroma, paper } = SPACE[dark ? 'dark' : 'light']
  const found: Colour[] = []
  for (let hue = 0; hue < HUES; hue++)
    lightness.forEach((l, level) => {
      chroma.forEach((c, vivid) => {
        const colour = within(l, c, hue / HUES)
        const [low, high] = [luminance(colour), paper].sort((a, b) => a - b)
        if ((high! + 0.05) / (low! + 0.05) < CONTRAST) return
        const hex = hexOf(colour)
        if (found.some((other) => other.hex === hex)) return // no more vivid one is on a screen
        found.push({ hex, hue, level, vivid, seen: seenOf(colour) })
      })
    })
  return found
}

const difference = (a: Triple, b: Triple): number =>
  Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)

const lacking = (wished: number, there: number): number => Math.max(0, 1 - there / wished) ** 2

/** How much is wanting between two near colours. */
function wanting(a: Colour, b: Colour): number {
  let sum = lacking(WISHED.near, difference(a.seen[0]!, b.seen[0]!))
  for (let vision = 1; vision < a.seen.length; vision++)
    sum += lacking(WISHED.others, difference(a.seen[vision]!, b.seen[vision]!))
  return sum
}

const known = new Map<boolean, Choice>()

function choiceOn(dark: boolean): Choice {
  const found = known.get(dark)
  if (found) return found
  const all = colours(dark)
  const n = all.length
  const [near, around] = [new Float32Array(n * n), new Float32Array(n * n)]
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      near[i * n + j] = near[j * n + i] = wanting(all[i]!, all[j]!)
      const far = difference(all[i]!.seen[0]!, all[j]!.seen[0]!)
      around[i * n + j] = around[j * n + i] = 0.25 * lacking(WISHED.around, far)
    }
  known.set(dark, { all, near, around })
  return choiceOn(dark)
}

/** The numbers of the others, nearest first. */
function neighbours(places: Placed[], own: number): number[] {
  const far = places.map(({ x, y }) => Math.hypot(x - places[own]!.x, y - places[own]!.y))
  return places
    .map((_, i) => i)
    .filter((i) => i !== own)
    .sort((a, b) => far[a]! - far[b]! || a - b)
    .slice(0, AROUND)
}

/** What a place wishes for: a hue in turns, half by its angle and half by the order of angles; how far outside, 0 to 1. */
interface Ideal {
  hue: number
  out: number
}

function ideals(places: Placed[]): Ideal[] {
  const n = Math.max(1, places.length)
  const mean = (of: (place: Placed) => number) => places.reduce((sum, place) => sum + of(place), 0) / n
  const [x, y] = [mean((place) => place.x), mean((place) => place.y)]
  const angle = places.map((place) => (Math.atan2(place.y - y, place.x - x) / (2 * Math.PI) + 1) % 1)
  const far = places.map((place) => Math.hypot(place.x - x, place.y - y))
  const rank = (values: number[]) => {
    const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]! || a - b)
    const found = values.map(() => 0)
    order.forEach((i, place) => {
      found[i] = place
    })
    return found
  }
  const [turn, out] = [rank(angle), rank(far)]
  return places.map((_, i) => ({ hue: (angle[i]! + turn[i]! / n) / 2, out: n > 1 ? out[i]! / (n - 1) : 0.5 }))
}

/** A colour for each place, as #rrggbb. */
export function coloursOf(places: Placed[], dark: boolean): string[] {
  const choice = choiceOn(dark)
  const wished = ideals(places)
  const near = places.map((_, i) => neighbours(places, i))
  const close = near.map((others, own) =>
    others.map((other, place) => place < NEAR || near[other]!.slice(0, NEAR).includes(own)),
  )
  const chosen = new Int32Array(places.length).fill(-1)
  const used = new Uint16Array(choice.all.length)
  const order = places.map((_, i) => i).sort((a, b) => places[b]!.size - places[a]!.size || a - b)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = false
    for (const own of order) {
      const before = chosen[own]!
      if (before >= 0) used[before]!--
      const best = bestOf(choice, wished[own]!, near[own]!, close[own]!, chosen, used)
      used[best]!++
      moved ||= best !== before
      chosen[own] = best
    }
    if (!moved) break
  }
  return [...chosen].map((colour) => choice.all[colour]!.hex)
}

/** The colour that has least wanting beside those of the others, and is most like the one wished for. */
function bestOf(
  { all, near, around }: Choice,
  wished: Ideal,
  others: number[],
  close: boolean[],
  chosen: Int32Array,
  used: Uint16Array,
): number {
  let [best, least] = [-1, Infinity]
  all.forEach((colour, number) => {
    const turned = Math.abs(colour.hue - HUES * wished.hue)
    const steps = Math.min(turned, HUES - turned)
    if (steps > APART) return
    const aside = (steps / APART) ** 2 + 0.5 * (colour.level / (LEVELS - 1) - wished.out) ** 2
    let cost = 0.04 * (aside + (VIVID - 1 - colour.vivid)) + TWICE * used[number]!
    const row = number * all.length
    for (let i = 0; i < others.length; i++) {
      const other = chosen[others[i]!]!
      if (other >= 0) cost += (close[i] ? near : around)[row + other]!
    }
    if (cost < least - 1e-6) [best, least] = [number, cost]
  })
  return best
}

const linearRgb = (hex: string): Triple =>
  [1, 3, 5].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255)) as Triple

/** The ΔE between every two colours, as those see them for whom it is least: n × n, row by row. */
export function differencesOf(colours: string[]): Float32Array {
  const n = colours.length
  const seen = colours.map((hex) => seenOf(linearRgb(hex)))
  const found = new Float32Array(n * n)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      const least = Math.min(...seen[i]!.map((own, vision) => difference(own, seen[j]![vision]!)))
      found[i * n + j] = found[j * n + i] = least
    }
  return found
}

/** What lies between some colours, each as much as it weighs: less vivid the more they differ. */
export function between(colours: string[], weights: number[]): string {
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const parts = colours.map(linearRgb)
  return hexOf(
    [0, 1, 2].map((i) => parts.reduce((sum, part, j) => sum + part[i]! * weights[j]!, 0) / total) as Triple,
  )
}
