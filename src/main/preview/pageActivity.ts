import type { Page } from 'playwright-core'
import { Delayer } from '../../shared/async/delayer.ts'
import { isAbort, ToolError } from '../../shared/errors.ts'
import { truncate } from '../../shared/text/truncate.ts'
import type { PageBrowser } from './pageBrowser.ts'
import { lateError, within } from './timeLimit.ts'

const idleMs = 600_000
/** Milliseconds for a whole call of a model. */
const callMs = 20_000
/** Milliseconds for a sign of life. */
const probeMs = 2000
const lookAgain = 'Look at the page with browser_snapshot, and use a current reference.'

/** Handlers of a person who uses the same page. */
export interface ActivityHandlers {
  /** A call of a model uses the page from now on. */
  onCall(): void
  /** Whether a dialog waits for the person. It blocks the page. */
  hasDialog(): boolean
}

/** Limits the time of what is done with the page, and ends a browser that nobody uses or that does not respond. */
export function createActivity(browser: PageBrowser, person: () => ActivityHandlers | undefined, endMs = idleMs) {
  /** Running calls of a model. */
  let calls = 0
  /** What runs, the calls of a model included. */
  let running = 0
  let disposed = false
  const idle = new Delayer(() => void browser.end(), endMs)

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

  const responds = async (): Promise<boolean> => person()?.hasDialog() === true || isAlive(browser.page())

  /** Ends the browser if its page does not respond any more. @throws ToolError if the error has another reason */
  async function endIfHung(error: unknown): Promise<void> {
    const isLate = error instanceof Error && (error === lateError || error.name === 'TimeoutError')
    if (!isLate || (await responds())) throw pageFailure(error)
    await browser.end()
  }

  return {
    calls: () => calls,
    responds,
    endIfHung,
    counted,
    /** Waits for what a model does, with a time limit. */
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

/** @param next what to do */
export const hungPage = (next: string): ToolError =>
  new ToolError(
    'timeout',
    'The page does not respond, so its browser was ended.',
    `${next} A script in the page may run endlessly.`,
  )

/** Whether a page gives a sign of life. One that is closed needs none. */
async function isAlive(page: Page | undefined): Promise<boolean> {
  if (!page || page.isClosed()) return true
  return within(page.evaluate('1'), probeMs, new AbortController().signal).then(
    () => true,
    // One that navigates fails at once.
    (error: unknown) => error !== lateError,
  )
}

/**
 * Converts an error of Playwright, whose messages have a call log for developers.
 * @param next what to do if the server responds. Default: for a model.
 */
export function pageFailure(error: unknown, next = lookAgain): unknown {
  if (!(error instanceof Error) || error instanceof ToolError || isAbort(error)) return error
  const [first = ''] = error.message.split(/\n|Call log:/)
  const message = first.replace(/^[\w.]+: /, '').trim()
  const isNetwork = /net::ERR_(?:ABORTED|CONNECTION_REFUSED|TUNNEL|PROXY|EMPTY)/.test(message)
  return new ToolError(
    isNetwork ? 'network_error' : 'no_match',
    `The action in the page failed: ${truncate(message.replaceAll(/\s+/g, ' '), 500)}`,
    isNetwork ? 'Check whether the server is running.' : next,
    { cause: error },
  )
}
