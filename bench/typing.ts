import { spawn } from 'node:child_process'
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { openBrowser } from '../e2e/support/browser.ts'
import { median, type Row } from './row.ts'
import { NotInstalled, startCodeServer } from './typing/codeServer.ts'
import { makeFolder, marker } from './typing/files.ts'
import { openAndMeasure, percentile, typeAndMeasure } from './typing/keys.ts'

const root = join(import.meta.dirname, '..')
const rounds = 3
const keys = 100
/** Clock ticks a second in /proc/PID/stat: 100 on every Linux of today. */
const ticksPerSecond = 100

/** What one window took in one round, in milliseconds. */
interface Figures {
  firstOpen: number
  keyP95: number
  hugeOpen: number
  /** CPU of the main process for each key; undefined where it is not measured. */
  mainPerKey?: number
}

/** Opening and typing in a file of 10,000 lines, beside VS Code's web build in the same Chromium. */
export async function measure(): Promise<Row[]> {
  const folder = await makeFolder()
  const browser = await openBrowser()
  const ours: Figures[] = []
  const theirs: Figures[] = []
  let obstacle: string | undefined
  try {
    // Alternately, so that a noisy neighbour hits both alike.
    for (let round = 0; round < rounds; round++) {
      ours.push(await tizona(browser, folder.root))
      if (obstacle !== undefined) continue
      try {
        theirs.push(await codeServer(browser, folder.root))
      } catch (error) {
        if (!(error instanceof NotInstalled)) throw error
        obstacle = error.message
      }
    }
  } finally {
    await browser.close()
    await folder.remove()
  }
  const of = (figures: readonly Figures[], key: 'firstOpen' | 'keyP95' | 'hugeOpen'): number => median(figures.map((one) => one[key]))
  const beside = (question: string, key: 'firstOpen' | 'keyP95' | 'hugeOpen'): Row => {
    const mine = of(ours, key)
    if (obstacle !== undefined) return { question: `${question} (alone: ${obstacle})`, value: mine, unit: 'ms', how: `median of ${rounds}; VS Code not run` }
    const other = of(theirs, key)
    return { question: `${question}, against VS Code's web build`, value: mine / other, unit: '×', goal: 1, how: `medians of ${rounds} in one Chromium: ${mine.toFixed(0)} ms against ${other.toFixed(0)} ms` }
  }
  return [
    beside('key to paint in a file of 10,000 lines, 95th percentile of 100 keys', 'keyP95'),
    beside('first open of a file of 10,000 lines', 'firstOpen'),
    beside('opening a file of 50 MB', 'hugeOpen'),
    { question: 'CPU of the main process for each key in a file of 10,000 lines', value: median(ours.map((one) => one.mainPerKey ?? Number.NaN)), unit: 'ms', goal: 3, how: `user and system time from /proc over ${keys} keys` },
  ]
}

async function tizona(browser: Browser, folder: string): Promise<Figures> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), folder, '--no-open'], {
    env: { ...process.env, TIZONA_USER_DATA: userData, TIZONA_NO_DISCOVERY: '1' }, stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(await printedAddress(server))
    await page.getByRole('treeitem').first().waitFor()
    const figures = await session(page, () => cpuTime(server.pid ?? 0))
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
      const figures = await session(page)
      await context.close()
      return figures
    } finally {
      await server.close()
    }
  } finally {
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The same gestures in either window. */
async function session(page: Page, cpu?: () => Promise<number>): Promise<Figures> {
  // Both load more when they are idle.
  await page.waitForTimeout(5000)
  const firstOpen = await openAndMeasure(page, 'large.ts', marker('large.ts'))
  await page.waitForTimeout(5000)
  await page.keyboard.press('Control+End')
  await typeAndMeasure(page, 20)
  const before = await cpu?.()
  const times = await typeAndMeasure(page, keys)
  const after = await cpu?.()
  const hugeOpen = await openAndMeasure(page, 'huge.log', marker('huge.log'))
  return {
    firstOpen, keyP95: percentile(times, 0.95), hugeOpen,
    ...(before === undefined || after === undefined ? {} : { mainPerKey: (after - before) / keys }),
  }
}

/** User and system time of a process so far, in milliseconds (Linux). */
async function cpuTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may hold spaces; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
