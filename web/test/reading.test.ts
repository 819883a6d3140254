/** Texts as people read them, and the words that tell one from others. */
import { describe, expect, it } from 'vitest'
import type { Terms } from '../src/payload'
import { flowing, tellingWords } from '../src/reading'

describe('flowing', () => {
  it('joins lines that a machine broke, and keeps paragraphs', () => {
    const text =
      'It was a long report about copper that\r\n was sent over a wire in the evening\nand printed.\n\n    The second paragraph begins here and\ngoes on.'
    expect(flowing(text)).toBe(
      'It was a long report about copper that was sent over a wire in the evening and printed.\n\n    The second paragraph begins here and goes on.',
    )
  })
  it.each([
    'Shall I compare thee to a summer’s day?\nThou art more lovely and more temperate:\nRough winds do shake the darling buds of May,',
    '> somebody said a thing in a letter\n> and went on to say it for long\nYes.',
    '- one thing that is on a long list here\n- another thing that is on the list',
    'name        number     total of them all\ncopper      12         500',
    'One line.\nAnother line.',
    '',
  ])('leaves verses, quotes, lists, tables and short lines alone', (text) => expect(flowing(text)).toBe(text))
  it('loses no letter', () => {
    const text = 'A line that is long enough to be broken\nhere, and\n\n\nthen  some   more'
    expect(flowing(text).replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
  })
})

const terms = { words: ['market', 'copper', 'cathode', 'alone'], totals: [5000, 60, 8, 1] } as Terms

describe('tellingWords', () => {
  it('puts rare words first, and leaves out what nobody else says or nobody knows', () => {
    const document = { title: 'Copper', text: 'Cathode alone: copper on the market, copper zzz', why: null }
    expect(tellingWords({ ...document, why: null }, terms)).toEqual(['copper', 'cathode', 'market'])
  })
  it('goes by what puts the document where it is, where words are not found', () => {
    const why = { terms: [['銅', ['銅'], 1, 1, 0, null]] } as unknown as NonNullable<
      Parameters<typeof tellingWords>[0]['why']
    >
    expect(tellingWords({ title: null, text: '銅の価格', why }, terms)).toEqual(['銅'])
  })
})
