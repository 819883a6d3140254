/** Topics are edited by mouse and keyboard, of two people at once one is told, and a file lets its names be taken along. */
import { spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { launch, open, show } from './open'
import { addressOf, PYTHON, serve, stop } from './setup'

const SOON = { timeout: 20_000, interval: 100 }
let browser: Browser
let server: ChildProcess
let address: string
let run: string

beforeAll(async () => {
  browser = await launch()
  run = join(inject('folder'), 'edited')
  cpSync(join(inject('folder'), 'untouched'), run, { recursive: true })
  server = serve(run)
  address = await addressOf(server)
})
afterAll(async () => {
  await browser.close()
  await stop(server)
})

const topics = async (page: Page) =>
  Number(/(\d+) topics?/.exec(await page.locator('.run-facts').innerText())?.[1])
const edited = async (page: Page) => page.locator('details.edit > summary').click()

test('topics are merged, split, noted and removed, and that is taken back', async () => {
  const { page, errors } = await open(browser, `${address}#/topic/0`)
  expect(await topics(page)).toBe(6)
  await edited(page)
  await page.getByLabel('The topic to merge with').selectOption('3')
  await page.getByRole('button', { name: 'merge', exact: true }).press('Enter')
  await expect.poll(() => topics(page), SOON).toBe(5)
  await page.getByLabel('How many parts').fill('3')
  await page.getByLabel('How many parts').press('Enter')
  await expect.poll(() => topics(page), SOON).toBe(7)
  await page.getByLabel('Note about the topic').fill('to be <b>read</b> again')
  await page.getByRole('button', { name: 'keep the note' }).click()
  await expect.poll(() => page.locator('.topic-note').innerText(), SOON).toBe('to be <b>read</b> again')
  await page.getByRole('button', { name: 'remove it' }).click()
  await expect.poll(() => topics(page), SOON).toBe(6)
  for (const [n, left] of [3, 2, 1, 0].map((left) => [{ 3: 7, 2: 7, 1: 5, 0: 6 }[left]!, left] as const)) {
    await page.locator('main h1').click()
    await page.keyboard.press('ControlOrMeta+z') // also while the one before is under way
    await expect.poll(() => topics(page), SOON).toBe(n)
    await expect.poll(() => page.getByRole('button', { name: 'undo' }).isDisabled(), SOON).toBe(left === 0)
  }
  await page.getByRole('button', { name: 'redo' }).click()
  await expect.poll(() => topics(page), SOON).toBe(5)
  await page.getByRole('button', { name: 'undo' }).click()
  await expect.poll(() => topics(page), SOON).toBe(6)
  await show(page, '#/edits')
  expect(await page.locator('tbody tr').count()).toBe(10)
  expect(errors).toEqual([])
  await page.context().close()
})

test('a document is moved, and of two pages the second is told', async () => {
  const { page } = await open(browser, `${address}#/document/3`)
  const other = (await open(browser, `${address}#/topic/1`)).page
  await page.getByLabel('The topic to move it to').selectOption({ index: 2 })
  const wanted = (await page.getByLabel('The topic to move it to').inputValue())!
  await page.getByRole('button', { name: 'move', exact: true }).click()
  await expect.poll(() => page.locator('.lede a').getAttribute('href'), SOON).toContain(`topic/${wanted}`)
  await edited(other)
  await other.getByRole('button', { name: 'remove it' }).click()
  await expect.poll(() => other.locator('.sorry').innerText(), SOON).toContain('edited meanwhile')
  expect(await topics(other)).toBe(6)
  await other.reload()
  await other.waitForSelector('details.edit')
  await edited(other)
  await other.getByRole('button', { name: 'remove it' }).click()
  await expect.poll(() => topics(other), SOON).toBe(5)
  await page.context().close()
  await other.context().close()
})

test('names and notes of a file are taken along, and the run takes them', async () => {
  const { page } = await open(browser, `${inject('file')}#/topic/2?names=1:Mine`)
  await edited(page)
  expect(await page.getByRole('button', { name: 'remove it' }).count()).toBe(0)
  await page.getByLabel('Note about the topic').fill('kept here')
  await page.getByRole('button', { name: 'keep the note' }).click()
  await expect.poll(() => page.locator('.topic-note').innerText(), SOON).toBe('kept here')
  await page.getByRole('link', { name: 'Edits' }).click()
  const [taken] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /take them along/ }).click(),
  ])
  const path = (await taken.path())!
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(2)
  const target = join(inject('folder'), 'imported')
  cpSync(join(inject('folder'), 'untouched'), target, { recursive: true })
  const quire = join(dirname(PYTHON), 'quire')
  const said = spawnSync(quire, ['edit', target, '--import', path, '--json'], { encoding: 'utf8' })
  const { topics, notes, left_out } = JSON.parse(said.stdout)
  expect([topics[1].name, notes['2'], left_out]).toEqual(['Mine', 'kept here', []])
  await page.context().close()
})
