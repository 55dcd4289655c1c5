import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { openBrowser } from '../e2e/support/browser.ts'
import { startBrowserHost } from './browserHost.ts'
import { processMemory } from './processMemory.ts'
import { median, type Row } from './row.ts'
import { NotInstalled, startCodeServer } from './typing/codeServer.ts'
import { makeFolder, marker } from './typing/files.ts'
import { openAndMeasure, percentile, typeAndMeasure } from './typing/keys.ts'
import { trustFolder } from '../e2e/support/trust.ts'

/** Number of rounds. Even, so that each window comes first equally often. */
const rounds = 4
const keys = 100
/** Pause in milliseconds for idle loading and for work on a file after it is shown. */
const settleTime = 8000
/** Pause in milliseconds after which servers have released their working memory, if they ever do. */
const idleTime = 30_000
/** Clock ticks per second in /proc/PID/stat: 100 on Linux. */
const ticksPerSecond = 100

/** Figures of one window in one round, in milliseconds. */
interface Figures {
  /** Opening the first file. */
  firstOpen: number
  /** Opening a second file of the same size. */
  nextOpen: number
  hugeOpen: number
  keyMedian: number
  keyP95: number
  /** Keys by the browser's Event Timing. */
  keyP95ByBrowser: number
  /** The longest task of the window's thread while typing; 0 if none reached 50 ms. */
  longestTask: number
  /** Memory of the server's processes afterwards, in MB. */
  memory: number
  /** The same after `idleTime` without use. */
  idleMemory: number
  /** Processor time of the main process per keystroke; undefined if not measured. */
  mainPerKey?: number
}
type Compared = Exclude<keyof Figures, 'mainPerKey'>

/** Measures opening and typing in a file of 10,000 lines, compared with VS Code's web build in the same Chromium. */
export async function measure(): Promise<Row[]> {
  const folder = await makeFolder()
  const browser = await openBrowser()
  const ours: Figures[] = []
  const theirs: Figures[] = []
  let obstacle: string | undefined
  const theirRound = async (): Promise<void> => {
    if (obstacle !== undefined) return
    try {
      theirs.push(await codeServer(browser, folder.root))
    } catch (error) {
      if (!(error instanceof NotInstalled)) throw error
      obstacle = error.message
    }
  }
  const ourRound = async (): Promise<void> => void ours.push(await tizona(browser, folder.root))
  try {
    // Alternate which window comes first, so that other load affects both.
    for (let round = 0; round < rounds; round++)
      for (const next of round % 2 === 0 ? [ourRound, theirRound] : [theirRound, ourRound]) await next()
  } finally {
    await browser.close()
    await folder.remove()
  }
  const of = (figures: readonly Figures[], key: Compared): number => median(figures.map((one) => one[key]))
  const each = (figures: readonly Figures[], key: Compared): string =>
    figures.map((one) => one[key].toFixed(0)).join(', ')
  const beside = (question: string, key: Compared, also = '', unit: Row['unit'] = 'ms'): Row => {
    const mine = of(ours, key)
    if (obstacle !== undefined)
      return {
        question: `${question} (alone: ${obstacle})`,
        value: mine,
        unit,
        how: `median of ${rounds}: ${each(ours, key)} ${unit}; VS Code not run`,
      }
    const other = of(theirs, key)
    // Compared per round, because the machine's load varies more between rounds than within one.
    const ratio = median(ours.map((one, round) => one[key] / (theirs[round]?.[key] ?? Number.NaN)))
    return {
      question: `${question}, against VS Code's web build`,
      value: ratio,
      unit: '×',
      goal: 1,
      how: `median of the ratios of ${rounds} rounds in one Chromium; medians ${mine.toFixed(0)} ${unit} (${each(ours, key)}) against ${other.toFixed(0)} ${unit} (${each(theirs, key)})${also}`,
    }
  }
  const half =
    obstacle === undefined
      ? `; the middle key ${of(ours, 'keyMedian').toFixed(0)} ms against ${of(theirs, 'keyMedian').toFixed(0)} ms`
      : ''
  return [
    beside('key to paint in a file of 10,000 lines, 95th percentile of 100 keys', 'keyP95', half),
    beside('the same by Event Timing', 'keyP95ByBrowser', '; in steps of 8 ms'),
    beside('first open of a file of 10,000 lines', 'firstOpen'),
    beside('opening another file of 10,000 lines', 'nextOpen'),
    beside('opening a file of 50 MB', 'hugeOpen'),
    beside(
      "memory of the server's processes after this work",
      'memory',
      '; proportional set size, with its language servers',
      'MB',
    ),
    beside(
      `the same after ${idleTime / 1000} s without use`,
      'idleMemory',
      '; proportional set size, with its language servers',
      'MB',
    ),
    {
      question: 'longest task of the window while keys come',
      value: of(ours, 'longestTask'),
      unit: 'ms',
      how: `median of ${rounds} rounds: ${each(ours, 'longestTask')} ms${obstacle === undefined ? `; VS Code ${each(theirs, 'longestTask')} ms` : ''}; 0 is under 50 ms`,
    },
    {
      question: 'CPU of the main process for each key in a file of 10,000 lines',
      value: median(ours.map((one) => one.mainPerKey ?? Number.NaN)),
      unit: 'ms',
      goal: 3,
      how: `user and system time from /proc over ${keys} keys`,
    },
  ]
}

