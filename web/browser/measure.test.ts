/**
 * What a page costs in a real browser: `QUIRE_MEASURE` names addresses, `QUIRE_FIGURES` the file for the figures (JSON).
 * `benchmarks/page_opens_at_once.py` runs it; it asserts nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { test } from 'vitest'
import { launch, open } from './open'

interface Figures {
  name: string
  first: number[]
  /** CPU seconds of the renderer until then: what other work on the machine cannot change much. */
  cpu: number[]
  map: number[]
  frames: number[]
  slowest: number[]
  search: number[]
  memory: number
}

const asked = JSON.parse(process.env.QUIRE_MEASURE ?? '[]') as {
  name: string
  address: string
  word: string
  n: number
}[]
const REPEATS = Number(process.env.QUIRE_REPEATS ?? 3)

test.skipIf(!asked.length)('figures', { timeout: 600_000 }, async () => {
  const found: Figures[] = []
  for (const { name, address, word, n } of asked) {
    const figures: Figures = {
      name,
      first: [],
      cpu: [],
      map: [],
      frames: [],
      slowest: [],
      search: [],
      memory: 0,
    }
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const browser = await launch()
      await once(browser, address, word, n, figures)
      await browser.close()
    }
    found.push(figures)
  }
  writeFileSync(process.env.QUIRE_FIGURES ?? 'figures.json', JSON.stringify(found))
})

async function once(
  browser: Browser,
  address: string,
  word: string,
  n: number,
  figures: Figures,
): Promise<void> {
  const { page } = await open(browser, address)
  figures.first.push(await page.evaluate(() => performance.now()))
  figures.cpu.push(await cpuOf(browser))
  const began = Date.now()
  await page.evaluate(() => {
    location.hash = '#/map'
  })
  await page.waitForFunction((all) => Number(document.querySelector('canvas')?.dataset.drawn) >= all, n, {
    timeout: 120_000,
  })
  figures.map.push(Date.now() - began)
  const { frames, slowest } = await panned(page)
  figures.frames.push(frames)
  figures.slowest.push(slowest)
  await page.evaluate((q) => {
    location.hash = `#/search?q=${q}`
  }, word)
  const typed = Date.now()
  await page.waitForSelector('main a[href*="#/document/"]', { timeout: 60_000 })
  figures.search.push(Date.now() - typed)
  figures.memory = Math.max(figures.memory, await memoryOf(browser))
}

/** Drag the map about for a second; frames a second, and the longest wait for one, in milliseconds. */
async function panned(page: Page): Promise<{ frames: number; slowest: number }> {
  const box = (await page.locator('canvas').first().boundingBox())!
  const watch = page.evaluate(
    () =>
      new Promise<number[]>((done) => {
        const times: number[] = []
        const tick = (now: number) => {
          times.push(now)
          if (now - times[0]! < 1000) requestAnimationFrame(tick)
          else done(times)
        }
        requestAnimationFrame(tick)
      }),
  )
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  for (let step = 0; step < 40; step++)
    await page.mouse.move(box.x + box.width / 2 + 3 * step, box.y + box.height / 2 + step)
  await page.mouse.up()
  const times = await watch
  const waits = times.slice(1).map((time, i) => time - times[i]!)
  return { frames: (1000 * waits.length) / (times.at(-1)! - times[0]!), slowest: Math.max(...waits) }
}

async function renderers(browser: Browser) {
  const client = await browser.newBrowserCDPSession()
  const { processInfo } = await client.send('SystemInfo.getProcessInfo')
  return processInfo.filter((each) => each.type === 'renderer')
}

/** CPU seconds of the renderer that had most. */
const cpuOf = async (browser: Browser): Promise<number> =>
  Math.max(0, ...(await renderers(browser)).map((each) => each.cpuTime))

/** Megabytes of the largest renderer process (what it does not share with others). */
async function memoryOf(browser: Browser): Promise<number> {
  const sizes = (await renderers(browser)).map((each) => {
    try {
      const told = readFileSync(`/proc/${each.id}/smaps_rollup`, 'utf8')
      return Number(/^Pss:\s+(\d+)/m.exec(told)?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  })
  return Math.max(0, ...sizes)
}
