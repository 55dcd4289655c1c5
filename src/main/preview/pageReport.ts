import type { Page } from 'playwright-core'
import { lineHunks, type LineRange } from '../../shared/diff/lineHunks.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { invisibleText } from './invisibleText.ts'
import type { PageLog } from './pageLog.ts'

/** Milliseconds for a look at the page, because a frame that never loads would delay it. */
const lookMs = 6000
/** Milliseconds between two looks at a page that changes, and for all looks. */
const settleMs = 150
const maxSettleMs = 3000
/** Milliseconds to compare two looks. Beyond that, all lines between the first and the last change are changed. */
const maxDiffMs = 100
/** Maximum characters of a look that are used. */
const maxLook = 500_000
const maxUrl = 500
const maxTitle = 200

/** What happened in the page since the last report. */
export interface PageReport {
  url: string
  title: string
  /** The page has another address, so `lines` are all of it. Otherwise they are changes: `+` and `-`. */
  isNew: boolean
  lines: readonly string[]
  console: readonly string[]
  /** Text of the page that nobody sees. */
  invisible: string
  /** Dialogs, windows, downloads and connections that were refused or closed. */
  notes: readonly string[]
}

/** @returns a function that describes a page. `isWhole`: all of it, and not only what changed since the last report */
export function createReports(
  log: PageLog,
  check: (page: Page) => void,
): (page: Page, isWhole: boolean) => Promise<PageReport> {
  let shown = { url: '', text: '' }
  return async (page, isWhole) => {
    const text = await settledLook(page)
    const invisible = await invisibleText(page)
    check(page)
    const url = page.url()
    const isNew = isWhole || url !== shown.url
    const lines = isNew ? text.split('\n') : changedLines(shown.text, text)
    const title = truncate((await page.title()).replaceAll(/\s+/g, ' '), maxTitle)
    shown = { url, text }
    return { url: truncate(url, maxUrl), title, isNew, lines, invisible, ...log.take() }
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
