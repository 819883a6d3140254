/** The pictures of the documentation: `npm run screenshots` takes them anew into docs/page/. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import type { Head } from '../src/payload'
import { launch, open } from './open'
import { addressOf, PYTHON, serve, stop } from './setup'

const TO = join(import.meta.dirname, '../../docs/page')
const PICTURES: {
  name: string
  hash: string
  width?: number
  height?: number
  dark?: boolean
  press?: string
  served?: boolean
}[] = [
  { name: 'topics', hash: '#/topics' },
  { name: 'topic', hash: '#/topic/6' },
  { name: 'time', hash: '#/time' },
  { name: 'map', hash: '#/map' },
  { name: 'tree', hash: '#/tree' },
  { name: 'document', hash: '#/document/typical', press: 'mark, .mark' },
  { name: 'edit', hash: '#/topic/1', served: true, press: 'details.edit > summary' },
  { name: 'word', hash: '#/word/matrix' },
  { name: 'classes', hash: '#/classes' },
  { name: 'choose', hash: '#/choose', height: 1500 },
  { name: 'compare', hash: '#/compare' },
  { name: 'search', hash: '#/search?q=interpolation' },
  { name: 'about', hash: '#/about' },
  { name: 'dark', hash: '#/topics', dark: true },
  { name: 'phone', hash: '#/topics', width: 375, height: 760 },
]

test('screenshots', { timeout: 400_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-pictures-'))
  const made = spawnSync(PYTHON, [join(import.meta.dirname, 'make_demo.py'), folder], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
  mkdirSync(TO, { recursive: true })
  const browser = await launch()
  const html = readFileSync(join(folder, 'page.html'), 'utf8')
  const head = JSON.parse(/id="quire-head">([^<]*)</.exec(html)![1]!) as Head
  const server = serve(join(folder, 'demo'))
  const address = await addressOf(server)
  for (const { name, hash, width, height = 860, dark, press, served } of PICTURES) {
    const there = hash.replace('typical', String(head.topics[6]!.typical[3]))
    const from = served ? address : `file://${join(folder, 'page.html')}`
    const { page } = await open(browser, `${from}${there}`, {
      width,
      height,
      dark,
    })
    await page.waitForFunction(() => !document.querySelector('.wait'))
    if (press) await page.locator(press).first().click()
    await page.waitForTimeout(800)
    await page.screenshot({ path: join(TO, `${name}.png`) })
    await page.context().close()
  }
  await browser.close()
  await stop(server)
})
