/** Words that are searched for in texts: how well a text fits, and the passage to show of it. No DOM here. */

/** The words of a search, each once; quotes and the like around them do not count. */
export function wordsWanted(words: string): string[] {
  const edge = /^[^\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_]+$/gu
  return [
    ...new Set(
      lowered(words)
        .split(/\s+/)
        .map((word) => word.slice(0, 200).replace(edge, '') || word.slice(0, 200))
        .filter(Boolean),
    ),
  ]
}

/**
 * In small letters, of the usual width, character by character: a few capitals become longer, and then places would
 * not fit any more.
 */
function lowered(written: string): string {
  const text = written
    .replaceAll('İ', 'i')
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (each) =>
    each.toLowerCase().length === each.length ? each.toLowerCase() : each,
  ).join('')
}

const PART_OF_WORD = /[\p{L}\p{M}\p{N}_]/u
const MOST_TRIED = 20

/** Where a word stands in a text that is in small letters: at best as a whole word, else inside one; −1: nowhere. */
function placeOf(lower: string, word: string): { at: number; whole: boolean } {
  const first = lower.indexOf(word)
  for (let at = first, tried = 0; at >= 0 && tried < MOST_TRIED; at = lower.indexOf(word, at + 1), tried++) {
    if (!PART_OF_WORD.test(lower.charAt(at - 1)) && !PART_OF_WORD.test(lower.charAt(at + word.length)))
      return { at, whole: true }
  }
  return { at: first, whole: false }
}

/** How well a text fits: 0 a word is missing, 2 all are there as whole words, 1 some are only part of a longer one. */
export function fitOf(text: string | null | undefined, wanted: string[]): 0 | 1 | 2 {
  if (!text) return 0
  const lower = lowered(text)
  let whole = true
  for (const word of wanted) {
    const place = placeOf(lower, word)
    if (place.at < 0) return 0
    whole &&= place.whole
  }
  return whole ? 2 : 1
}

/** The places, in the list, of the words that a text holds as whole words. */
export function wordsHeld(text: string, wanted: string[]): number[] {
  const lower = lowered(text)
  return wanted.flatMap((word, i) => (placeOf(lower, word).whole ? i : []))
}

/** Without the marks of what was found; `by` stands where each of them was. */
export const unmarked = (passage: string, by = ''): string =>
  passage.replaceAll('\u0002', by).replaceAll('\u0003', by)

/** The text around the first word found; what was found lies between \u0002 and \u0003. */
export function passage(text: string | null, wanted: string[], around = 90): string {
  if (!text) return ''
  const lower = lowered(text)
  const places = wanted.map((word) => placeOf(lower, word).at).filter((at) => at >= 0)
  const first = places.length ? Math.min(...places) : 0
  const from = wordEdge(text, whole(text, Math.max(0, first - around)), first)
  const rough = whole(text, Math.min(text.length, first + 2 * around))
  const space = rough < text.length ? text.lastIndexOf(' ', rough) : rough
  const to = space > first + around ? space : rough
  const clean = (part: string) => unmarked(part, ' ') // a text could hold marks of its own
  let shown = from > 0 ? '… ' : ''
  let at = from
  for (const [start, length] of placesIn(lower.slice(from, to), wanted)) {
    if (from + start < at) continue
    shown += `${clean(text.slice(at, from + start))}\u0002${clean(text.slice(from + start, from + start + length))}\u0003`
    at = from + start + length
  }
  return shown + clean(text.slice(at, to)) + (to < text.length ? ' …' : '')
}

/** The place, or the one before it where it lies inside of a character that is written as two units. */
const whole = (text: string, at: number): number =>
  /^[\udc00-\udfff]/.test(text.charAt(at)) ? Math.max(0, at - 1) : at

/** Where words stand in a short text, in order, of those that begin together the longest first. */
function placesIn(lower: string, wanted: string[]): [at: number, length: number][] {
  const places: [number, number][] = []
  for (const word of wanted) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      places.push([at, word.length])
  }
  return places.sort(([a, x], [b, y]) => a - b || y - x)
}

/** The first place after `from` where a word begins, so that no half word is shown; `from` where there is none. */
function wordEdge(text: string, from: number, before: number): number {
  if (from === 0) return 0
  const space = text.slice(from, before).search(/\s/)
  return space < 0 ? from : from + space + 1
}
