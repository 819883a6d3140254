import { describe, expect, it } from 'vitest'
import { marked, segments, voices } from '../src/highlight'
import type { Why } from '../src/payload'

const found = (text: string, terms: string[][]) =>
  segments(text, terms)
    .filter((each) => each.term >= 0)
    .map((each) => [each.text, each.term])

describe('segments', () => {
  it('finds whole words in any case, and gives all of the text back', () => {
    const text = 'Orbit, orbits; an ORBIT.'
    expect(found(text, [['orbit']])).toEqual([
      ['Orbit', 0],
      ['ORBIT', 0],
    ])
    expect(
      segments(text, [['orbit']])
        .map((each) => each.text)
        .join(''),
    ).toBe(text)
  })

  it('knows all forms of a term', () => {
    expect(found('running and ran', [['running', 'ran']])).toEqual([
      ['running', 0],
      ['ran', 0],
    ])
  })

  it('takes the longest form first and lets words of one form lie a little apart', () => {
    expect(found('New  York is new', [['new'], ['new york']])).toEqual([
      ['New  York', 1],
      ['new', 0],
    ])
    expect(found('an X-ray', [['x-ray']])).toEqual([['X-ray', 0]])
    expect(found('new\n\n\n\n\n\nyork', [['new york']])).toEqual([])
  })

  it('finds words where there are no spaces, and letters in whatever form', () => {
    const text = '使用Python语言研究人工智能。'
    expect(found(text, [['python'], ['人工智能'], ['智能'], ['语言', '研究']])).toEqual([
      ['Python', 0],
      ['语言', 3],
      ['研究', 3],
      ['人工智能', 1],
    ])
    expect(
      segments(text, [['智能']])
        .map((each) => each.text)
        .join(''),
    ).toBe(text)
    expect(found('start中art', [['art']])).toEqual([['art', 0]])
    expect(found('วันนี้อากาศดี', [['อากาศ']])).toEqual([['อากาศ', 0]])
    expect(found('𝐈𝐭 İzmir Ｆｕｌｌ كِتَاب', [['it'], ['izmir'], ['full'], ['كتاب']])).toHaveLength(4)
  })

  it('reads letters of all scripts, with their marks', () => {
    expect(
      found('Éclair ΣΊΓΜΑ हिन्दी русский_1', [['éclair'], ['σίγμα'], ['हिन्दी'], ['русский_1']]).map(
        ([, term]) => term,
      ),
    ).toEqual([0, 1, 2, 3])
    expect(found('हिन्दी', [['हि']])).toEqual([])
  })

  it('leaves a text alone where there is nothing to find', () => {
    expect(segments('text', [])).toEqual([{ text: 'text', term: -1 }])
    expect(segments('text', [[''], ['…']])).toEqual([{ text: 'text', term: -1 }])
    expect(segments('', [['a']])).toEqual([])
  })

  it('does not mistake names of properties of objects for words', () => {
    expect(found('constructor __proto__ toString', [['moon']])).toEqual([])
  })

  it('reads a word of a million letters and a million words', () => {
    expect(segments('a'.repeat(1_000_000), [['aa'], ['a a a a a']])).toHaveLength(1)
    expect(found('a '.repeat(500_000), [['b'], ['a a a a a']])).toHaveLength(100_000)
  })
})

const why = (terms: [mine: number, others: number, evidence: number | null][]): Why => ({
  topic: 0,
  other: 1,
  score: 1,
  other_score: 1,
  rest: { terms: 0, mine: 0, others: 0, evidence: null },
  terms: terms.map(([mine, others, evidence], i) => [`w${i}`, [], 1, mine, others, evidence]),
})

describe('voices', () => {
  it('goes by the contributions where there is no evidence', () => {
    expect(
      voices(
        why([
          [0.9, 0.1, null],
          [0.1, 0.3, null],
          [0.001, 0, null],
        ]),
      ),
    ).toEqual([
      { side: 'mine', strength: 4 },
      { side: 'other', strength: 3 },
      { side: 'mine', strength: 0 },
    ])
  })

  it('goes by the evidence where there is some, whatever the contributions are', () => {
    expect(
      voices(
        why([
          [0.9, 0.1, -2],
          [0.1, 0.3, 1],
        ]),
      ),
    ).toEqual([
      { side: 'other', strength: 4 },
      { side: 'mine', strength: 3 },
    ])
  })

  it('says nothing of terms that are all zero', () => {
    expect(voices(why([[0, 0, null]]))).toEqual([{ side: 'mine', strength: 0 }])
  })
})

describe('marked', () => {
  it('cuts a passage at its marks', () => {
    expect(marked('the \u0002moon\u0003 is')).toEqual([
      { text: 'the ', found: false },
      { text: 'moon', found: true },
      { text: ' is', found: false },
    ])
  })

  it('does not lose text where a mark has no partner', () => {
    expect(
      marked('a \u0003b \u0002c')
        .map((each) => each.text)
        .join(''),
    ).toBe('a \u0003b \u0002c')
    expect(marked('')).toEqual([])
  })
})
