/** The pages that `python -m torture` makes of hostile documents: every view, and what each lets happen.
 * QUIRE_TORTURE names a JSON file with what to open; what was seen is written beside it. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launch, open, show } from './open'

interface Asked {
  addresses: string[]
  views: string[]
}

const PATH = process.env.QUIRE_TORTURE ?? ''
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
})

test('hostile documents in every view', async () => {
  const asked: Asked = JSON.parse(readFileSync(PATH, 'utf8'))
  const seen: string[] = []
  let views = 0
  for (const address of asked.addresses) {
    const { page, errors, asked: network } = await open(browser, address)
    page.on('dialog', (dialog) => {
      errors.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('popup', () => errors.push('a window was opened'))
    for (const view of asked.views) {
      const tell = (what: string) => seen.push(`${address.slice(0, 4)} #/${view}: ${what}`)
      try {
        await show(page, `#/${view}`)
        const found = await page.evaluate(() => ({
          hacked: String((window as unknown as { hacked?: unknown }).hacked),
          made: document.querySelectorAll('main script, main iframe, main img, main object, main [onerror]')
            .length,
          empty: (document.querySelector('main')?.textContent ?? '').length < 5,
        }))
        if (found.hacked !== 'undefined') tell(`a script ran (${found.hacked})`)
        if (found.made) tell(`${found.made} elements were made from text`)
        if (found.empty) tell('the view is empty')
      } catch (error) {
        tell(String(error).split('\n')[0]!)
      }
      for (const error of errors.splice(0)) tell(error)
      views += 1
    }
    const own = new URL(address).origin
    for (const url of network) if (!url.startsWith(own)) seen.push(`${address}: asked for ${url}`)
    await page.context().close()
  }
  writeFileSync(`${PATH}.seen`, JSON.stringify({ views, seen }))
})
