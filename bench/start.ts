import { gzipSync } from 'node:zlib'
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { openBrowser } from '../e2e/support/browser.ts'
import type { Browser } from 'playwright'
import { NotInstalled, startCodeServer } from './typing/codeServer.ts'
import { startBrowserHost } from './browserHost.ts'
import { median, type Row } from './row.ts'
import { makeTree } from './tree.ts'
import { trustFolder } from '../e2e/support/trust.ts'

const root = join(import.meta.dirname, '..')

const rounds = 5

/**
 * Measures the time from process start to a responsive window, alternately with VS Code's web build in the same browser,
 * and the size of the scripts that load before Monaco.
 */
export async function measure(): Promise<Row[]> {
  const tree = await makeTree(2_000)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  await trustFolder(userData, tree.root)
  const browser = await openBrowser()
  const times: number[] = []
  const theirs: number[] = []
  let obstacle: string | undefined
  let script = 0
  try {
    for (let round = 0; round < rounds; round++) {
      const ours = await startTizona(browser, tree.root, userData)
      times.push(ours.time)
      script = ours.script
      if (obstacle !== undefined) continue
      try {
        theirs.push(await startVsCode(browser, tree.root))
      } catch (error) {
        if (!(error instanceof NotInstalled)) throw error
        obstacle = error.message
      }
    }
  } finally {
    await browser.close()
    await tree.remove()
    await rm(userData, { recursive: true, force: true })
  }
  const other = obstacle === undefined ? `${(median(theirs) / 1000).toFixed(1)} s` : `not run: ${obstacle}`
  const html = await readFile(join(root, 'out/renderer/index.html'), 'utf8')
  const entries = [...html.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '')
  return [
    {
      question: 'start to interactive of the browser shell',
      value: median(times) / 1000,
      unit: 's',
      goal: 1,
      how: `process start to the first row of the explorer, median of ${rounds}, 2,000 files; VS Code's web build in the same Chromium, alternately: ${other}`,
    },
    {
      question: 'script loaded before the window is interactive, gzip',
      value: script / 1024,
      unit: 'KB',
      goal: 250,
      how: `every .js the page had fetched by then; ${entries.length} named in index.html`,
    },
  ]
}

/** Starts the browser host and opens its window. @returns milliseconds, and the bytes of compressed scripts until then */
async function startTizona(
  browser: Browser,
  folder: string,
  userData: string,
): Promise<{ time: number; script: number }> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const scripts: Promise<number>[] = []
  let open = true
  page.on('response', (response) => {
    if (open && response.url().endsWith('.js')) scripts.push(response.body().then((body) => gzipSync(body).length))
  })
  const started = performance.now()
  const server = startBrowserHost(folder, userData)
  try {
    await page.goto(await printedAddress(server), { waitUntil: 'commit' })
    // Responsive: the explorer shows the folder and handles a key.
    await page.getByRole('treeitem').first().waitFor()
    const time = performance.now() - started
    open = false
    return { time, script: (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0) }
  } finally {
    await context.close()
    await end(server)
  }
}

/** Starts VS Code's web build and opens its window. @returns milliseconds @throws NotInstalled */
async function startVsCode(browser: Browser, folder: string): Promise<number> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-vscode-'))
  try {
    const started = performance.now()
    const server = await startCodeServer(folder, userData)
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(server.address, { waitUntil: 'commit' })
      await page.getByRole('treeitem').first().waitFor({ timeout: 120_000 })
      return performance.now() - started
    } finally {
      await context.close()
      await server.close()
    }
  } finally {
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}
