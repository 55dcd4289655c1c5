import type { Browser, Dialog, Page } from 'playwright-core'
import { Delayer } from '../../shared/async/delayer.ts'
import { once } from '../../shared/async/once.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import { lineHunks, type LineRange } from '../../shared/diff/lineHunks.ts'
import { ToolError } from '../../shared/errors.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { mayRunBrowser, startBrowser, type BrowserProcess } from './browserProcess.ts'
import { startFilterProxy } from './filterProxy.ts'
import { createPageLog, type PageLog } from './pageLog.ts'
import { checkNoSecret, isOwnAddress, notOwn, servedPath } from './ownPages.ts'
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
  /**
   * Does something in the page, and waits until it has settled.
   * @param options `isUse`: whether the page is used, and not only looked at. Default: true.
   * @throws ToolError refused for the use of a page of another host, or while one is allowed: it could receive what a
   * model types
   */
  act(action: (page: Page) => Promise<unknown>, signal: AbortSignal, options?: { isUse?: boolean }): Promise<PageReport>
  /** Reads something from the page. */
  read<T>(reader: (page: Page) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Evaluates JavaScript in the page. @throws ToolError refused for a page of another host */
  evaluate(expression: string, signal: AbortSignal): Promise<unknown>
  /** Messages of the console, and uncaught errors. */
  console(): readonly string[]
  /** Requests with their status. */
  network(): readonly string[]
  /** What a person does with the same page. */
  readonly person: PersonAccess
  dispose(): Promise<void>
}

/** Access to the page for a person, who needs no reports. */
export interface PersonAccess {
  /**
   * Opens an address. The person has approved one beyond this machine.
   * @throws ToolError address_refused, network_error
   */
  open(url: URL, signal: AbortSignal): Promise<void>
  /** Goes to another page of the history, or loads the page again. @throws ToolError not_found, timeout, network_error */
  go(to: 'back' | 'forward' | 'reload'): Promise<void>
  /** The open page. */
  page(): Page | undefined
  /** @throws ToolError approval_required if the page shows a secret file, which the person may not attach by mistake */
  checkNoSecret(): void
  /** Whether the page gives a sign of life. */
  responds(): Promise<boolean>
  /** Notes that the person looks at the page, so that its browser stays. */
  looked(): void
  /** Ends the browser. */
  close(): Promise<void>
  /** Handles changes of the page and its log. Replaces the earlier handlers. */
  watch(handlers: PersonHandlers): void
}

export interface PersonHandlers {
  /** Another page is open, or none. `crashed`: because it crashed. */
  onPage(page: Page | undefined, crashed: boolean): void
  onLogChanged(): void
  /** A model's call uses the page from now on. */
  onCall(): void
  /** Whether a person answers the dialog. Not called during an action of a model, which would wait for the person. */
  handleDialog(dialog: Dialog): boolean
  /** Whether a dialog waits for the person. It blocks the page. */
  hasDialog(): boolean
}

export interface PreviewDeps extends ReachDeps {
  /** Path of a Chromium, or null. */
  findBrowser(): string | null
  /** Whether a file of the folder is secret, so that a model reads it only if the user approves that. */
  isSecret(path: string): boolean
  /** Milliseconds after the last look of a person or call of a model in which the browser ends. Default: 10 minutes. */
  idleMs?: number
}

const idleMs = 600_000
/** Milliseconds for one action, and for the whole call. */
const actionMs = 10_000
const callMs = 20_000
/** Milliseconds until a browser has started. */
const startMs = 20_000
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
const maxUrl = 500
const maxTitle = 200

interface OpenPage {
  page: Page
  end(): Promise<void>
}

