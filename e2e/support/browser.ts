import { chromium, type Browser } from 'playwright'

/** Chromium's flags for tests: no sandbox (CI runs as root) and no connection of its own to anywhere. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** The browser that scripts/browser.mjs found, for scripts outside the Playwright runner. */
export async function openBrowser(): Promise<Browser> {
  const { findBrowser } = await import('../../scripts/browser.mjs')
  return chromium.launch({ executablePath: await findBrowser(), args: chromiumArgs })
}
