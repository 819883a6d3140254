/** Every view opens and does what it is for, from a file and from the server alike. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { launch, open, show } from './open'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const VIEWS = [
  'topics',
  'topic/0',
  'time',
  'map',
  'tree',
  'document/0',
  'word/moon',
  'by',
  'classes',
  'choose',
  'compare',
  'search?q=moon',
  'about',
  'basket',
  'report',
]
const SOON = { timeout: 10_000 } // a page shows what it knows in its own time
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
})

async function saved(page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}

/** What axe finds once the view has come to rest: a list that is fading or being filled is asked again. */
async function violations(page: Page): Promise<string[]> {
  let found = await violationsNow(page)
  for (let again = 0; found.length && again < 4; again += 1) {
    await page.waitForTimeout(500)
    found = await violationsNow(page)
  }
  return found
}

/** Run axe in a world of its own, which the page's policy does not reach. */
async function violationsNow(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page)
  const { frameTree } = await client.send('Page.getFrameTree')
  const { executionContextId } = await client.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  const run = async (expression: string) =>
    (
      await client.send('Runtime.evaluate', {
        contextId: executionContextId,
        expression,
        awaitPromise: true,
        returnByValue: true,
      })
    ).result.value
  await run(`${AXE}; 0`)
  const found = (await run(
    'axe.run(document).then((found) => found.violations.map((v) => [v.impact, v.id + ": " + v.nodes[0].html.slice(0, 150)]))',
  )) as [string, string][]
  return found.filter(([impact]) => impact === 'serious' || impact === 'critical').map(([, text]) => text)
}

