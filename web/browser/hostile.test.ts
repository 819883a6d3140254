/** Documents are hostile: nothing in a text, a title, a class, an id is ever more than text. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launch, open, show } from './open'

const SOON = { timeout: 10_000 } // a page shows what it knows in its own time
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
})

describe.each(['file', 'served'] as const)('%s', (kind) => {
  test('no document runs anything, wherever it is shown', async () => {
    const { page, errors } = await open(browser, inject(kind))
    for (let row = 400; row < 407; row++) {
      await show(page, `#/document/${row}`)
      await expect.poll(() => page.locator('main h1').innerText(), SOON).toContain('<i onclick=x>')
    }
    for (const view of [
      'classes',
      'search?q=hostile',
      'search?q=%3Cscript%3E',
      'topic/0',
      'map',
      'word/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E',
    ])
      await show(page, `#/${view}`)
    expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined()
    await expect.poll(() => page.locator('main i, main b, main img, main script').count(), SOON).toBe(0)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('the policy forbids code that is not the page’s own', async () => {
    const { page, errors } = await open(browser, inject(kind))
    const policy =
      kind === 'file'
        ? await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
        : (await page.request.get(inject(kind))).headers()['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe/)
    await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.hacked = 5'
      document.body.append(script)
    })
    expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined()
    expect(errors.join()).toMatch(/Content Security Policy/)
    await page.context().close()
  })
})

test('a damaged address shows a sentence, not a blank page', async () => {
  const { page, errors } = await open(browser, inject('file'))
  const damaged = [
    '#/nonsense',
    '#/topic/999',
    '#/topic/x',
    '#/topic/0?to=2020-99-99',
    '#/topic/0?from=2020-99-99',
    '#/topic/0?show=zzz&documents.sort=zzz',
    '#/document/99999999',
    '#/document/-1',
    '#/time?bin=hour&at=9999',
    '#/map?lasso=1,2,x',
    '#/topics?focus=&sort=zzz&as=zzz',
    '#/%E0%A4%A',
  ]
  for (const hash of damaged) {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
    await page.waitForTimeout(200)
    expect((await page.locator('main').innerText()).length, hash).toBeGreaterThan(10)
    await expect.poll(() => page.locator('main h1').count(), { ...SOON, message: hash }).toBe(1)
  }
  await show(page, '#/topic/0?to=2020-99-99')
  await expect.poll(() => page.locator('.chip').count(), SOON).toBe(0) // a day that is none narrows nothing
  expect(errors).toEqual([])
  await page.context().close()
})
