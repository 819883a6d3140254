/** What the page keeps by itself: in the browser where that is allowed, never an error where it is not. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { basketRows, keep, kept, keptWhere, putBasket, readKept, rowsIn } from '../src/keep'
import type { Head } from '../src/payload'

const head = {
  n: 9,
  title: 'run',
  has: { rename: false },
  about: { fingerprint: 'f', created: 'c' },
} as unknown as Head

afterEach(() => vi.unstubAllGlobals())

function browser(all: Record<string, string>): void {
  const localStorage = {
    getItem: (key: string) => all[key] ?? null,
    setItem: (key: string, value: string) => {
      all[key] = value
    },
  }
  vi.stubGlobal('window', { localStorage })
}

describe('what is kept', () => {
  it('comes back where the browser keeps it, for the same run alone', () => {
    const all = {}
    browser(all)
    readKept(head)
    keep({ names: '0:Law' })
    putBasket([3, 1])
    expect(keptWhere()).toBe('this browser')
    readKept({ ...head, title: 'another' })
    expect(kept.value).toEqual({})
    readKept(head)
    expect(kept.value).toEqual({ names: '0:Law', basket: '3.1' })
    expect(basketRows(9)).toEqual([3, 1])
  })
  it('is kept as long as the page is open where the browser allows nothing', () => {
    vi.stubGlobal('window', {
      get localStorage(): never {
        throw new Error('SecurityError')
      },
    })
    readKept(head)
    keep({ notes: '1:x' })
    expect(kept.value).toEqual({ notes: '1:x' })
    expect(keptWhere()).toBe('this window')
  })
  it('is only what is ours: text, under our names', () => {
    for (const bad of ['{', 'null', '[1]', '{"names":1,"hack":"x","__proto__":"y"}', '"a"']) {
      browser({ 'quire f c 9 0 run': bad })
      readKept(head)
      expect(kept.value).toEqual({})
    }
  })
  it('has rows that there are, each once', () => expect(rowsIn('3.1.3.9.-1.x.1e1.08', 9)).toEqual([3, 1, 8]))
})