async function tizona(browser: Browser, folder: string): Promise<Figures> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  await trustFolder(userData, folder)
  const server = startBrowserHost(folder, userData)
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(await printedAddress(server))
    await page.getByRole('treeitem').first().waitFor()
    const figures = await session(page, server.pid ?? 0, () => cpuTime(server.pid ?? 0))
    await context.close()
    return figures
  } finally {
    await end(server)
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function codeServer(browser: Browser, folder: string): Promise<Figures> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-vscode-'))
  try {
    const server = await startCodeServer(folder, userData)
    try {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      const page = await context.newPage()
      await page.goto(server.address)
      await page.getByRole('treeitem', { name: 'large.ts' }).waitFor({ timeout: 120_000 })
      const figures = await session(page, server.pid)
      await context.close()
      return figures
    } finally {
      await server.close()
    }
  } finally {
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Actions that both windows support. */
async function session(page: Page, pid: number, cpu?: () => Promise<number>): Promise<Figures> {
  await page.waitForTimeout(settleTime)
  const firstOpen = await openAndMeasure(page, 'large.ts', marker('large.ts'))
  await page.waitForTimeout(settleTime)
  await page.keyboard.press('Control+End')
  await typeAndMeasure(page, 20)
  const before = await cpu?.()
  const { toPaint, toPaintByBrowser, longTasks } = await typeAndMeasure(page, keys)
  const after = await cpu?.()
  const nextOpen = await openAndMeasure(page, 'next.ts', marker('next.ts'))
  await page.waitForTimeout(settleTime)
  const hugeOpen = await openAndMeasure(page, 'huge.log', marker('huge.log'))
  const memory = await totalMemory(pid)
  await page.waitForTimeout(idleTime)
  return {
    firstOpen,
    nextOpen,
    hugeOpen,
    keyMedian: percentile(toPaint, 0.5),
    keyP95: percentile(toPaint, 0.95),
    keyP95ByBrowser: percentile(toPaintByBrowser, 0.95),
    longestTask: Math.max(0, ...longTasks),
    memory,
    idleMemory: await totalMemory(pid),
    ...(before === undefined || after === undefined ? {} : { mainPerKey: (after - before) / keys }),
  }
}

/** Returns the memory of a process and each descendant, in MB. */
async function totalMemory(pid: number): Promise<number> {
  return (await processMemory(pid)).reduce((sum, size) => sum + size, 0)
}

/** Returns the user and system time of a process in milliseconds (Linux). */
async function cpuTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses can contain spaces. utime and stime are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
