/** A real browser, and pages in it that remember every error. */
import { chromium, type Browser, type Page } from 'playwright-core'

const ARGUMENTS = [
  '--no-sandbox',
  '--no-first-run',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
]

export async function launch(...more: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.QUIRE_CHROMIUM ?? '/usr/bin/chromium',
    args: [...ARGUMENTS, ...more],
  })
}

export interface Opened {
  page: Page
  errors: string[]
  asked: string[]
}

/** Open an address. `errors` gathers what the page complains about, `asked` what it asks the network for. */
export async function open(
  browser: Browser,
  address: string,
  how: { width?: number; height?: number; dark?: boolean } = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: how.width ?? 1280, height: how.height ?? 900 },
    colorScheme: how.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  const page = await context.newPage()
  const errors: string[] = []
  const asked: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('request', (request) => {
    if (/^(https?|ws)/.test(request.url())) asked.push(request.url())
  })
  await page.goto(address)
  await page.waitForSelector('h1')
  return { page, errors, asked }
}

/** Show another view of the same page. */
export async function show(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
  await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('.wait'))
}
