/** The budgets that do not depend on how busy the machine is. Times are measured by a benchmark and asserted nowhere. */
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'
import { launch, open } from './open'
import { PYTHON } from './setup'

test('the app has at most 200 kB, compressed', () => {
  const app = readFileSync(join(import.meta.dirname, '../../src/quire/pages/app.html'))
  expect(gzipSync(app).length).toBeLessThanOrEqual(200_000)
})

test('the page of the demo has at most 10 MB, and shows its topics', async () => {
  const run = join(inject('folder'), 'demo')
  const made = spawnSync(join(dirname(PYTHON), 'quire'), ['demo', '--out', run, '--quiet'], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  expect(made.stderr).toBe('')
  expect(statSync(join(run, 'page.html')).size).toBeLessThanOrEqual(10_000_000)
  const browser = await launch()
  const { page, errors } = await open(browser, `file://${join(run, 'page.html')}`)
  console.log(`first view of the demo after ${Math.round(await page.evaluate(() => performance.now()))} ms`)
  expect(await page.locator('main a[href*="#/topic/"]').count()).toBeGreaterThanOrEqual(24)
  expect(errors).toEqual([])
  await browser.close()
})
