/** Which documents have a clear place, and how stable topics are, in words. */
import { describe, expect, it } from 'vitest'
import { CLEAR, clearIn, stableAbout, stableOf } from '../src/clear'
import { headOf } from '../src/filter'
import type { Head, Points, Topic } from '../src/payload'

const topic = (of: Partial<Topic>): Topic => ({ topic: 0, size: 5, stability: 0.5, ...of }) as Topic
const about = { about: { runs: 15 } } as Head

describe('a clear place', () => {
  it('is counted over all topics, and not known where an older page does not say', () => {
    expect(clearIn([topic({ clear: 2 }), topic({ clear: 3 })])).toBe(5)
    expect(clearIn([topic({ clear: 2 }), topic({})])).toBeNull()
  })
  it('is counted anew of those that are shown: half or more, in a topic that is shown', () => {
    const points = {
      topic: Int16Array.of(0, 0, 1, -1, 2),
      membership: Uint8Array.of(CLEAR, CLEAR - 1, 255, 255, 255),
    } as unknown as Points
    const head = { topics: [topic({}), topic({ topic: 1 })], spark: null, classes: null } as unknown as Head
    expect(headOf(head, points).topics.map((each) => each.clear)).toEqual([1, 1])
  })
})

describe('stable', () => {
  it('is said of a topic with its number, and of one document not at all', () => {
    expect(stableOf(about, topic({ stability: 0.964 }))).toContain('96\u00a0% of 15 runs')
    expect(stableOf(about, topic({ stability: null }))).toBe('')
    expect(stableOf(about, topic({ size: 1 }))).toBe('')
    expect(stableAbout(about)).toContain('15 times')
  })
})
