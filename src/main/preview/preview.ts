import type { Browser, Page } from 'playwright-core'
import { lineHunks, type LineRange } from '../../shared/diff/lineHunks.ts'
import { ToolError } from '../../shared/errors.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { startBrowser } from './browserProcess.ts'
import { startFilterProxy } from './filterProxy.ts'
import { createPageLog, type PageLog } from './pageLog.ts'
import { createReach, hostOf, isLoopback, portOf, type Reach, type ReachDeps } from './reach.ts'

/** What happened in the page since the last report. */
export interface PageReport {
  url: string
  title: string
  /** The page has another address, so `lines` are all of it. Otherwise they are changes: `+` and `-`. */
  isNew: boolean
  lines: readonly string[]
  console: readonly string[]
  /** Dialogs, windows, downloads and connections that were refused or closed. */
  notes: readonly string[]
}

/** A page in a browser of its own, which a model sees and uses. Methods throw ToolError `not_found` without a page. */
export interface Preview {
  /**
   * Opens an address. The user has approved one beyond this machine.
   * @throws ToolError address_refused, network_error
   */
  open(url: URL, signal: AbortSignal): Promise<PageReport>
  /** Returns the accessibility tree of the page, with a reference for each element. */
  snapshot(signal: AbortSignal): Promise<PageReport>
  /** Does something in the page, and waits until it has settled. */
  act(action: (page: Page) => Promise<unknown>, signal: AbortSignal): Promise<PageReport>
  /** Reads something from the page. */
  read<T>(reader: (page: Page) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Messages of the console, and uncaught errors. */
  console(): readonly string[]
  /** Requests with their status. */
  network(): readonly string[]
  dispose(): Promise<void>
}

export interface PreviewDeps extends ReachDeps {
  /** Path of a Chromium, or null. */
  findBrowser(): string | null
}

/** Milliseconds for one action, and for the whole call. */
const actionMs = 10_000
const callMs = 20_000
/** Milliseconds for a look at the page, because a frame that never loads would delay it, and for a sign of life. */
const lookMs = 6000
const probeMs = 2000
/** Milliseconds between two looks at a page that changes, and for all looks. */
const settleMs = 150
const maxSettleMs = 3000
/** Milliseconds to compare two looks. Beyond that, all lines between the first and the last change are changed. */
const maxDiffMs = 100
/** Maximum characters of a look that are used. */
const maxLook = 500_000

interface OpenPage {
  page: Page
  end(): Promise<void>
}

export function createPreview(deps: PreviewDeps): Preview {
  const reach = createReach(deps)
  const log = createPageLog()
  let starting: Promise<OpenPage> | undefined
  /** What the last report showed. */
  let shown = { url: '', text: '' }

  async function openPage(): Promise<Page> {
    const { page } = (await starting) ?? {}
    if (!page || page.isClosed()) throw new ToolError('not_found', 'No page is open.', 'Open one with browser_open.')
    return page
  }

  /** Returns the page, in a new browser if there is none. */
  async function pageToUse(): Promise<Page> {
    const open = await starting
    if (open?.page.isClosed()) await open.end()
    starting ??= startPage(deps.findBrowser(), reach, log, () => (starting = undefined))
    try {
      return (await starting).page
    } catch (error) {
      starting = undefined
      throw error
    }
  }

  /** Runs something with a time limit. Ends the browser if its page does not respond any more. */
  async function bounded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await within(work, callMs, signal)
    } catch (error) {
      signal.throwIfAborted()
      const isLate = error instanceof Error && (error === lateError || error.name === 'TimeoutError')
      if (!isLate || (await responds())) throw pageFailure(error)
      await (await starting)?.end()
      throw new ToolError(
        'timeout',
        'The page does not respond, so its browser was ended.',
        'Open the page again with browser_open. A script of the page may run without end.',
      )
    }
  }

  async function responds(): Promise<boolean> {
    const { page } = (await starting) ?? {}
    if (!page || page.isClosed()) return true
    return within(page.evaluate('1'), probeMs, new AbortController().signal).then(
      () => true,
      () => false,
    )
  }

  async function report(page: Page, isWhole: boolean): Promise<PageReport> {
    const text = await settledLook(page)
    const url = page.url()
    const isNew = isWhole || url !== shown.url
    const lines = isNew ? text.split('\n') : changedLines(shown.text, text)
    const title = await page.title()
    shown = { url, text }
    return { url, title, isNew, lines, ...log.take() }
  }

  return {
    async open(url, signal) {
      if (!isLoopback(url)) reach.approve(url)
      // A refusal is clearer than the browser's own page for it.
      await reach.allow(hostOf(url), portOf(url), signal)
      const page = await pageToUse()
      const opening = async (): Promise<PageReport> => {
        log.clear()
        await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: actionMs })
        return report(page, true)
      }
      return bounded(opening(), signal)
    },
    async snapshot(signal) {
      return bounded(report(await openPage(), true), signal)
    },
    async act(action, signal) {
      const page = await openPage()
      const acting = async (): Promise<PageReport> => {
        await action(page)
        return report(page, false)
      }
      return bounded(acting(), signal)
    },
    async read(reader, signal) {
      return bounded(reader(await openPage()), signal)
    },
    console: log.console,
    network: log.network,
    async dispose() {
      // A browser that does not start needs no end.
      await (await starting?.catch(() => undefined))?.end()
    },
  }
}

