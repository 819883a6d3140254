/** Numbers and dates as people read them. */
import type { Bin } from './payload'

const whole = new Intl.NumberFormat('en')

export const count = (n: number): string => whole.format(n)
export const counted = (n: number, what: string, many = `${what}s`): string =>
  `${count(n)} ${n === 1 ? what : many}`
export const percent = (share: number, digits = share > 0 && share < 0.1 ? 1 : 0): string =>
  `${(100 * share).toFixed(digits)}\u00a0%`
export const decimal = (value: number, digits = 2): string =>
  Number.isFinite(value) ? minus(value.toFixed(digits)) : '–'

/** A minus as printers write it, and none before what is rounded to nothing. */
const minus = (text: string): string => text.replace(/^-(?=[0.]*$)/, '').replace(/^-/, '−')

/** Three significant digits, whatever the size. */
export function significant(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1000 || size < 0.0001) return value.toExponential(1).replace('-', '−')
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(size)))).replace(/^-/, '−')
}

export const isoOfDays = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10)
/** Days since 1970; NaN where it is no day ("2020-99-99"). */
export const daysOfIso = (iso: string): number => Math.round(Date.parse(`${iso}T00:00:00Z`) / 86_400_000)

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A bin by its first day: "Mar 2021", "2021", "1990s". */
export function binName(start: string, bin: Bin): string {
  const [year = '', month = '1', day = ''] = start.split('-')
  const name = MONTHS[Number(month) - 1] ?? ''
  switch (bin) {
    case 'day':
      return `${Number(day)} ${name} ${year}`
    case 'week':
      return `week of ${Number(day)} ${name} ${year}`
    case 'month':
      return `${name} ${year}`
    case 'quarter':
      return `${year} Q${Math.floor((Number(month) - 1) / 3) + 1}`
    case 'year':
      return year
    case 'decade':
      return `${year}s`
  }
}

/** The ends of a span as short as they can be, and the span in words: years, else months, else days of a month. */
export function spanName(first: string, last: string, bin: Bin): [from: string, to: string, words: string] {
  const short = (length: number, name: (iso: string) => string) =>
    first.slice(0, length) === last.slice(0, length) ? null : [name(first), name(last)]
  const [from = '', to = ''] = (bin === 'decade' || bin === 'year'
    ? null
    : (short(4, (iso) => iso.slice(0, 4)) ??
      short(7, (iso) => binName(iso, 'month').slice(0, 3)) ??
      short(10, (iso) => binName(iso, 'day').replace(/ \d+$/, '')))) ?? [
    binName(first, bin),
    binName(last, bin),
  ]
  const year = first.slice(0, 4)
  return [from, to, from.includes(year) || bin === 'decade' ? `${from} to ${to}` : `${from} to ${to} ${year}`]
}

/**
 * What could turn a line around, break it or hide things: control characters, marks of direction, breaks, blanks without
 * width, soft hyphens. The joiners (U+200C, U+200D) stay: many scripts and pictures need them.
 */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]+/gu

/** At most so many characters; one that is written as two units is never cut in the middle. */
export function firstOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}

/** A text made harmless to look at in a line: what is not seen becomes a blank, and it is cut where it is too long. */
export function plain(text: string, most = Infinity): string {
  const safe = text.replaceAll('\u00ad', '').replace(UNSEEN, ' ').trim()
  return safe.length > most ? `${firstOf(safe, Math.max(0, most - 1)).trimEnd()}…` : safe
}
