import { mkdtemp, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { picture } from '../e2e/support/pictures.ts'
import { median, time, type Row } from './row.ts'

const fileCount = 98
const matchCount = 3215
const rounds = 5

/** Measures replacing in many files, and undoing it, from the click until the notice is painted. */
export async function measure(): Promise<Row[]> {
  const files: Record<string, string> = {}
  for (let index = 0; index < fileCount; index++) {
    const matches = Math.floor(matchCount / fileCount) + (index < matchCount % fileCount ? 1 : 0)
    files[`src/part${index % 10}/file${index}.ts`] = 'export const harbourName = 1 // a line\n'.repeat(matches)
  }
  const browser = await openBrowser()
  const replaced: number[] = []
  const undone: number[] = []
  const written: number[] = []
  try {
    const setting = {
      files,
      scenario: { name: 'replace-bench', turns: [] },
      settings: {},
      viewport: { width: 1440, height: 900 },
    }
    await picture(browser, 'dark', setting, async (page) => {
      await search(page)
      for (let round = 0; round < rounds; round++) {
        written.push(await writeAll(Object.values(files)))
        replaced.push(await replaceAll(page))
        undone.push(await undo(page))
      }
    })
  } finally {
    await browser.close()
  }
  const list = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ')
  const row = (question: string, values: readonly number[]): Row[] => [
    {
      question,
      value: median(values) / 1000,
      unit: 's',
      goal: 1,
      how: `median of ${rounds}: ${list(values)} ms; \`npm run bench -- replace\``,
    },
    {
      question: `${question}, against writing the files one after another with a sync each`,
      value: median(values) / median(written),
      unit: '×',
      how: `${list(written)} ms for the writes alone`,
    },
  ]
  return [
    ...row(
      `replacing ${matchCount.toLocaleString('en')} matches in ${fileCount} files, from click to notice`,
      replaced,
    ),
    ...row('undoing it, from click until all texts are restored', undone),
  ]
}

async function search(page: Page): Promise<void> {
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('Control+Shift+h')
  await page.locator('#search-query').fill('harbourName')
  await page.getByRole('textbox', { name: 'Replace' }).fill('portName')
}

/** @returns milliseconds from the click until the notice is visible */
async function replaceAll(page: Page): Promise<number> {
  await page.getByText(`${matchCount.toLocaleString('en')} matches in ${fileCount} files`).waitFor()
  await page.waitForTimeout(1500)
  await page.getByRole('button', { name: 'Replace all', exact: true }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Replace all' })
  await confirm.waitFor()
  return time(async () => {
    await confirm.click()
    await page.getByText(/^Replaced 3,215 matches/).waitFor()
  })
}

/** @returns milliseconds from the click until the search, which runs after the undo, finds all matches again */
async function undo(page: Page): Promise<number> {
  await page.waitForTimeout(1500)
  const took = await time(async () => {
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText(`${matchCount.toLocaleString('en')} matches in ${fileCount} files`).waitFor()
  })
  await page.waitForTimeout(500)
  return took
}

/** Writes texts to temporary files, syncs and renames them. @returns milliseconds */
async function writeAll(texts: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-bench-'))
  const took = await time(async () => {
    for (const [index, text] of texts.entries()) {
      const handle = await open(join(folder, 'new'), 'wx')
      await handle.writeFile(text)
      await handle.sync()
      await handle.close()
      await rename(join(folder, 'new'), join(folder, `${index}`))
    }
  })
  await rm(folder, { recursive: true })
  return took
}
