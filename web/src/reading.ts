/** A text as people read it, and the words that tell it from others. No DOM here. */
import type { Terms, Whole } from './payload'

/** A line that a machine broke is so long, and neither a list, a quote nor a table. */
const [SHORTEST, LONGEST] = [25, 92]
const OWN_LINE = /^\s*(?:[>|*•·#+=_~:-]|\d+[.)]\s|\(?[a-z\d][.)]\s)|\S\s{3,}\S|\t|-{3,}/i
/** Prose that was broken goes on in small letters more often than not; verses and addresses do not. */
const GOES_ON = /^\s*[\p{Ll}\p{N}(]/u

/** The text with its paragraphs, where lines that were broken at the edge of a page flow on; all else stays as it is. */
export function flowing(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const indent = (line: string) => line.length - line.trimStart().length
  const follows = lines.map((line, i) => {
    const before = lines[i - 1]?.trimEnd() ?? ''
    const whole = before.length >= SHORTEST && before.length <= LONGEST && line.length <= LONGEST
    return whole && !!line.trim() && indent(line) < 2 && !OWN_LINE.test(before) && !OWN_LINE.test(line)
  })
  const broken = lines.filter((_, i) => follows[i])
  if (broken.filter((line) => GOES_ON.test(line)).length * 2 < broken.length) return text
  return lines.map((line, i) => (i === 0 ? line : follows[i] ? ` ${line.trim()}` : `\n${line}`)).join('')
}

/** Words that are looked for in other documents. */
const MOST = 12
const WORD = /[\p{L}\p{M}][\p{L}\p{M}\p{N}_'’-]{2,}/gu

/** The words that a document uses more than others do, most telling first: frequent here, rare in all. */
export function tellingWords(
  { text, title, why }: Pick<Whole, 'text' | 'title' | 'why'>,
  terms: Terms,
): string[] {
  const place = new Map(terms.words.map((word, i) => [word.toLowerCase(), i]))
  const counts = new Map<string, number>()
  for (const [word] of `${title ?? ''} ${text ?? ''}`.toLowerCase().matchAll(WORD))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = terms.totals.reduce((sum, each) => sum + each, 0)
  const worth = (word: string, times: number) =>
    (1 + Math.log(times)) * Math.log(all / Math.max(2, terms.totals[place.get(word)!] ?? 2))
  const found = [...counts]
    .filter(([word, times]) => place.has(word) && terms.totals[place.get(word)!]! > times)
    .sort(([a, x], [b, y]) => worth(b, y) - worth(a, x) || (a < b ? -1 : 1))
    .map(([word]) => word)
  if (found.length >= MOST / 3) return found.slice(0, MOST)
  const said = why?.terms.flatMap(([word, forms]) => forms[0] ?? word) ?? [] // where words have no spaces between them
  return [...new Set([...found, ...said])].slice(0, MOST)
}
