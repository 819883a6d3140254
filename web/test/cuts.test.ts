import { describe, expect, it } from 'vitest'
import { heirOf, whereTo } from '../src/cuts'
import { hashOf, parseHash } from '../src/route'

const FEW = [0, 0, 0, 0, 1, 1, -1, 0]
const MANY = [2, 2, 1, -1, 0, 0, 0, 2]

describe('whereTo', () => {
  it('counts the topics that the documents of a topic are in, most first', () => {
    expect(whereTo(FEW, MANY, 0)).toEqual([
      [2, 3],
      [-1, 1],
      [1, 1],
    ])
    expect(whereTo(MANY, FEW, 0)).toEqual([
      [1, 2],
      [-1, 1],
    ])
    expect(whereTo(FEW, MANY, 7)).toEqual([])
  })

  it('forgets no document', () => {
    for (const topic of [-1, 0, 1])
      expect(whereTo(FEW, MANY, topic).reduce((sum, [, n]) => sum + n, 0)).toBe(
        FEW.filter((each) => each === topic).length,
      )
  })
})

describe('heirOf', () => {
  it('is the topic with most of the documents, and never none', () => {
    expect(heirOf(FEW, MANY, 0)).toBe(2)
    expect(heirOf([0, 0, 0], [-1, -1, 3], 0)).toBe(3)
    expect(heirOf([0], [-1], 0)).toBeUndefined()
  })
})

describe('the address', () => {
  it('keeps the cut, and the names of each', () => {
    const hash = '#/topics?cut=11&names11=3%3ASpace'
    expect(parseHash(hash).params).toEqual({ cut: '11', names11: '3:Space' })
    expect(hashOf(parseHash(hash))).toBe(hash)
  })
})
