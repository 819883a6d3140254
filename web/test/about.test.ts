import { expect, test } from 'vitest'
import { inSeconds } from '../src/views/about-words'

test('times are short, and never nothing', () => {
  expect([0, 0.0004, 0.02, 0.9994, 1, 12.34, 250.4].map(inSeconds)).toEqual([
    '1 ms',
    '1 ms',
    '20 ms',
    '999 ms',
    '1.0 s',
    '12.3 s',
    '250 s',
  ])
})