export function createPreview(deps: PreviewDeps): Preview {
  const reach = createReach(deps)
  let person: PersonHandlers | undefined
  const log = createPageLog({
    onChanged: () => person?.onLogChanged(),
    handleDialog: (dialog) => uses.calls() === 0 && person?.handleDialog(dialog) === true,
  })
  const pages = createPages(deps.findBrowser, reach, log, (page, crashed) => person?.onPage(page, crashed))
  const uses = createUses(pages, () => person, deps.idleMs)
  const { bounded } = uses
  /** A page that opens decides what may be reached, so one opens after the other. */
  const openings = new Sequencer()
  const secrets = createSecretCheck(deps.isSecret)
  const report = createReports(log, secrets.check)

  /** Returns the page for an address that it may reach. */
  async function pageFor(url: URL, signal: AbortSignal): Promise<Page> {
    reach.forget()
    if (!isLoopback(url)) await reach.approve(url, signal)
    // A refusal is clearer than the browser's own page for it.
    await reach.allow(hostOf(url), portOf(url), signal)
    return within(pages.toUse(), startMs, signal)
  }

  function load(page: Page, url: URL): Promise<unknown> {
    log.clear()
    return page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: actionMs })
  }

  const show = (url: URL, signal: AbortSignal): Promise<void> =>
    uses.counted(async () => {
      const page = await pageFor(url, signal)
      secrets.allow([])
      try {
        await load(page, url)
      } catch (error) {
        // A page that does not respond cannot be left, but another browser can open the address.
        await uses.endIfHung(error)
        await load(await pageFor(url, signal), url).catch(failed)
      }
    })

  const go = (to: 'back' | 'forward' | 'reload'): Promise<void> =>
    uses.counted(async () => {
      try {
        await step(pages.current(), to, { waitUntil: 'commit', timeout: actionMs })
      } catch (error) {
        await uses.endIfHung(error)
        throw hungPage('Open the page again.')
      }
    })

  return {
    open: (url, signal) =>
      openings.queue(async () => {
        const page = await pageFor(url, signal)
        secrets.allow(servedPath(url))
        const opening = async (): Promise<PageReport> => {
          await load(page, url)
          return report(page, true)
        }
        return bounded(opening(), signal)
      }),
    async snapshot(signal) {
      return bounded(report(pages.current(), true), signal)
    },
    async act(action, signal, { isUse = true } = {}) {
      const page = pages.current()
      if (isUse) checkOwn(page, reach)
      const acting = async (): Promise<PageReport> => {
        await action(page)
        return report(page, false)
      }
      return bounded(acting(), signal)
    },
    async read(reader, signal) {
      return bounded(secrets.reading(pages.current(), reader), signal)
    },
    async evaluate(expression, signal) {
      const page = pages.current()
      checkOwn(page, reach)
      return bounded(
        secrets.reading(page, () => page.evaluate<unknown>(expression)),
        signal,
      )
    },
    console: log.console,
    network: log.network,
    person: {
      open: (url, signal) => openings.queue(() => show(url, signal)),
      go: (to) => openings.queue(() => go(to)),
      page: pages.page,
      checkNoSecret() {
        const page = pages.page()
        if (page) secrets.check(page)
      },
      responds: uses.responds,
      looked: uses.looked,
      close: pages.end,
      watch(handlers) {
        person = handlers
      },
    },
    async dispose() {
      uses.dispose()
      await pages.end()
    },
  }
}

/** Limits the time of what is done with the page, and ends a browser that nobody uses or that does not respond. */
function createUses(pages: Pages, person: () => PersonHandlers | undefined, endMs = idleMs) {
  /** Running calls of a model. */
  let calls = 0
  /** What runs, the calls of a model included. */
  let running = 0
  let disposed = false
  const idle = new Delayer(() => void pages.end(), endMs)

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    running += 1
    idle.cancel()
    try {
      return await work()
    } finally {
      running -= 1
      if (running === 0 && !disposed) idle.restart()
    }
  }

  const responds = async (): Promise<boolean> => person()?.hasDialog() === true || isAlive(pages.page())

  /** Ends the browser if its page does not respond any more. @throws ToolError if the error has another reason */
  async function endIfHung(error: unknown): Promise<void> {
    const isLate = error instanceof Error && (error === lateError || error.name === 'TimeoutError')
    if (!isLate || (await responds())) throw pageFailure(error)
    await pages.end()
  }

  return {
    calls: () => calls,
    responds,
    endIfHung,
    counted,
    /** Runs what a model does, with a time limit. */
    bounded: <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
      counted(async () => {
        calls += 1
        person()?.onCall()
        try {
          return await within(work, callMs, signal)
        } catch (error) {
          signal.throwIfAborted()
          await endIfHung(error)
          throw hungPage('Open the page again with browser_open.')
        } finally {
          calls -= 1
        }
      }),
    /** Notes that a person looks at the page. */
    looked: () => idle.isWaiting && idle.restart(),
    dispose() {
      disposed = true
      idle.cancel()
    },
  }
}

const hungPage = (next: string): ToolError =>
  new ToolError(
    'timeout',
    'The page does not respond, so its browser was ended.',
    `${next} A script of the page may run without end.`,
  )

/** @throws ToolError refused for a page of another host, or while one is allowed */
function checkOwn(page: Page, reach: Reach): void {
  if (reach.isOpen() || !isOwnAddress(page.url())) throw notOwn()
}

/** Keeps the text of secret files that a page shows from models. */
function createSecretCheck(isSecret: (path: string) => boolean) {
  let allowed: readonly string[] = []
  const check = (page: Page): void => checkNoSecret(page, isSecret, allowed)
  return {
    check,
    /** @param paths files that the user has allowed a model to open, instead of those before */
    allow(paths: readonly string[]): void {
      allowed = paths
    },
    /** Runs a reader. The page may go elsewhere meanwhile. */
    async reading<T>(page: Page, reader: (page: Page) => Promise<T>): Promise<T> {
      check(page)
      const value = await reader(page)
      check(page)
      return value
    },
  }
}

