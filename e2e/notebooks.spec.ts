import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { openFile } from './support/window.ts'

/** A notebook that Jupyter has run: a table, a picture, text and an error. */
const sales = readFileSync(path.join(import.meta.dirname, 'fixtures/notebooks/sales.ipynb'), 'utf8')

const cell = (page: Page, number: number): Locator =>
  page.getByRole('region', { name: new RegExp(`^Cell ${number}, `) })

test('a notebook opens as cells with outputs, and saving it changes only what was edited', async ({ launch }) => {
  const { page, workspace } = await launch({ files: { 'sales.ipynb': sales } })
  await openFile(page, 'sales.ipynb')

  await test.step('Markdown is rendered, and outputs have their form', async () => {
    await expect(cell(page, 1).getByRole('heading', { name: 'Sales of 2025' })).toBeVisible()
    await expect(cell(page, 2).frameLocator('iframe').getByRole('cell', { name: '180' })).toBeVisible()
    await page.screenshot({ path: '/tmp/nb1.png' })
    await expect(cell(page, 3).getByRole('img')).toBeVisible()
    await expect(cell(page, 4).getByTestId('cell-outputs')).toContainText('Q3: 180')
    await cell(page, 5).scrollIntoViewIfNeeded()
    await expect(cell(page, 5).getByRole('group', { name: 'Error' })).toContainText('ZeroDivisionError')
    await page.screenshot({ path: '/tmp/nb2.png' })
  })

  await test.step('the text of a cell is edited by keyboard, and saved', async () => {
    await cell(page, 5).click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' + 1')
    await page.keyboard.press('Control+S')
    await expect
      .poll(() => readFile(path.join(workspace, 'sales.ipynb'), 'utf8'))
      .toBe(sales.replace('"1 / 0"', '"1 / 0 + 1"'))
    await page.screenshot({ path: '/tmp/nb3.png' })
  })
})
