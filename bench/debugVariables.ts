import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Locator, Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { picture } from '../e2e/support/pictures.ts'
import { ensureDebuggers } from '../scripts/lib/debuggers.mjs'
import { median, type Row } from './row.ts'
import { NotInstalled, startCodeServer } from './typing/codeServer.ts'

const rounds = 5
const sizes = [100, 1000] as const
const viewport = { width: 1440, height: 1200 }

/** Each round has values of its own, because a window keeps those that it has read. */
const program = `const entries = (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => ['k' + index, index]))

function look(${sizes.flatMap((size) => Array.from({ length: rounds }, (_, round) => `of${size}_${round}`)).join(', ')}) {
  console.log('stopped')
}

look(${sizes.flatMap((size) => Array.from({ length: rounds }, () => `entries(${size})`)).join(', ')})
`
const launch = JSON.stringify({
  version: '0.2.0',
  configurations: [
    {
      type: 'node',
      request: 'launch',
      name: 'look',
      program: '${workspaceFolder}/look.js',
      console: 'internalConsole',
    },
  ],
})
const files = { 'look.js': program, '.vscode/launch.json': launch }

/** Milliseconds of each round by size. */
type Times = ReadonlyMap<number, readonly number[]>

/**
 * Measures expanding a JavaScript object of 1,000 properties in the Run view of the browser host, from the click until
 * its first properties are painted: against one of 100, and against VS Code's web build. Both use js-debug.
 */
export async function measureVariables(): Promise<Row[]> {
  const jsDebugPath = (await ensureDebuggers())['TIZONA_JS_DEBUG']
  if (jsDebugPath === undefined) throw new Error('js-debug could not be prepared.')
  const browser = await openBrowser()
  try {
    const ours = await inTizona(browser, jsDebugPath)
    const theirs = await inVsCode(browser).catch((error: unknown) => {
      if (error instanceof NotInstalled) return error.message
      throw error
    })
    return rowsOf(ours, theirs)
  } finally {
    await browser.close()
  }
}

function rowsOf(ours: Times, theirs: Times | string): Row[] {
  const [few = [], many = []] = sizes.map((size) => ours.get(size))
  const list = (values: readonly number[] = []): string => values.map((value) => value.toFixed(0)).join(', ')
  const how = '`npm run bench -- debug`'
  const rows: Row[] = [
    {
      question: 'expanding 1,000 variables in the Run view, from the click to the painted entries, against 100',
      value: median(many) / median(few),
      unit: '×',
      how: `${list(many)} ms against ${list(few)} ms; ${how}`,
    },
  ]
  if (typeof theirs === 'string') return rows
  return [
    ...rows,
    ...sizes.map((size): Row => ({
      question: `expanding ${size.toLocaleString('en')} variables, against VS Code's web build`,
      value: median(ours.get(size) ?? []) / median(theirs.get(size) ?? []),
      unit: '×',
      goal: 1,
      how: `${list(ours.get(size))} ms against ${list(theirs.get(size))} ms, both with js-debug; ${how}`,
    })),
  ]
}

async function inTizona(browser: Browser, jsDebugPath: string): Promise<Times> {
  const setting = {
    files,
    scenario: { name: 'debug-bench', turns: [] },
    settings: { debug: { jsDebugPath } },
    viewport,
  }
  let times: Times = new Map()
  await picture(browser, 'dark', setting, async (page) => {
    await page.getByRole('treeitem', { name: 'look.js' }).dblclick()
    times = await expandAll(
      page,
      page.getByRole('tree', { name: 'Variables' }),
      '[role=treeitem]',
      '.debug-glyph-enabled',
    )
  })
  return times
}

async function inVsCode(browser: Browser): Promise<Times> {
  const home = await mkdtemp(join(tmpdir(), 'tizona-bench-debug-'))
  const folder = join(home, 'harbour')
  try {
    await mkdir(join(folder, '.vscode'), { recursive: true })
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const server = await startCodeServer(folder, join(home, 'user'))
    const page = await browser.newPage({ viewport })
    try {
      await page.goto(server.address, { timeout: 60_000 })
      await page.locator('.monaco-workbench .explorer-folders-view').waitFor({ timeout: 60_000 })
      await page.getByRole('treeitem', { name: 'look.js' }).dblclick()
      return await expandAll(
        page,
        page.locator('.debug-variables'),
        '.monaco-list-row',
        '[class*=codicon-debug-breakpoint]',
      )
    } finally {
      await page.close()
      await server.close()
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Stops in the open program, and expands each of its values. */
async function expandAll(page: Page, tree: Locator, row: string, breakpointMark: string): Promise<Times> {
  await page.locator('.monaco-editor .view-line', { hasText: 'stopped' }).click()
  // VS Code ignores F9 until its extensions have started.
  const breakpoint = page.locator(breakpointMark)
  for (let tries = 0; tries < 60 && (await breakpoint.count()) === 0; tries++) {
    await page.keyboard.press('F9')
    await delay(1000)
  }
  await page.keyboard.press('F5')
  const scope = tree.locator(row, { hasText: 'Local' })
  await scope.waitFor({ timeout: 120_000 })
  if ((await scope.getAttribute('aria-expanded')) !== 'true') await scope.click()
  await tree.locator(row, { hasText: `of${sizes[0]}_0` }).waitFor()
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]))
  for (let round = 0; round < rounds; round++)
    for (const size of sizes) times.get(size)?.push(await expand(tree, row, `of${size}_${round}`))
  return times
}

/** Expands a row, waits until an entry below it is painted, and collapses it again. @returns milliseconds */
function expand(tree: Locator, row: string, name: string): Promise<number> {
  return tree.evaluate(
    async (element, [selector, wanted]) => {
      const rows = (): HTMLElement[] => [...element.querySelectorAll<HTMLElement>(selector)]
      const find = (): HTMLElement | undefined => rows().find((one) => one.textContent.trim().startsWith(wanted))
      const until = async (isDone: () => boolean): Promise<void> => {
        const start = performance.now()
        while (!isDone()) {
          if (performance.now() - start > 30_000) throw new Error(`${wanted} was not painted within 30 s.`)
          await new Promise(requestAnimationFrame)
        }
      }
      const hasEntry = (): boolean => rows().some((one) => /^k0\b/.test(one.textContent.trim()))
      await until(() => find() !== undefined)
      const start = performance.now()
      find()?.click()
      await until(hasEntry)
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
      const elapsed = performance.now() - start
      find()?.click()
      await until(() => !hasEntry())
      return elapsed
    },
    [row, name] as const,
  )
}
