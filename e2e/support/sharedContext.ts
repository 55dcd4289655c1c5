import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from '@playwright/test'
import { findBrowser } from '../../scripts/browser.mjs'
import { chromiumArgs } from './browser.ts'

/**
 * A browser profile, a port and a page for all stories of a worker. Chromium keeps compiled scripts per profile and
 * address, and a page keeps its process while it stays on one address. So a window opens in a third of the processor
 * time that it needs in a new profile.
 */
export interface SharedContext {
  context: BrowserContext
  /** Port that each story's browser host listens on. */
  port: number
  /** The page for the first window of a story. */
  page(): Promise<Page>
  /** Navigates the page away from the window, while the story's browser host still answers. */
  leaveWindow(): Promise<void>
  /** Closes all other pages and deletes what they stored, so that the next story finds an empty profile. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** Types of stored data; compiled scripts are not among them. */
const storedData = 'cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage'

export async function openSharedContext(
  options: Parameters<typeof chromium.launchPersistentContext>[1],
): Promise<SharedContext> {
  const profile = await mkdtemp(join(tmpdir(), 'tizona-e2e-profile-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await findBrowser(),
    args: chromiumArgs,
    ...options,
  })
  const port = await freePort()
  // Stays open, because a browser without pages ends.
  const [blank = await context.newPage()] = context.pages()
  let page: Page | undefined
  return {
    context,
    port,
    async page() {
      return (page ??= await context.newPage())
    },
    async leaveWindow() {
      try {
        if (page === undefined || page.isClosed()) throw new Error('The story closed the page.')
        // Answered with 404. Its origin is that of the window, which keeps the process of the page.
        await page.goto(`http://127.0.0.1:${port}/no-window`)
        await restore(page, options)
      } catch {
        // The browser host or the page ended. The next story opens a page.
        await page?.close()
        page = undefined
      }
    },
    async reset() {
      context.removeAllListeners('request')
      await Promise.all(context.pages().map(async (other) => other === blank || other === page || other.close()))
      const session = await context.newCDPSession(blank)
      await session.send('Storage.clearDataForOrigin', {
        origin: `http://127.0.0.1:${port}`,
        storageTypes: storedData,
      })
      await session.detach()
      await context.clearCookies()
      await context.clearPermissions()
      await context.setOffline(false)
      await context.unrouteAll()
    },
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Undoes what a story changed in a page, except for what a navigation resets. */
async function restore(page: Page, options: Parameters<typeof openSharedContext>[0]): Promise<void> {
  for (const event of ['dialog', 'pageerror', 'request', 'console'] as const) page.removeAllListeners(event)
  await page.unrouteAll()
  await page.evaluate(() => sessionStorage.clear())
  if (options?.viewport) await page.setViewportSize(options.viewport)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: options?.reducedMotion ?? null })
  // Outside of the page, so that the next window opens without a hovered element.
  await page.mouse.move(-1, -1)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}
