/** Stepping between numbers of topics: at once, in every view, by keyboard, with an address, from file and server alike. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launch, open, show } from './open'
import { addressOf, serve, stop } from './setup'

const SOON = { timeout: 10_000 }
const VIEWS = [
  'topics',
  'topic/1',
  'time',
  'map',
  'document/3',
  'word/moon',
  'classes',
  'search?q=moon',
  'about',
]
let browser: Browser
let server: ChildProcess
const addresses = { file: '', served: '' }
beforeAll(async () => {
  browser = await launch()
  server = serve(join(inject('folder'), 'cuts'))
  addresses.file = `file://${join(inject('folder'), 'cuts', 'page.html')}`
  addresses.served = await addressOf(server)
})
afterAll(async () => {
  await browser.close()
  await stop(server)
})

const shown = (page: Page) => page.locator('.cuts a[aria-current]').textContent()
const numbers = (page: Page) => page.locator('.cuts a').allTextContents()

describe.each(['file', 'served'] as const)('%s', (kind) => {
  test('steps to another number of topics, and back by the history', async () => {
    const { page, errors } = await open(browser, addresses[kind])
    const own = Number(await shown(page))
    const other = (await numbers(page)).map(Number).find((each) => each !== own)!
    expect(await page.locator('main .lede').textContent()).toContain(`, ${own} topics`)
    await page.getByRole('link', { name: `${other} topics`, exact: true }).click()
    await expect.poll(() => page.locator('main .lede').textContent(), SOON).toContain(`, ${other} topics`)
    expect(await shown(page)).toBe(String(other))
    expect(page.url()).toContain(`cut=${other}`)
    await page.goBack()
    await expect.poll(() => page.locator('main .lede').textContent(), SOON).toContain(`, ${own} topics`)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('is reached by keyboard, and named for those who listen', async () => {
    const { page } = await open(browser, addresses[kind])
    const own = await shown(page)
    const list = page.getByRole('navigation', { name: 'Number of topics' })
    const other = list.locator('a:not([aria-current])').first()
    await other.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => shown(page), SOON).not.toBe(own)
    for (const name of await list.getByRole('link').evaluateAll((all) => all.map((a) => a.ariaLabel)))
      expect(name).toMatch(/^\d+ topics$/)
    await page.context().close()
  })

  test('every view shows the cut of its address', async () => {
    const { page, errors } = await open(browser, addresses[kind])
    const own = Number(await shown(page))
    const other = (await numbers(page)).map(Number).find((each) => each > own)!
    for (const view of VIEWS) {
      await show(page, `#/${view}${view.includes('?') ? '&' : '?'}cut=${other}`)
      await expect.poll(() => shown(page), SOON).toBe(String(other))
      await expect.poll(() => page.locator('.sorry, .wait').count(), SOON).toBe(0)
      const links = await page
        .locator('main a[href*="#/topic/"]')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href')!))
      if (!view.startsWith('topic/')) for (const link of links) expect(link, view).toContain(`cut=${other}`)
    }
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a topic is followed to the one that has most of its documents', async () => {
    const { page } = await open(browser, addresses[kind])
    const own = Number(await shown(page))
    const other = (await numbers(page)).map(Number).find((each) => each !== own)!
    await show(page, '#/topic/0')
    const heading = page.getByRole('heading', { name: `${other} topics` })
    await expect.poll(() => heading.count(), SOON).toBe(1)
    const heir = await heading.locator('xpath=following-sibling::ul[1]').locator('a').first().textContent()
    await page.getByRole('link', { name: `${other} topics`, exact: true }).click()
    await expect.poll(() => shown(page), SOON).toBe(String(other))
    await expect.poll(() => page.locator('main h1').textContent(), SOON).toContain(heir!.trim())
    await page.context().close()
  })

  test('a document says which words put it there in the other cut too', async () => {
    const { page } = await open(browser, addresses[kind])
    const other = (await numbers(page)).map(Number).find((each) => String(each) !== '5')!
    await show(page, `#/document/3?cut=${other}`)
    await expect.poll(() => page.locator('#document-memberships').count(), SOON).toBe(1)
    await expect.poll(() => page.locator('mark, .mark').count(), SOON).toBeGreaterThan(0)
    await page.context().close()
  })

  test('a name belongs to the cut that it was given at', async () => {
    const { page } = await open(browser, addresses[kind])
    const own = Number(await shown(page))
    const other = (await numbers(page)).map(Number).find((each) => each !== own)!
    await show(page, `#/topic/0?cut=${other}`)
    await expect.poll(() => shown(page), SOON).toBe(String(other))
    await page
      .getByRole('button', { name: /rename/i })
      .first()
      .click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('Given here')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('main h1').textContent(), SOON).toContain('Given here')
    await show(page, `${new URL(page.url()).hash.replace(`cut=${other}`, '')}`)
    await expect.poll(() => shown(page), SOON).toBe(String(own))
    expect(await page.locator('main h1').textContent()).not.toContain('Given here')
    await show(page, `${new URL(page.url()).hash}&cut=${other}`)
    await expect.poll(() => page.locator('main h1').textContent(), SOON).toContain('Given here')
    await page.context().close()
  })
})

test('a number that the run was not cut at shows its own', async () => {
  const { page, errors } = await open(browser, `${addresses.file}#/topics?cut=7777`)
  expect(await page.locator('main .lede').textContent()).toContain(`, ${await shown(page)} topics`)
  expect(errors).toEqual([])
  await page.context().close()
})

test('where there is one cut there is nothing to step to', async () => {
  const { page } = await open(browser, inject('file'))
  expect(await page.locator('.cuts').count()).toBe(0)
  expect(await page.locator('.run-facts').textContent()).toMatch(/· 6 topics$/)
  await page.context().close()
})
