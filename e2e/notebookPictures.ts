import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import type { Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'

const scenario: Scenario = { name: 'notebook-pictures', model: 'qwen2.5-coder:7b', turns: [] }
const settings = { model: { endpointId: 'scripted', model: 'qwen2.5-coder:7b' } }
const viewport = { width: 1280, height: 900 }
const sales = readFileSync(join(import.meta.dirname, 'fixtures', 'notebooks', 'sales.ipynb'), 'utf8')

/** Takes a picture of a notebook with a table and a chart. */
export async function notebookPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  await picture(browser, theme, { files: { 'sales.ipynb': sales }, scenario, settings, viewport }, async (page) => {
    await page.keyboard.press('Control+Alt+b')
    await page.getByRole('treeitem', { name: 'sales.ipynb' }).dblclick()
    await page.getByRole('region', { name: 'Cell 3, code' }).getByRole('img').waitFor()
    await page.getByRole('region', { name: 'Cell 2, code' }).frameLocator('iframe').getByText('180').waitFor()
    await page.locator('.notebook .monaco-editor .view-line').first().waitFor()
    await take(page, 'notebook', page.locator('.editor-group').first())
  })
}