/** @returns a function that describes a page. `isWhole`: all of it, and not only what changed since the last report */
function createReports(
  log: PageLog,
  check: (page: Page) => void,
): (page: Page, isWhole: boolean) => Promise<PageReport> {
  let shown = { url: '', text: '' }
  return async (page, isWhole) => {
    const text = await settledLook(page)
    check(page)
    const url = page.url()
    const isNew = isWhole || url !== shown.url
    const lines = isNew ? text.split('\n') : changedLines(shown.text, text)
    const title = truncate((await page.title()).replaceAll(/\s+/g, ' '), maxTitle)
    shown = { url, text }
    return { url: truncate(url, maxUrl), title, isNew, lines, ...log.take() }
  }
}

/** Whether a page gives a sign of life. One that is closed needs none. */
async function isAlive(page: Page | undefined): Promise<boolean> {
  if (!page || page.isClosed()) return true
  return within(page.evaluate('1'), probeMs, new AbortController().signal).then(
    () => true,
    // One that navigates fails at once.
    (error: unknown) => error !== lateError,
  )
}

/** The page and its browser. There is one at most. */
interface Pages {
  /** Returns the page, in a new browser if there is none. @throws ToolError not_found, refused, io_error */
  toUse(): Promise<Page>
  /** @throws ToolError not_found without a page */
  current(): Page
  page(): Page | undefined
  /** Ends the browser. */
  end(): Promise<void>
}

function createPages(
  findBrowser: () => string | null,
  reach: Reach,
  log: PageLog,
  onPage: (page: Page | undefined, crashed: boolean) => void,
): Pages {
  let starting: Promise<OpenPage> | undefined
  let opened: Page | undefined

  function show(page: Page | undefined, crashed = false): void {
    opened = page
    onPage(page, crashed)
  }

  function start(): void {
    let crashed = false
    const own: Promise<OpenPage> = startPage(findBrowser(), reach, log, () => {
      // A later browser stays.
      if (starting !== own) return
      starting = undefined
      show(undefined, crashed)
    })
    starting = own
    own.then(
      ({ page, end }) => {
        if (starting !== own) return
        page.once('crash', () => {
          crashed = true
          void end()
        })
        show(page)
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
      if (!opened || opened.isClosed())
        throw new ToolError('not_found', 'No page is open.', 'Open one with browser_open.')
      return opened
    },
    page: () => opened,
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
async function startPage(program: string | null, reach: Reach, log: PageLog, onEnd: () => void): Promise<OpenPage> {
  if (program === null)
    throw new ToolError('not_found', 'No Chromium or Chrome was found.', 'Install one, for example chromium.')
  if (!mayRunBrowser())
    throw new ToolError('refused', 'The browser does not run as root.', 'Start Tizona as another user.')
  const proxy = await startFilterProxy({ allow: reach.allow, onRefused: log.refused })
  reach.onRevoked(proxy.disconnect)
  let browser: BrowserProcess | undefined
  const end = once(async (): Promise<void> => {
    onEnd()
    try {
      await browser?.end()
    } finally {
      await proxy.close()
    }
  })
  try {
    browser = await startBrowser(program, proxy.port)
    void browser.ended.then(end)
    const early = browser.ended.then(() => Promise.reject<never>(new Error('It has ended.')))
    const page = await within(
      Promise.race([connectPage(browser, reach, log), early]),
      startMs,
      new AbortController().signal,
    )
    // It is reported by the next call.
    early.catch(() => undefined)
    return { page, end }
  } catch (error) {
    await end()
    const reason = browser?.lastLine() ?? ''
    throw new ToolError(
      'io_error',
      `The browser did not start.${reason === '' ? '' : ` It printed: ${truncate(reason, 300)}`}`,
      'Check whether it starts by itself.',
      { cause: error },
    )
  }
}

async function connectPage(browser: BrowserProcess, reach: Reach, log: PageLog): Promise<Page> {
  // Loaded with the first page only: it takes a tenth of a second.
  const { chromium } = await import('playwright-core')
  const connected = await chromium.connectOverCDP(browser.transport)
  const context = await connected.newContext({ acceptDownloads: false, viewport: { width: 1280, height: 800 } })
  await denyDownloads(connected)
  const page = await context.newPage()
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

const step = (page: Page, to: 'back' | 'forward' | 'reload', options: Parameters<Page['goBack']>[0]) =>
  to === 'reload' ? page.reload(options) : to === 'back' ? page.goBack(options) : page.goForward(options)

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

const lateError = new Error('The time limit was exceeded.')

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

function failed(error: unknown): never {
  throw pageFailure(error)
}

/** Converts an error of Playwright, whose messages have a call log for developers. */
function pageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ToolError) return error
  const message = (error.message.split('\n')[0] ?? '').replace(/^[\w.]+: /, '')
  const isNetwork = /net::ERR_(?:ABORTED|CONNECTION_REFUSED|TUNNEL|PROXY|EMPTY)/.test(message)
  return new ToolError(
    isNetwork ? 'network_error' : 'no_match',
    `The page did not do this: ${truncate(message.replaceAll(/\s+/g, ' '), 500)}`,
    isNetwork
      ? 'Check whether the server runs.'
      : 'Look at the page with browser_snapshot, and use a current reference.',
    { cause: error },
  )
}
