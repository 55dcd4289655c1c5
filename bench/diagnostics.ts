import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { memoryOf } from '../src/main/lsp/memoryUse.ts'
import { startBrowserHost } from './browserHost.ts'
import { median, type Row } from './row.ts'
import { NotInstalled, startCodeServer } from './typing/codeServer.ts'
import { percentile } from './typing/keys.ts'

const root = join(import.meta.dirname, '..')
/** Number of rounds. Even, so that each window comes first equally often. */
const rounds = 2
/** Keystrokes per round that introduce an error. */
const keys = 20
/** A file in the middle of the imports of this repository. */
const file = 'problemStore.ts'
/** Appended to the file and not saved. `n` after the number makes it a type error. */
const line = '\nexport const measured: number = 1'
/** Pause for idle loading of the window, in milliseconds. */
const settleTime = 8000
/** Time limit for a server to load this repository and find the first error, in milliseconds. */
const loadTime = 180_000

/** What one window showed in one round. */
interface Round {
  /** Milliseconds from a keystroke to the frame with the error. */
  shown: number[]
  /** Memory of the TypeScript server afterwards, in MB. */
  memory: number
}

/**
 * Measures the time from a keystroke to the shown error in this repository, and the memory of the TypeScript server,
 * compared with VS Code's web build in the same Chromium. Nothing is saved.
 */
export async function measure(): Promise<Row[]> {
  const browser = await openBrowser()
  const ours: Round[] = []
  const theirs: Round[] = []
  let obstacle: string | undefined
  const theirRound = async (): Promise<void> => {
    if (obstacle !== undefined) return
    try {
      theirs.push(await codeServer(browser))
    } catch (error) {
      if (!(error instanceof NotInstalled)) throw error
      obstacle = error.message
    }
  }
  const ourRound = async (): Promise<void> => void ours.push(await tizona(browser))
  try {
    for (let round = 0; round < rounds; round++)
      for (const next of round % 2 === 0 ? [ourRound, theirRound] : [theirRound, ourRound]) await next()
  } finally {
    await browser.close()
  }
  const all = (of: readonly Round[]): number[] => of.flatMap(({ shown }) => shown)
  const memory = (of: readonly Round[]): number => median(of.map((round) => round.memory))
  const how = `${all(ours).length} keys in ${file}, from the key to the frame with the squiggle; \`node bench/run.ts diagnostics\``
  const compared = (text: string): string => (obstacle === undefined ? text : `VS Code not run: ${obstacle}`)
  return [
    ...[0.5, 0.95].map((share): Row => {
      const [mine, other] = [percentile(all(ours), share), percentile(all(theirs), share)]
      return {
        question: `error of types shown after a key, this repository (p${share * 100})`,
        value: mine,
        unit: 'ms',
        how: `${how}; ${compared(`VS Code's web build in the same Chromium ${other.toFixed(0)} ms, ratio ${(mine / other).toFixed(2)}×`)}`,
      }
    }),
    {
      question: 'memory of the TypeScript server, this repository',
      value: memory(ours),
      unit: 'MB',
      how: `resident, median of ${rounds} rounds after ${keys} errors in one open file; ${compared(`VS Code's servers ${memory(theirs).toFixed(0)} MB`)}; \`node bench/run.ts diagnostics\``,
    },
  ]
}

async function tizona(browser: Browser): Promise<Round> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  await trustFolder(userData, root)
  const server = startBrowserHost(root, userData)
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(await printedAddress(server))
    await page.getByRole('treeitem').first().waitFor()
    const shown = await session(page)
    const memory = await memoryOfServers('--lsp', userData)
    await context.close()
    return { shown, memory }
  } finally {
    await end(server)
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function codeServer(browser: Browser): Promise<Round> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-vscode-'))
  try {
    const server = await startCodeServer(root, userData)
    try {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      const page = await context.newPage()
      await page.goto(server.address)
      await page.getByRole('treeitem', { name: 'package.json' }).waitFor({ timeout: 120_000 })
      const shown = await session(page)
      const memory = await memoryOfServers('tsserver', join(root, '.cache', 'code-server'))
      await context.close()
      return { shown, memory }
    } finally {
      await server.close()
    }
  } finally {
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Opens the file, adds a line, and repeatedly breaks and repairs its type. Both windows support these actions. */
async function session(page: Page): Promise<number[]> {
  await page.waitForTimeout(settleTime)
  await page.keyboard.press('Control+p')
  await page.waitForTimeout(1000)
  await page.keyboard.type(file)
  await page
    .getByRole('option', { name: new RegExp(file.replace('.', String.raw`\.`)) })
    .first()
    .waitFor({ timeout: loadTime })
  await page.keyboard.press('Enter')
  await page.locator('.view-line').first().waitFor({ timeout: loadTime })
  await page.waitForTimeout(3000)
  await page.keyboard.press('Control+End')
  await page.keyboard.type(line)
  const squiggle = page.locator('.squiggly-error')
  const shown: number[] = []
  // The first error takes until the server has loaded the repository.
  for (let key = 0; key <= keys; key++) {
    await page.evaluate(watchError)
    await page.keyboard.press('n')
    await squiggle.first().waitFor({ state: 'attached', timeout: loadTime })
    const time = await page.waitForFunction(errorTime, undefined, { timeout: loadTime })
    if (key > 0) shown.push(Number(await time.jsonValue()))
    await page.keyboard.press('Backspace')
    await squiggle.first().waitFor({ state: 'detached', timeout: loadTime })
    await page.waitForTimeout(300)
  }
  return shown
}

/** Runs in the page: measures from the next keystroke to the frame that shows an error. */
function watchError(): void {
  Object.assign(globalThis, { errorShown: undefined })
  addEventListener(
    'keydown',
    (event) => {
      const look = () => {
        if (document.querySelector('.squiggly-error'))
          setTimeout(() => Object.assign(globalThis, { errorShown: performance.now() - event.timeStamp }))
        else requestAnimationFrame(look)
      }
      look()
    },
    { capture: true, once: true },
  )
}

/** Runs in the page. */
function errorTime(): number | undefined {
  // Set by `watchError`.
  return (globalThis as unknown as { errorShown?: number }).errorShown
}

/**
 * Sum of the resident memory of processes in megabytes (Linux).
 * @param argument a part of their command line
 * @param path a part of their environment or command line
 */
async function memoryOfServers(argument: string, path: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const [args, environment] = await Promise.all(
          ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
        )
        if (args?.includes(argument) !== true || !`${args}${environment}`.includes(path)) return 0
        return (await memoryOf(Number(pid))) ?? 0
      }),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024
}
