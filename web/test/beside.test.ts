/** Links lead to the web alone. */
import { expect, test } from 'vitest'
import { Address, isAddress } from '../src/views/Beside'

test('only http and https are addresses', () => {
  expect(['http://a.org/x?y=1', 'HTTPS://a.org'].map(isAddress)).toEqual([true, true])
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    ' https://a',
    'ftp://a',
    'https://',
    '//a',
    'https:// a',
  ])
    expect(isAddress(url), url).toBe(false)
})

test('what is no address is no link, and a link tells nobody where it comes from', () => {
  expect(Address({ url: 'javascript:alert(1)' })).toBeNull()
  expect(Address({})).toBeNull()
  expect(Address({ url: 'https://a.org' })!.props).toMatchObject({ href: 'https://a.org' })
  expect((Address({ url: 'https://a.org' })!.props as { rel: string }).rel).toContain('noreferrer')
})
