/** The map and the stream in a real browser: names, help, colours, a topic's own line, what grew. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { launch, open, show } from './open'

const SOON = { timeout: 10_000 }
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
})

test('every topic has a name on the map, none on another; help is folded away, and in the address', async () => {
  const { page, errors } = await open(browser, `${inject('file')}#/map`, { width: 1400 })
  const names = page.locator('.map-names a.topic')
  await expect.poll(() => names.count(), SOON).toBe(6)
  const boxes = await names.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()))
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(0, i))
      expect(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).toBe(false)
  })
  const colours = await names.evaluateAll((all) => all.map((each) => getComputedStyle(each).color))
  expect(new Set(colours).size).toBe(6)
  const help = page.getByRole('button', { name: 'How to use the map' })
  expect(await page.locator('.map-hints').count()).toBe(0)
  await help.press('Enter')
  await expect.poll(() => page.locator('.map-hints').count(), SOON).toBe(1)
  expect(page.url()).toContain('help=on')
  expect(await help.getAttribute('aria-expanded')).toBe('true')
  expect(errors).toEqual([])
  await page.context().close()
})

test('points are drawn for the room that the map has, from the first time on', async () => {
  const { page } = await open(browser, `${inject('file')}#/topics`, { width: 1400 })
  await page.evaluate(() => {
    const own = WebGL2RenderingContext.prototype.drawArrays
    const drawn: number[] = []
    Object.assign(window, { drawn })
    WebGL2RenderingContext.prototype.drawArrays = function (...how) {
      drawn.push(this.canvas.width)
      own.apply(this, how)
    }
  })
  await show(page, '#/map')
  const widths = () => page.evaluate(() => (window as unknown as { drawn: number[] }).drawn)
  await expect.poll(async () => (await widths()).length, SOON).toBeGreaterThan(0)
  const room = await page.locator('.map-canvas').evaluate((each) => each.clientWidth)
  for (const width of await widths()) expect(Math.abs(width - room)).toBeLessThanOrEqual(2) // its border
  await page.context().close()
})

test('the head of the page breaks no word, however wide the window is', async () => {
  const { page } = await open(browser, `${inject('file')}#/topics`)
  for (let width = 380; width <= 1400; width += 60) {
    await page.setViewportSize({ width, height: 800 })
    const high = await page.locator('.narrow-button').evaluate((each) => each.clientHeight)
    expect(high).toBeLessThan(40) // one line
  }
  await page.context().close()
})

test('nearer, documents show their titles, and words appear', async () => {
  const { page } = await open(browser, `${inject('file')}#/map`, { width: 1400 })
  const point = await page.locator('.map-names a.topic').first().getAttribute('href')
  expect(point).toMatch(/^#\/topic\/\d+/)
  for (let i = 0; i < 6; i++) await page.locator('.map-canvas').press('+')
  await expect.poll(() => page.locator('.map-titles a, .map-names a.word').count(), SOON).toBeGreaterThan(3)
  await expect.poll(() => page.url(), SOON).toContain('camera=')
  await page.context().close()
})

test('a band opens the line of its topic; what grew is told with words and documents', async () => {
  const { page, errors } = await open(browser, `${inject('file')}#/time`)
  await page.locator('.time-band').first().press('Enter')
  await expect.poll(() => page.locator('.time-chosen .time-facets .time-area').count(), SOON).toBe(1)
  expect(page.url()).toMatch(/topic=\d+/)
  const own = await page.locator('.time-chosen .time-area').evaluate((each) => getComputedStyle(each).fill)
  const fills = await page
    .locator('.time-band')
    .evaluateAll((all) => all.map((each) => getComputedStyle(each).fill))
  expect(fills).toContain(own)
  expect(new Set(fills).size).toBe(fills.length)
  await show(page, '#/time')
  await expect
    .poll(() => page.locator('.time-events li, .time-events .empty').count(), SOON)
    .toBeGreaterThan(0)
  expect(errors).toEqual([])
  await page.context().close()
})
