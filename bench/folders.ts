import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { createCore, type Core } from '../src/main/core.ts'
import { startBrowserHost } from './browserHost.ts'
import { time, type Row } from './row.ts'
import { makeTree } from './tree.ts'

const never = new AbortController().signal

/** Opening a large folder in a host and in a window, and its first checkpoint. */
export async function measure(): Promise<Row[]> {
  return [
    ...(await opening(100_000)),
    ...(await inWindow(80_000, 20_000)),
    ...(await firstCheckpoint(20_000)),
    ...(await preparedCheckpoint(100_000)),
  ]
}

/** @param entries number of further files, which are in one folder */
async function inWindow(files: number, entries: number): Promise<Row[]> {
  const tree = await makeTree(files)
  const folder = join(tree.root, 'flat')
  await mkdir(folder)
  const names = Array.from({ length: entries }, (_, index) => `entry${String(index).padStart(5, '0')}.txt`)
  while (names.length > 0)
    await Promise.all(names.splice(-500).map((name) => writeFile(join(folder, name), `${name}\n`)))
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  await trustFolder(userData, tree.root)
  const browser = await openBrowser()
  const started = performance.now()
  const server = startBrowserHost(tree.root, userData)
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(await printedAddress(server), { waitUntil: 'commit' })
    await page.getByRole('treeitem', { name: 'flat' }).waitFor()
    const interactive = performance.now() - started
    const expanded = await expand(page)
    return [
      {
        question: 'window with a folder of 100,000 files interactive',
        value: interactive / 1000,
        unit: 's',
        goal: 3,
        how: 'process start to the rows of the explorer; `npm run bench -- folders`',
      },
      {
        question: `expanding a folder of ${entries.toLocaleString('en')} entries, from the click until its first row is painted`,
        value: expanded,
        unit: 'ms',
        how: 'in the same window, while the folder is read for the index; `npm run bench -- folders`',
      },
    ]
  } finally {
    await browser.close()
    await end(server)
    await tree.remove()
    await rm(userData, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function expand(page: Page): Promise<number> {
  await page.evaluate(watchFirstEntry)
  await page.getByRole('treeitem', { name: 'flat' }).click()
  await page.waitForFunction(() => 'entrySeen' in globalThis, undefined, { timeout: 60_000 })
  // Set by `watchFirstEntry`.
  return page.evaluate(() => (globalThis as unknown as { entrySeen: number }).entrySeen)
}

/** Runs in the page. */
function watchFirstEntry(): void {
  addEventListener(
    'click',
    (event) => {
      const look = () => {
        if (document.querySelector('[role=tree]')?.textContent.includes('entry00000.txt'))
          setTimeout(() => Object.assign(globalThis, { entrySeen: performance.now() - event.timeStamp }))
        else requestAnimationFrame(look)
      }
      look()
    },
    { capture: true, once: true },
  )
}

async function opening(files: number): Promise<Row[]> {
  return withCore(files, async (core, root) => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const open = await time(async () => {
      await core.openWorkspace(root)
      await core.handlers['files.list']({ path: '.' }, never)
    })
    const overflow = Promise.withResolvers<void>()
    core.subscribe((name) => {
      if (name === 'files.changed') overflow.resolve()
    })
    const watched = await time(() => overflow.promise)
    return [
      {
        question: 'a folder of 100,000 files is open and its top level listed',
        value: open / 1000,
        unit: 's',
        goal: 3,
        how: `browser host without a window; every change is watched ${(watched / 1000).toFixed(1)} s later`,
      },
      {
        question: 'longest delay of the main thread until 100,000 files are watched',
        value: delay.max / 1e6,
        unit: 'ms',
        how: 'monitorEventLoopDelay',
      },
    ]
  })
}

async function firstCheckpoint(files: number): Promise<Row[]> {
  return withCore(files, async (core, root) => {
    await core.openWorkspace(root)
    const { pending } = core.checkpoints()
    const first = pending.begin({ reason: 'bench' }, () => undefined, never)
    const edit = await time(() => pending.beforeChange(['package0/module0/file0.ts']))
    const command = edit + (await time(() => pending.beforeChange(undefined)))
    await first
    return [
      {
        question: 'wait of an edit before the first checkpoint of 20,000 files',
        value: edit / 1000,
        unit: 's',
        how: 'its file is stored first',
      },
      {
        question: 'wait of a command before the first checkpoint of 20,000 files',
        value: command / 1000,
        unit: 's',
        how: 'without the head start that a message gives',
      },
    ]
  })
}

/** The wait of a command after a head start: the time in which the user types and the model first answers. */
async function preparedCheckpoint(files: number): Promise<Row[]> {
  return withCore(files, async (core, root) => {
    const watched = Promise.withResolvers<void>()
    core.subscribe((name) => {
      if (name === 'files.changed') watched.resolve()
    })
    await core.openWorkspace(root)
    // Until then, the watcher reads every folder.
    await watched.promise
    const { pending } = core.checkpoints()
    const preparation = await time(() => pending.prepare())
    const command = await time(async () => {
      const checkpoint = pending.begin({ reason: 'bench' }, () => undefined, never)
      await pending.beforeChange(undefined)
      await checkpoint
    })
    return [
      {
        question: 'wait of a command before the first checkpoint of 100,000 files that are prepared',
        value: command / 1000,
        unit: 's',
        how: `the preparation takes ${(preparation / 1000).toFixed(1)} s`,
      },
    ]
  })
}

async function withCore(files: number, act: (core: Core, root: string) => Promise<Row[]>): Promise<Row[]> {
  const tree = await makeTree(files)
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const core = await createCore({
    platform: { host: 'browser', version: 'bench', userData, resources: join(import.meta.dirname, '..', 'resources') },
  })
  try {
    return await act(core, tree.root)
  } finally {
    await core.dispose()
    await tree.remove()
    await rm(userData, { recursive: true, force: true })
  }
}
