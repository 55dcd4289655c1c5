import { chromium, type Browser } from 'playwright'

/** Chromium's flags for tests: no sandbox, because CI runs as root, and no background connections. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Starts the browser that scripts/browser.mjs finds. For scripts outside of the Playwright runner. */
export async function openBrowser(): Promise<Browser> {
  const { findBrowser } = await import('../../scripts/browser.mjs')
  return chromium.launch({ executablePath: await findBrowser(), args: chromiumArgs })
}
