import type { Browser, Page } from 'playwright-core'
import { once } from '../../shared/async/once.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { ToolError } from '../../shared/errors.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { mayRunBrowser, startBrowser } from './browserProcess.ts'
import { startFilterProxy } from './filterProxy.ts'
import type { NativeView, PageHost, PageViews } from './pageHost.ts'
import type { PageLog } from './pageLog.ts'
import type { Reach } from './reach.ts'
import { within } from './timeLimit.ts'

/** Milliseconds for one action in the page. */
export const actionMs = 10_000
/** Milliseconds until a browser has started. */
export const startMs = 20_000

interface OpenPage {
  page: Page
  view: NativeView | undefined
  end(): Promise<void>
}

/** The page and its browser. There is one at most. */
export interface PageBrowser {
  /** Returns the page, in a new browser if there is none. @throws ToolError not_found, refused, io_error */
  toUse(): Promise<Page>
  /** @throws ToolError not_found without a page */
  current(): Page
  page(): Page | undefined
  /** The view in the window, if the page has one. */
  view(): NativeView | undefined
  /** Ends the browser. */
  end(): Promise<void>
}

interface PageBrowserDeps {
  /** Path of a Chromium, or null. */
  findBrowser(): string | null
  /** Shows the page in a view of the window, if there is one, instead of a Chromium of its own. */
  pageViews?: PageViews
  reach: Reach
  log: PageLog
  /** Called when another page is open, or none. `crashed`: because it crashed. */
  onPage(page: Page | undefined, crashed: boolean): void
  /** Called when a person uses the view. */
  onUsed(): void
}

export function createPageBrowser(deps: PageBrowserDeps): PageBrowser {
  let starting: Promise<OpenPage> | undefined
  let opened: Pick<OpenPage, 'page' | 'view'> | undefined

  function show(open: Pick<OpenPage, 'page' | 'view'> | undefined, crashed = false): void {
    opened = open
    deps.onPage(open?.page, crashed)
  }

  function start(): void {
    let crashed = false
    const own: Promise<OpenPage> = startPage(deps, () => {
      // A later browser stays.
      if (starting !== own) return
      starting = undefined
      show(undefined, crashed)
    })
    starting = own
    own.then(
      ({ page, view, end }) => {
        if (starting !== own) return
        page.once('crash', () => {
          crashed = true
          void end()
        })
        show({ page, view })
      },
      () => {
        if (starting === own) starting = undefined
      },
    )
  }

  return {
    async toUse() {
      const open = await starting
      if (open?.page.isClosed()) await open.end()
      if (!starting) start()
      const { page } = (await starting) ?? {}
      if (!page) throw new ToolError('not_found', 'The browser has ended.', 'Open the page again.')
      return page
    },
    current() {
      if (!opened || opened.page.isClosed())
        throw new ToolError('not_found', 'No page is open.', 'Open one with browser_open.')
      return opened.page
    },
    page: () => opened?.page,
    view: () => opened?.view,
    async end() {
      const open = starting?.catch(() => undefined)
      // One that does not start ends by itself.
      await (await raceTimeout(open ?? Promise.resolve(undefined), startMs))?.end()
    },
  }
}

/**
 * Starts a browser with a page.
 * @param onEnd called when the browser ends, even if nobody ended it
 * @throws ToolError not_found, refused, io_error
 */
async function startPage(deps: PageBrowserDeps, onEnd: () => void): Promise<OpenPage> {
  const { reach, log } = deps
  const open = hostOf(deps)
  const proxy = await startFilterProxy({ allow: reach.allow, onRefused: log.refused })
  reach.onRevoked(proxy.disconnect)
  let browser: PageHost | undefined
  let hasEnded = false
  const end = once(async (): Promise<void> => {
    hasEnded = true
    onEnd()
    try {
      await browser?.end()
    } finally {
      await proxy.close()
    }
  })
  const opening = async (): Promise<OpenPage> => {
    const host = await open(proxy.port)
    if (hasEnded) {
      await host.end()
      throw new Error('It started too late.')
    }
    browser = host
    void host.ended.then(end)
    const early = host.ended.then(() => Promise.reject<never>(new Error('It has ended.')))
    const page = await Promise.race([connectPage(host, reach, log), early])
    // It is reported by the next call.
    early.catch(() => undefined)
    return { page, view: host.view, end }
  }
  try {
    return await within(opening(), startMs, new AbortController().signal)
  } catch (error) {
    await end()
    const reason = browser?.lastLine() ?? ''
    throw new ToolError(
      'io_error',
      reason === '' ? 'The browser did not start.' : `The browser did not start and printed: ${truncate(reason, 300)}`,
      'Start the browser yourself to see whether it works.',
      { cause: error },
    )
  }
}

/** Returns what starts the host of the page. @throws ToolError not_found, refused */
function hostOf({ findBrowser, pageViews, log, onUsed }: PageBrowserDeps): (proxyPort: number) => Promise<PageHost> {
  if (pageViews?.isAvailable()) return (proxyPort) => pageViews.open(proxyPort, { onUsed, onWindow: log.closedWindow })
  const program = findBrowser()
  if (program === null)
    throw new ToolError('not_found', 'No Chromium or Chrome was found.', 'Install one, for example chromium.')
  if (!mayRunBrowser())
    throw new ToolError('refused', 'The browser does not run as root.', 'Start Tizona as another user.')
  return (proxyPort) => startBrowser(program, proxyPort)
}

const firstSize = { width: 1280, height: 800 }

async function connectPage(browser: PageHost, reach: Reach, log: PageLog): Promise<Page> {
  // Loaded with the first page only: it takes a tenth of a second.
  const { chromium } = await import('playwright-core')
  const connected = await chromium.connectOverCDP(browser.transport)
  const context = browser.view
    ? connected.contexts()[0]
    : await connected.newContext({ acceptDownloads: false, viewport: firstSize })
  // A view has one page from the start.
  const page = browser.view ? context?.pages()[0] : await context?.newPage()
  if (!context || !page) throw new Error('The view has no page.')
  await (browser.view ? page.setViewportSize(firstSize) : denyDownloads(connected))
  page.setDefaultTimeout(actionMs)
  log.watch(context, page)
  watchLeaving(page, reach)
  return page
}

/** Revokes the approval of a host as soon as the page goes elsewhere. Pages of the history may load without a request. */
function watchLeaving(page: Page, reach: Reach): void {
  const left = (address: string): void => {
    const url = URL.parse(address)
    if (url !== null && /^https?:$/.test(url.protocol)) reach.leave(url)
  }
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) left(request.url())
  })
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) left(frame.url())
  })
}

/** Refuses downloads also if a page starts them in another way than Playwright knows. */
async function denyDownloads(browser: Browser): Promise<void> {
  const protocol = await browser.newBrowserCDPSession()
  await protocol.send('Browser.setDownloadBehavior', { behavior: 'deny' })
}
