import { describe, expect, it } from 'vitest'
import { asLines, linesOf } from '../src/edits'
import type { Head } from '../src/payload'

const topic = (number: number, words: string[]) => ({
  topic: number,
  name: words[0],
  keywords: words.map((word) => [word, 0.1]),
})
const head = { topics: [topic(0, ['moon', 'orbit']), topic(1, ['goal', 'team'])] } as unknown as Head

describe('edits that a page takes along', () => {
  it('say which words a topic has, so that it is found again', () => {
    const lines = linesOf(head, { 1: 'Sport' }, { 0: 'read\nagain' }, null, 'then')
    expect(lines).toEqual([
      { what: 'rename', topic: 1, name: 'Sport', words: ['goal', 'team'], when: 'then' },
      { what: 'note', topic: 0, note: 'read\nagain', words: ['moon', 'orbit'], when: 'then' },
    ])
    const written = asLines(lines)
    expect(written.split('\n')).toHaveLength(3)
    expect(
      written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(lines)
  })
  it('know the cut, and leave out topics that are not there', () => {
    expect(
      linesOf(head, { 7: 'Nobody', 0: 'Space' }, {}, 2, '').map(({ topic, cut }) => [topic, cut]),
    ).toEqual([[0, 2]])
  })
})