/**
 * Starts a browser with a page.
 * @param onEnd called when the browser ends, also by itself
 * @throws ToolError not_found, refused, io_error
 */
async function startPage(program: string | null, reach: Reach, log: PageLog, onEnd: () => void): Promise<OpenPage> {
  if (program === null)
    throw new ToolError('not_found', 'No Chromium or Chrome was found.', 'Install one, for example chromium.')
  const proxy = await startFilterProxy({ allow: reach.allow, onRefused: log.refused })
  const browser = await startBrowser(program, proxy.port)
  const end = async (): Promise<void> => {
    onEnd()
    await browser.end()
    await proxy.close()
  }
  void browser.ended.then(end)
  try {
    // Loaded with the first page only: it takes a tenth of a second.
    const { chromium } = await import('playwright-core')
    const connected = await chromium.connectOverCDP(browser.transport)
    const context = await connected.newContext({ acceptDownloads: false, viewport: { width: 1280, height: 800 } })
    await denyDownloads(connected)
    const page = await context.newPage()
    page.setDefaultTimeout(actionMs)
    log.watch(context, page)
    return { page, end }
  } catch (error) {
    await end()
    throw new ToolError('io_error', 'The browser did not start.', 'Try again.', { cause: error })
  }
}

const look = async (page: Page): Promise<string> =>
  (await page.locator(':root').ariaSnapshot({ mode: 'ai', timeout: lookMs })).slice(0, maxLook)

/** Waits until two looks at the page are the same. */
async function settledLook(page: Page): Promise<string> {
  // A page that goes on loading is shown as it is.
  await page.waitForLoadState('domcontentloaded').catch(() => undefined)
  const end = performance.now() + maxSettleMs
  let last = await look(page)
  while (performance.now() < end) {
    await page.waitForTimeout(settleMs)
    const next = await look(page)
    if (next === last) break
    last = next
  }
  return last
}

const lateError = new Error('The time is over.')

/** Waits for work. @throws `lateError`, or the reason of the signal */
async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  // Nobody waits for late failures.
  work.catch(() => undefined)
  signal.throwIfAborted()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.aborted ? signal.reason : lateError)
  limit.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    limit.removeEventListener('abort', onAbort)
  }
}

/** Refuses downloads also if a page starts them in another way than Playwright knows. */
async function denyDownloads(browser: Browser): Promise<void> {
  const protocol = await browser.newBrowserCDPSession()
  await protocol.send('Browser.setDownloadBehavior', { behavior: 'deny' })
}

/** Returns added and removed lines of a tree. */
function changedLines(before: string, after: string): string[] {
  const [old, current] = [before.split('\n'), after.split('\n')]
  const part = (lines: readonly string[], { start, count }: LineRange, sign: string): string[] =>
    lines.slice(start - 1, start - 1 + count).map((line) => `${sign} ${line}`)
  return lineHunks(old, current, { milliseconds: maxDiffMs }).flatMap(({ original, modified }) => [
    ...part(old, original, '-'),
    ...part(current, modified, '+'),
  ])
}

/** Converts an error of Playwright, whose messages have a call log for developers. */
function pageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ToolError) return error
  const message = (error.message.split('\n')[0] ?? '').replace(/^[\w.]+: /, '')
  const isNetwork = /net::ERR_(?:ABORTED|CONNECTION_REFUSED|TUNNEL|PROXY|EMPTY)/.test(message)
  return new ToolError(
    isNetwork ? 'network_error' : 'no_match',
    `The page did not do this: ${truncate(message, 500)}`,
    isNetwork
      ? 'Check whether the server runs.'
      : 'Look at the page with browser_snapshot, and use a current reference.',
    { cause: error },
  )
}
