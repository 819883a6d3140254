import { describe, expect, it } from 'vitest'
import { fitOf, passage, wordsWanted } from '../src/find'
import { findTerm, likeTerms, usesOf } from '../src/terms'
import { readPoints } from '../src/unpack'
import type { Terms, Topic } from '../src/payload'

describe('wordsWanted', () => {
  it('takes each word once, in small letters, without what stands around it', () => {
    expect(wordsWanted(' "Moon" moon  (landing), x-ray ')).toEqual(['moon', 'landing', 'x-ray'])
    expect(wordsWanted('   ')).toEqual([])
    expect(wordsWanted('++')).toEqual(['++'])
  })
})

describe('fitOf', () => {
  it('wants every word, and likes whole words better', () => {
    expect(fitOf('The Moon landing', ['moon', 'landing'])).toBe(2)
    expect(fitOf('The moons landing', ['moon', 'landing'])).toBe(1)
    expect(fitOf('moons, then the moon', ['moon'])).toBe(2)
    expect(fitOf('The Moon', ['moon', 'landing'])).toBe(0)
    expect(fitOf(null, ['moon'])).toBe(0)
  })
})

describe('passage', () => {
  const bare = (text: string) => text.replaceAll('\u0002', '').replaceAll('\u0003', '')

  it('marks every place of the words, in the letters of the text', () => {
    expect(passage('The Moon and the moon', ['moon'])).toBe('The \u0002Moon\u0003 and the \u0002moon\u0003')
  })

  it('shows what is around the first word, cut between words', () => {
    const shown = passage(`${'before '.repeat(50)}target ${'after '.repeat(50)}`, ['target'])
    expect(shown).toContain(' \u0002target\u0003 ')
    expect(bare(shown)).toMatch(/^… before .* target after .*after …$/)
    expect(shown.length).toBeLessThan(320)
  })

  it('keeps its places in a text whose capitals grow in small letters', () => {
    expect(passage('İİİİ moon', ['moon'])).toBe('İİİİ \u0002moon\u0003')
  })

  it('shows the beginning where the words are in the title only, and nothing of no text', () => {
    expect(bare(passage('some text', ['moon']))).toBe('some text')
    expect(passage(null, ['moon'])).toBe('')
  })

  it('cuts no character in two', () => {
    for (let before = 80; before < 100; before++)
      expect(() =>
        encodeURIComponent(
          passage(`${'a'.repeat(before % 2)}${'🚀'.repeat(before)}moon${'🚀'.repeat(200)}`, ['moon']),
        ),
      ).not.toThrow()
  })

  it('is not misled by marks in the text itself, overlapping words, or a word of a million letters', () => {
    expect(passage('a \u0002moon\u0003', ['moon'])).toBe('a  \u0002moon\u0003 ')
    expect(passage('moonlight', ['moon', 'moonlight'])).toBe('\u0002moonlight\u0003')
    expect(passage('a'.repeat(1_000_000), ['aa']).length).toBeLessThan(600)
  })
})

const terms: Terms = {
  words: ['space', 'orbit', 'orbital', 'deorbit'],
  totals: [9, 7, 3, 1],
  topics: [
    [[0, 90]],
    [
      [0, 80],
      [1, 20],
    ],
    [],
    [],
  ],
  left: 2,
}

describe('terms', () => {
  it('finds a word in any case', () => {
    expect(findTerm(terms, 'Orbit')).toEqual({
      word: 'orbit',
      place: 1,
      total: 7,
      topics: [
        [0, 80],
        [1, 20],
      ],
    })
    expect(findTerm(terms, 'moon')).toBeNull()
  })

  it('lists the word itself, then those that begin with it, then those that hold it', () => {
    expect(likeTerms(terms, 'orbit', 10).found.map((each) => each.word)).toEqual([
      'orbit',
      'orbital',
      'deorbit',
    ])
    expect(likeTerms(terms, 'orbit', 1)).toMatchObject({ total: 3, found: [{ word: 'orbit' }] })
    expect(likeTerms(terms, ' ', 10).total).toBe(0)
  })

  it('finds the topics that have a word or a phrase among their own', () => {
    const topics = [
      { topic: 0, keywords: [['red planet', 0.02]], terms: [['orbit', 0.01, 0.001]] },
      { topic: 1, keywords: [['orbit', 0.03]], terms: [] },
    ] as unknown as Topic[]
    expect(usesOf(topics, 'orbit')).toEqual([
      { topic: 1, share: 0.03, place: 1, overall: null },
      { topic: 0, share: 0.01, place: null, overall: 0.001 },
    ])
    expect(usesOf(topics, 'Red Planet').map((each) => each.topic)).toEqual([0])
  })
})

describe('readPoints', () => {
  it('reads columns where they lie; those that are not there are null', () => {
    const buffer = new ArrayBuffer(12)
    new Int16Array(buffer, 0, 2).set([-1, 5])
    new Uint8Array(buffer, 4, 2).set([255, 7])
    new Int32Array(buffer, 8, 1).set([-3])
    const points = readPoints(
      buffer,
      [
        { name: 'topic', type: 'i16', offset: 0 },
        { name: 'membership', type: 'u8', offset: 4 },
      ],
      2,
    )
    expect([...points.topic]).toEqual([-1, 5])
    expect([...points.membership]).toEqual([255, 7])
    expect([points.date, points.label, points.chunk]).toEqual([null, null, null])
    expect(readPoints(buffer, [{ name: 'date', type: 'i32', offset: 8 }], 1).date![0]).toBe(-3)
  })

  it('refuses a column that does not fit', () => {
    expect(() => readPoints(new ArrayBuffer(4), [{ name: 'rank', type: 'u32', offset: 0 }], 2)).toThrow()
  })
})
