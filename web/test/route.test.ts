import { describe, expect, it } from 'vitest'
import { chosenFocus, toggled } from '../src/colour'
import {
  binName,
  count,
  daysOfIso,
  decimal,
  firstOf,
  isoOfDays,
  percent,
  plain,
  significant,
} from '../src/format'
import { hashOf, parseHash } from '../src/route'
import { formatNames, parseNames } from '../src/store'

describe('addresses', () => {
  it('are read back as they were written, whatever words hold', () => {
    for (const of of ['orbit', 'a/b', 'x?y=1&z', '100 %', '#hash', 'ünïcode 月', '..', '<b>']) {
      const route = { view: 'word', of, params: { q: 'a & b=c?d#e', lam: '0.5' } }
      expect(parseHash(hashOf(route))).toEqual(route)
    }
  })

  it('lead home where they are empty, and leave empty parameters out', () => {
    for (const hash of ['', '#', '#/'])
      expect(parseHash(hash)).toEqual({ view: 'topics', of: null, params: {} })
    expect(hashOf({ view: 'topics', of: null, params: { q: '' } })).toBe('#/topics')
  })

  it('do not break on what is no valid address', () => {
    expect(parseHash('#/word/%E0%A4%A').of).toBe('%E0%A4%A')
    expect(parseHash('#/a?b?c').params).toEqual({ b: '' })
  })
})

describe('names of topics', () => {
  it('are read back as they were written', () => {
    const names = { 0: 'Space', 3: 'a:b~c%d', 12: '“Law & order” 月' }
    expect(parseNames(formatNames(names))).toEqual(names)
    expect(
      parseNames(
        parseHash(hashOf({ view: 'topics', of: null, params: { names: formatNames(names) } })).params.names!,
      ),
    ).toEqual(names)
  })

  it('drop what is not a name', () => {
    expect(parseNames('x:1~:2~3~4:%E0~5:ok')).toEqual({ 5: 'ok' })
    expect(parseNames('')).toEqual({})
  })
})

describe('chosenFocus', () => {
  it('is empty by default, and where nothing sensible was asked for: all have their colours', () => {
    expect(chosenFocus(undefined, 10)).toEqual([])
    for (const odd of ['', '-', ',', ' ', '1e0', '0x1']) expect(chosenFocus(odd, 5)).toEqual([])
  })

  it('is what was asked for, each once, no more than there are', () => {
    expect(chosenFocus('3,3,1,x,99,-1,1.5', 5)).toEqual([3, 1])
    expect(chosenFocus([...Array(200).keys()].join(), 20)).toHaveLength(20)
  })
})

describe('toggled', () => {
  it('takes one in or out', () => {
    expect(toggled([3, 1], 5)).toEqual([3, 1, 5])
    expect(toggled([3, 1], 3)).toEqual([1])
    expect(toggled([3], 3)).toEqual([])
  })
})

describe('plain', () => {
  it('takes away what could turn or hide a line, and keeps the rest', () => {
    expect(plain('a\u202Eb\u0000c\u2066d\r\ne')).toBe('a b c d e')
    expect(plain('<b>é月</b>')).toBe('<b>é月</b>')
    expect(plain('abcdef', 4)).toBe('abc…')
    expect(plain('a\u200bb\u2060c\u061cd\u2028e\u2029f')).toBe('a b c d e f')
    expect(plain('hy\u00adphen')).toBe('hyphen')
    expect(plain('👩\u200d🚀 नमस्\u200cते')).toBe('👩\u200d🚀 नमस्\u200cते')
  })

  it('cuts no character in two', () => {
    for (let most = 0; most < 8; most++)
      expect(() => encodeURIComponent(plain('a🚀🚀🚀🚀', most))).not.toThrow()
    expect([firstOf('a🚀b', 2), firstOf('a🚀b', 3), firstOf('a🚀', 3)]).toEqual(['a', 'a🚀', 'a🚀'])
  })
})

describe('numbers and dates', () => {
  it('are written as people read them', () => {
    expect([count(1234567), percent(0.5), percent(0.012), percent(0)]).toEqual([
      '1,234,567',
      '50\u00a0%',
      '1.2\u00a0%',
      '0\u00a0%',
    ])
    expect([0, 1.234, 0.01234, 123.4, -0.5, 12345].map(significant)).toEqual([
      '0',
      '1.23',
      '0.0123',
      '123',
      '−0.500',
      '1.2e+4',
    ])
  })

  it('have a minus only where something is left to be less', () => {
    expect([decimal(-0.0001, 3), decimal(-0, 2), decimal(-0.5, 1), decimal(-10, 0), decimal(NaN)]).toEqual([
      '0.000',
      '0.00',
      '−0.5',
      '−10',
      '–',
    ])
  })

  it('of bins have their name', () => {
    expect(
      (['day', 'week', 'month', 'quarter', 'year', 'decade'] as const).map((bin) =>
        binName('2020-08-10', bin),
      ),
    ).toEqual(['10 Aug 2020', 'week of 10 Aug 2020', 'Aug 2020', '2020 Q3', '2020', '2020s'])
  })

  it('of days go there and back', () => {
    for (const iso of ['1970-01-01', '1787-09-17', '2024-02-29']) expect(isoOfDays(daysOfIso(iso))).toBe(iso)
    expect(daysOfIso('1969-12-31')).toBe(-1)
    expect(daysOfIso('2020-99-99')).toBeNaN()
  })
})
