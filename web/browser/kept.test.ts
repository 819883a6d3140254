/** A page that is a file keeps what people say in the browser, and in a copy of itself; where it may not, nothing fails. */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { launch, open, show } from './open'

const SOON = { timeout: 20_000, interval: 100 }
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
})

async function rename(page: Page, name: string): Promise<void> {
  const pencil = page.locator('main').getByRole('button', { name: /rename/i })
  await pencil.first().click()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('h1').innerText(), SOON).toContain(name)
}

test('a name stays in the browser without the address, and in a saved copy', async () => {
  const { page, errors } = await open(browser, `${inject('file')}#/topic/0`)
  await rename(page, 'My </script> name')
  await page.goto('about:blank')
  await page.goto(`${inject('file')}#/topic/0`)
  await expect.poll(() => page.locator('h1').innerText(), SOON).toContain('My </script> name')
  await show(page, '#/edits')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'save a copy' }).click(),
  ])
  const copy = join(inject('folder'), 'copy.html')
  await download.saveAs(copy)
  await page.context().close()
  const again = await open(browser, `file://${copy}#/topic/0`)
  await expect.poll(() => again.page.locator('h1').innerText(), SOON).toContain('My </script> name')
  await show(again.page, '#/search?q=moon')
  await again.page.waitForSelector('.document-list li')
  expect([...errors, ...again.errors]).toEqual([])
  expect(again.asked).toEqual([])
  await again.page.context().close()
})

test('where the browser keeps nothing, names live in the window and the address, without an error', async () => {
  const { page, errors } = await open(browser, `${inject('file')}#/topic/0`)
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('no', 'SecurityError')
      },
    })
  })
  await page.reload()
  await page.waitForSelector('h1')
  await rename(page, 'Mine')
  await page.reload()
  await expect.poll(() => page.locator('h1').innerText(), SOON).toContain('Mine')
  expect(errors).toEqual([])
  await page.context().close()
})

test('a walk by the keyboard alone: search, read, collect, and take along', async () => {
  const { page, errors } = await open(browser, inject('file'))
  const to = async (name: RegExp) => {
    for (let step = 0; step < 200; step++) {
      await page.keyboard.press('Tab')
      const said = await page.evaluate(() => {
        const at = document.activeElement as HTMLElement | null
        return at?.getAttribute('aria-label') ?? at?.innerText ?? ''
      })
      if (name.test(said)) return
    }
    throw new Error(`The Tab key does not lead to ${name}`)
  }
  await page.keyboard.press('/')
  await page.keyboard.type('orbit')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.document-list li .collect')
  await to(/^Space note/)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.document-text')
  await to(/^Collect /)
  await page.keyboard.press('Enter')
  await page.keyboard.press('j')
  await to(/^Filter$/)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#narrow')
  await to(/^Skip|^Basket$/)
  await to(/^Basket$/)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.document-list li')
  await to(/^XLSX$/)
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  expect(download.suggestedFilename()).toBe('basket.xlsx')
  expect(errors).toEqual([])
  await page.context().close()
})
