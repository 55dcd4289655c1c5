import { openBrowser } from '../e2e/support/browser.ts'
import { picture } from '../e2e/support/pictures.ts'
import type { Page } from 'playwright'
import { median, type Row } from './row.ts'

const rounds = 5
const sizes = [100, 1000] as const

/** Each round has values of its own, because a window keeps those that it has read. */
const program = `def entries(count):
    return {"k%d" % index: index for index in range(count)}


def look(${sizes.flatMap((size) => Array.from({ length: rounds }, (_, round) => `of${size}_${round}`)).join(', ')}):
    print("stopped")


look(${sizes.flatMap((size) => Array.from({ length: rounds }, () => `entries(${size})`)).join(', ')})
`

/**
 * Measures expanding a Python dictionary of 1,000 entries in the Run view of the browser host, from the click until its
 * first entries are painted, against one of 100 entries in the same run. Needs debugpy.
 */
export async function measureVariables(): Promise<Row[]> {
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]))
  const browser = await openBrowser()
  try {
    const setting = {
      files: { 'look.py': program },
      scenario: { name: 'debug-bench', turns: [] },
      settings: {},
      viewport: { width: 1440, height: 900 },
    }
    await picture(browser, 'dark', setting, async (page) => {
      await page.getByRole('treeitem', { name: 'look.py' }).dblclick()
      await page.locator('.monaco-editor .view-line', { hasText: 'stopped' }).click()
      await page.keyboard.press('F9')
      await page.keyboard.press('F5')
      const variables = page.getByRole('tree', { name: 'Variables' })
      await variables.getByRole('treeitem', { name: /^of100_0/ }).waitFor({ timeout: 60_000 })
      for (let round = 0; round < rounds; round++)
        for (const size of sizes) times.get(size)?.push(await expand(page, `of${size}_${round}`))
    })
  } finally {
    await browser.close()
  }
  const [few, many] = sizes.map((size) => times.get(size) ?? [])
  if (few === undefined || many === undefined) throw new Error('Nothing was measured.')
  const list = (values: readonly number[]): string => values.map((value) => value.toFixed(0)).join(', ')
  return [
    {
      question: 'expanding 1,000 variables in the Run view, from the click to the painted entries, against 100',
      value: median(many) / median(few),
      unit: '×',
      how: `${list(many)} ms against ${list(few)} ms; \`npm run bench -- debug\``,
    },
  ]
}

/** Expands a row, waits until an entry below it is painted, and collapses it again. @returns milliseconds */
function expand(page: Page, name: string): Promise<number> {
  return page.evaluate(async (wanted) => {
    const rows = (): HTMLElement[] => [
      ...document.querySelectorAll<HTMLElement>('[role=tree][aria-label="Variables"] [role=treeitem]'),
    ]
    const find = (): HTMLElement | undefined => rows().find((row) => row.textContent.startsWith(wanted))
    const until = async (isDone: () => boolean): Promise<void> => {
      const start = performance.now()
      while (!isDone()) {
        if (performance.now() - start > 30_000) throw new Error(`${wanted} was not painted within 30 s.`)
        await new Promise(requestAnimationFrame)
      }
    }
    await until(() => find() !== undefined)
    const start = performance.now()
    find()?.click()
    await until(() => rows().some((row) => /^'k0'|^k0/.test(row.textContent)))
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    const elapsed = performance.now() - start
    find()?.click()
    await until(() => !rows().some((row) => /^'k0'|^k0/.test(row.textContent)))
    return elapsed
  }, name)
}