describe.each(['file', 'served'] as const)('%s', (kind) => {
  const address = () => inject(kind)

  test('one value of a column narrows what every view shows', async () => {
    const { page, errors } = await open(browser, `${address()}#/by`)
    const all = await page.locator('.run-facts').innerText()
    await page.getByLabel('Show only documents with').selectOption('north')
    const note = page.locator('.filtered')
    await expect.poll(() => note.innerText(), SOON).toContain('documents whose region is north')
    const [, n, whole] = /: ([\d,]+) of ([\d,]+)\./.exec(await note.innerText())!
    expect(Number(n)).toBeGreaterThan(0)
    expect(Number(n)).toBeLessThan(Number(whole))
    await page.getByRole('link', { name: 'Topics', exact: true }).click()
    await expect.poll(() => page.locator('.lede').first().innerText(), SOON).toContain(`${n} documents, `)
    expect(await violations(page)).toEqual([])
    for (const view of VIEWS) {
      await show(page, `#/${view}${view.includes('?') ? '&' : '?'}where=region&is=north`)
      await page.waitForFunction(() => !document.querySelector('.wait'))
      await expect.poll(() => page.locator('.run-facts').innerText(), SOON).toContain(`${n} documents`)
      await expect.poll(() => page.locator('.sorry').count(), SOON).toBe(0)
    }
    await show(page, '#/topic/0?where=region&is=north')
    const own = Number(/([\d,]+)/.exec(await page.locator('.topic-facts dd b').first().innerText())![1])
    await expect.poll(() => page.locator('.topic-documents').innerText(), SOON).toContain(`${own}`)
    await page.getByRole('button', { name: 'show all documents' }).click()
    await expect.poll(() => page.locator('.run-facts').innerText(), SOON).toBe(all)
    expect(await note.count()).toBe(0)
    await show(page, '#/topics?where=region&is=nowhere')
    await expect.poll(() => page.locator('.run-facts').innerText(), SOON).toBe(all)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('values, days, topics and words narrow the views together, and stay in the address', async () => {
    const { page, errors } = await open(browser, address())
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const panel = page.locator('#narrow')
    const n = async () => Number(/: ([\d,]+) of/.exec(await page.locator('.filtered').innerText())![1])
    await panel.getByLabel('region').selectOption('north')
    await expect.poll(() => page.locator('.filtered').count(), SOON).toBe(1)
    const north = await n()
    await panel.getByLabel('from').fill('2020-01-01')
    await expect.poll(n, SOON).toBeLessThan(north)
    const later = await n()
    await panel.getByLabel('with the words').fill('people')
    await panel.getByLabel('with the words').press('Enter')
    await expect.poll(n, SOON).toBeLessThan(later)
    const those = await n()
    expect(those).toBeGreaterThan(0)
    expect(await violations(page)).toEqual([])
    const there = page.url()
    await page.context().close()
    const again = await open(browser, there)
    await expect
      .poll(() => again.page.locator('.filtered').innerText(), SOON)
      .toMatch(new RegExp(`region is north, from 2020-01-01, that hold people: ${those} of`))
    await again.page.getByRole('link', { name: 'Map', exact: true }).click()
    await expect
      .poll(() => again.page.locator('.run-facts').innerText(), SOON)
      .toContain(`${those} documents`)
    expect([...errors, ...again.errors]).toEqual([])
    await again.page.context().close()
  })

  test.each(VIEWS)('#/%s opens without an error', async (view) => {
    const { page, errors, asked } = await open(browser, `${address()}#/${view}`)
    await page.waitForFunction(() => !document.querySelector('.wait'))
    await expect.poll(() => page.locator('main h1').count(), SOON).toBe(1)
    await expect.poll(() => page.locator('.sorry').count(), SOON).toBe(0)
    expect(errors).toEqual([])
    if (kind === 'file') expect(asked).toEqual([])
    await page.context().close()
  })

  test.each([
    ['light', false],
    ['dark', true],
  ] as const)('axe finds nothing serious (%s)', async (_, dark) => {
    const { page } = await open(browser, address(), { dark })
    const found: Record<string, string[]> = {}
    for (const view of [...VIEWS, 'document/405', 'topics?as=table', 'topics?as=chart', 'nonsense']) {
      // 405: a text of a million letters
      await show(page, `#/${view}`)
      const serious = await violations(page)
      if (serious.length) found[view] = serious
    }
    expect(found).toEqual({})
    await page.context().close()
  })

  test('a phone shows every view without scrolling sideways', async () => {
    const { page } = await open(browser, address(), { width: 375, height: 700 })
    for (const view of VIEWS) {
      await show(page, `#/${view}`)
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { ...SOON, message: view })
        .toBeLessThanOrEqual(375)
    }
    await page.context().close()
  })

  test('a document says why: contributions sum to the score, a word click explains', async () => {
    const { page } = await open(browser, `${address()}#/document/0`)
    await page.getByText('The numbers behind it').click()
    await page.locator('.document-text mark').first().click()
    await expect.poll(() => page.locator('.document-explained').innerText(), SOON).toMatch(/×/)
    const table = await page.locator('.document-sum table').evaluate((found: HTMLTableElement) => ({
      headings: [...found.tHead!.rows[0]!.cells].map((cell) => cell.innerText.trim()),
      rows: [...found.rows]
        .slice(1)
        .map((row) =>
          [...row.cells].map((cell) => Number(cell.innerText.replace('−', '-').replace('+', ''))),
        ),
    }))
    const summed = table.headings.map((_, i) => i).filter((i) => i >= 2) // after the term and x
    expect(table.rows.length).toBeGreaterThan(3)
    expect(summed.length).toBeGreaterThan(0)
    for (const i of summed) {
      const parts = table.rows.slice(0, -1).reduce((sum, row) => sum + row[i]!, 0)
      expect(parts, table.headings[i]).toBeCloseTo(table.rows.at(-1)![i]!, 6)
    }
    await page.context().close()
  })

  test('a document leads to the next of its topic, to similar ones, and out', async () => {
    const { page, errors } = await open(browser, `${address()}#/document/0`)
    await page.waitForSelector('.document-similar a')
    const similar = page.locator('.document-similar a[href*="#/document/"]')
    expect(await similar.count()).toBeGreaterThan(2)
    expect(await similar.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).not.toContain(
      '#/document/0',
    )
    await expect
      .poll(() => page.locator('a[rel~="external"]').getAttribute('href'), SOON)
      .toBe('https://example.org/0')
    expect(await page.locator('.beside').innerText()).toContain('region')
    const next = await page.getByRole('link', { name: /^next/ }).getAttribute('href')
    await page.keyboard.press('j')
    await page.waitForFunction((there) => location.hash === there, next)
    await page.waitForSelector('.steps a[href="#/document/0"]')
    await page.keyboard.press('k')
    await page.waitForFunction(() => location.hash === '#/document/0')
    await page.waitForSelector(`.steps a[href="${next}"]`) // a new view takes the focus when it is shown
    await page.keyboard.press('/')
    await page.keyboard.type('jury')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => location.hash === '#/search?q=jury')
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('documents are collected over topics, by the keyboard, and taken along with topic and columns', async () => {
    const { page, errors } = await open(browser, `${address()}#/topic/0`)
    const collected = async (key: string) => {
      const button = page.locator('.document-list .collect').first()
      await button.press(key)
      await expect.poll(() => button.getAttribute('aria-pressed'), SOON).toBe('true')
    }
    const first = () => page.locator('.document-list a').first().getAttribute('href')
    await collected('Enter')
    const before = await first()
    await show(page, '#/topic/1')
    await expect.poll(first, SOON).not.toBe(before) // its documents come after the view that takes the focus
    await collected('Space')
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Basket' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.document-list li').count(), SOON).toBe(2)
    expect(await violations(page)).toEqual([])
    const json = await saved(page, () =>
      page.locator('.heading').getByRole('button', { name: 'JSON' }).click(),
    )
    const taken = JSON.parse(json.text) as Record<string, unknown>[]
    expect(taken.map(({ topic }) => topic).sort()).toEqual([0, 1])
    for (const each of taken) {
      expect(each.region).toMatch(/\w/)
      expect(each.text).toMatch(/\w/)
      expect(each.topic_name).toMatch(/\w/)
    }
    await page.reload()
    await expect.poll(() => page.locator('.document-list li').count(), SOON).toBe(2)
    const link = await page.getByRole('link', { name: 'a link to them' }).getAttribute('href')
    await page.getByRole('button', { name: 'empty it' }).click()
    await expect.poll(() => page.locator('main .empty').count(), SOON).toBe(1)
    await show(page, link!)
    await expect.poll(() => page.locator('.document-list li').count(), SOON).toBe(2)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('everything is taken along from the first view, as CSV and as a workbook', async () => {
    const { page, errors } = await open(browser, address())
    const everything = page.locator('.topics-take').filter({ hasText: 'everything' })
    const csv = await saved(page, () => everything.getByRole('button', { name: 'CSV' }).click())
    const head = csv.text.slice(1).split('\r\n')[0]!.split(',')
    for (const name of ['id', 'topic', 'topic_name', 'membership', 'label', 'date', 'region', 'text'])
      expect(head).toContain(name)
    expect(csv.text.match(/\r\n\d+,/g)).toHaveLength(407)
    const xlsx = await saved(page, () => everything.getByRole('button', { name: 'XLSX' }).click())
    expect(xlsx.name).toBe('documents.xlsx')
    expect(xlsx.text.slice(0, 2)).toBe('PK')
    expect(xlsx.text).toContain('xl/worksheets/sheet2.xml')
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('the report names every topic, and paper has no buttons', async () => {
    const { page, errors } = await open(browser, address())
    await page.getByRole('link', { name: 'report' }).click()
    await expect.poll(() => page.locator('.report-topic').count(), SOON).toBe(6)
    await expect.poll(() => page.locator('.report-topic li').count(), SOON).toBeGreaterThan(5)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('button:visible').count()).toBe(0)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('a lasso lists documents', async () => {
    const { page, errors } = await open(browser, `${address()}#/map`)
    await page.getByRole('button', { name: /lasso/i }).first().click()
    const box = (await page.locator('canvas').first().boundingBox())!
    const corners = [
      [0.05, 0.05],
      [0.95, 0.05],
      [0.95, 0.95],
      [0.05, 0.95],
      [0.05, 0.06],
    ]
    await page.mouse.move(box.x + corners[0]![0]! * box.width, box.y + corners[0]![1]! * box.height)
    await page.mouse.down()
    for (const [x, y] of corners)
      await page.mouse.move(box.x + x! * box.width, box.y + y! * box.height, { steps: 8 })
    await page.mouse.up()
    await page.waitForSelector('.document-list li')
    await expect.poll(() => page.locator('.document-list li').count(), SOON).toBeGreaterThan(10)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('search finds words and documents', async () => {
    const { page } = await open(browser, address())
    await page.getByRole('searchbox').first().fill('orbit')
    await page.keyboard.press('Enter')
    await page.waitForSelector('a[href*="#/document/"]')
    await expect.poll(() => page.locator('a[href*="#/word/orbit"]').count(), SOON).toBeGreaterThan(0)
    await page.context().close()
  })

  test('a table is saved as CSV and JSON', async () => {
    const { page } = await open(browser, `${address()}#/classes`)
    const csv = await saved(page, () => page.getByRole('button', { name: 'CSV' }).first().click())
    expect(csv.name).toMatch(/\.csv$/)
    expect(csv.text.split('\r\n').length).toBeGreaterThan(3)
    const json = await saved(page, () => page.getByRole('button', { name: 'JSON' }).first().click())
    expect(JSON.parse(json.text).length).toBeGreaterThan(2)
    await page.context().close()
  })

  test.each(['time', 'classes', 'choose', 'compare', 'map', 'topic/0', 'topics?as=chart'])(
    'the chart of %s is saved as SVG and PNG',
    async (view) => {
      const { page } = await open(browser, `${address()}#/${view}`)
      const svg = await saved(page, () => page.getByRole('button', { name: 'SVG' }).first().click())
      expect(svg.text).toMatch(/^<svg[^>]*xmlns/)
      const png = await saved(page, () => page.getByRole('button', { name: 'PNG' }).first().click())
      expect(png.text.slice(1, 4)).toBe('PNG')
      await page.context().close()
    },
  )

  test('lists begin with what fits best, and all of them are taken along', async () => {
    const { page } = await open(browser, `${address()}#/topic/0?documents.sort=membership`)
    await page.waitForSelector('.document-list li .figure-text')
    const shown = (await page.locator('.document-list li .meter').allInnerTexts()).map(Number)
    expect(shown).toEqual([...shown].sort((a, b) => b - a))
    const json = await saved(page, () =>
      page.locator('.documents').getByRole('button', { name: 'JSON' }).click(),
    )
    const size = Number((await page.locator('.topic-facts b').first().innerText()).replaceAll(',', ''))
    expect(JSON.parse(json.text)).toHaveLength(size)
    await page.context().close()
  })

  test('topics can be taken along where they are shown first', async () => {
    const { page } = await open(browser, address())
    const csv = await saved(page, () => page.getByRole('button', { name: 'CSV' }).first().click())
    expect(csv.name).toBe('topics.csv')
    expect(csv.text.trim().split('\r\n')).toHaveLength(1 + (await page.locator('.topics-rows li h2').count()))
    await page.context().close()
  })

  test('two topics of one name keep their columns apart', async () => {
    const { page } = await open(
      browser,
      `${address()}#/document/0?numbers=1&names=${[0, 1, 2, 3, 4, 5].map((topic) => `${topic}:Same`).join('~')}`,
    )
    const json = await saved(page, () =>
      page.locator('.document-sum').getByRole('button', { name: 'JSON' }).click(),
    )
    expect(Object.keys(JSON.parse(json.text)[0])).toEqual(
      expect.arrayContaining(['term', 'x', 'mine', 'other']),
    )
    await page.context().close()
  })

  test('the title, the search box and the theme follow the address', async () => {
    const { page } = await open(browser, `${address()}#/search?q=moon`)
    const box = page.locator('header').getByRole('searchbox')
    await expect.poll(() => box.inputValue(), SOON).toBe('moon')
    await expect.poll(() => page.title(), SOON).toMatch(/^moon – /)
    await page.getByRole('button', { name: 'Light or dark' }).click()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme), SOON).toBe('dark')
    await page.locator('header').getByRole('link', { name: 'Map' }).click()
    await page.waitForFunction(() => document.title.startsWith('Map'))
    await expect.poll(() => box.inputValue(), SOON).toBe('')
    await page.reload()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme), SOON).toBe('dark')
    await show(page, '#/document/0')
    await page.waitForFunction(() => document.title.includes('note 0'))
    await page.context().close()
  })

  test('at the last page the button stays where it is', async () => {
    const { page } = await open(browser, `${address()}#/topic/0?documents.page=999`)
    const next = page.locator('.documents').getByRole('button', { name: 'Next page' })
    await next.press('Enter')
    await expect.poll(() => next.getAttribute('aria-disabled'), SOON).toBe('true')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), SOON)
      .toBe('Next page')
    await page.context().close()
  })

  test('a new name survives', async () => {
    const { page } = await open(browser, `${address()}#/topic/0`)
    await page
      .getByRole('button', { name: /rename/i })
      .first()
      .click()
    const field = page.locator('main').getByRole('textbox').first()
    await field.fill('My: own ~ <b>name</b>')
    await field.press('Enter')
    await page.waitForFunction(() =>
      document.querySelector('h1')!.textContent!.includes('My: own ~ <b>name</b>'),
    )
    const there = page.url()
    await page.context().close()
    const again = await open(browser, there)
    await expect.poll(() => again.page.locator('h1').innerText(), SOON).toContain('My: own ~ <b>name</b>')
    await show(again.page, `#/topics${there.split('?')[1] ? `?${there.split('?')[1]}` : ''}`)
    await expect.poll(() => again.page.locator('main').innerText(), SOON).toContain('My: own ~ <b>name</b>')
    await again.page.context().close()
  })
})
