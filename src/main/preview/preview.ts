import type { Dialog, FileChooser, Page } from 'playwright-core'
import { Sequencer } from '../../shared/async/sequencer.ts'
import { checkOwn, createSecretCheck, servedPath } from './ownPages.ts'
import { createActivity, hungPage, pageFailure, type ActivityHandlers } from './pageActivity.ts'
import { actionMs, createPageBrowser, startMs, type PageBrowser } from './pageBrowser.ts'
import type { NativeView, PageViews } from './pageHost.ts'
import { createPageLog, type PageLists } from './pageLog.ts'
import { createReports, type PageReport } from './pageReport.ts'
import { createReach, hostOf, isLoopback, portOf, type ReachDeps } from './reach.ts'
import { within } from './timeLimit.ts'

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
  /**
   * Messages of the console with uncaught errors, and requests with their status.
   * @throws ToolError approval_required if the page shows a secret file
   */
  lists(): PageLists
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
  /** The view in the window that shows the page. Undefined if the window shows pictures of it. */
  view(): NativeView | undefined
  /** The same lists, with what the page logged while it showed a secret file. */
  lists(): PageLists
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

export interface PersonHandlers extends ActivityHandlers {
  /** Another page is open, or none. `crashed`: because it crashed. */
  onPage(page: Page | undefined, crashed: boolean): void
  onLogChanged(): void
  /** The person clicks or presses a key in the view of the page. Not called during an action of a model. */
  onUsed(): void
  /** Whether a person answers the dialog. Not called during an action of a model, which would wait for the person. */
  handleDialog(dialog: Dialog): boolean
  /** Whether a person chooses files. Not called during an action of a model. */
  handleChooser(chooser: FileChooser): boolean
}

export interface PreviewDeps extends ReachDeps {
  /** Path of a Chromium, or null. */
  findBrowser(): string | null
  /** Shows the page in a view of the window, if there is one, instead of a Chromium of its own. */
  pageViews?: PageViews
  /** Whether a file of the folder is secret, so that a model reads it only if the user approves that. */
  isSecret(path: string): boolean
  /** Milliseconds after the last look of a person or call of a model in which the browser ends. Default: 10 minutes. */
  idleMs?: number
}

export function createPreview(deps: PreviewDeps): Preview {
  const reach = createReach(deps)
  let person: PersonHandlers | undefined
  const log = createPageLog({
    onChanged: () => person?.onLogChanged(),
    person: () => (activity.calls() === 0 ? person : undefined),
    showsSecret: () => secrets.isShown(browser.page()),
  })
  const browser = createPageBrowser({
    findBrowser: deps.findBrowser,
    pageViews: deps.pageViews,
    reach,
    log,
    onPage: (page, crashed) => person?.onPage(page, crashed),
    onUsed() {
      if (activity.calls() === 0) person?.onUsed()
    },
  })
  const activity = createActivity(browser, () => person, deps.idleMs)
  const { bounded } = activity
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
    return within(browser.toUse(), startMs, signal)
  }

  const checkNoSecret = (): void => secrets.check(browser.page())

  function load(page: Page, url: URL): Promise<unknown> {
    log.clear()
    return page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: actionMs })
  }

  const show = (url: URL, signal: AbortSignal): Promise<void> =>
    activity.counted(async () => {
      const page = await pageFor(url, signal)
      secrets.allow([])
      try {
        await load(page, url)
      } catch (error) {
        // A page that does not respond cannot be left, but another browser can open the address.
        await activity.endIfHung(error)
        await load(await pageFor(url, signal), url).catch(failed)
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
      return bounded(report(browser.current(), true), signal)
    },
    async act(action, signal, { isUse = true } = {}) {
      const page = browser.current()
      if (isUse) checkOwn(page, reach)
      const acting = async (): Promise<PageReport> => {
        await action(page)
        return report(page, false)
      }
      return bounded(acting(), signal)
    },
    async read(reader, signal) {
      return bounded(secrets.reading(browser.current(), reader), signal)
    },
    async evaluate(expression, signal) {
      checkOwn(browser.current(), reach)
      const reading = secrets.reading(browser.current(), (page) => page.evaluate<unknown>(expression))
      return bounded(reading, signal)
    },
    lists() {
      checkNoSecret()
      return log.publicLists()
    },
    person: {
      open: (url, signal) => openings.queue(() => show(url, signal)),
      go: (to) => openings.queue(() => activity.counted(() => go(browser, activity, to))),
      page: browser.page,
      view: browser.view,
      lists: log.lists,
      checkNoSecret,
      responds: activity.responds,
      looked: activity.looked,
      close: browser.end,
      watch(handlers) {
        person = handlers
      },
    },
    dispose() {
      activity.dispose()
      return browser.end()
    },
  }
}

/** @throws ToolError not_found, timeout, network_error */
async function go(
  browser: PageBrowser,
  { endIfHung }: Pick<ReturnType<typeof createActivity>, 'endIfHung'>,
  to: 'back' | 'forward' | 'reload',
): Promise<void> {
  try {
    await step(browser.current(), to, { waitUntil: 'commit', timeout: actionMs })
  } catch (error) {
    await endIfHung(error)
    throw hungPage('Open the page again.')
  }
}

const step = (page: Page, to: 'back' | 'forward' | 'reload', options: Parameters<Page['goBack']>[0]) =>
  to === 'reload' ? page.reload(options) : to === 'back' ? page.goBack(options) : page.goForward(options)

function failed(error: unknown): never {
  throw pageFailure(error)
}
