import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from '@playwright/test'
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

/** Why no notebook can run here; null if one can. */
async function whyNoKernel(): Promise<string | null> {
  try {
    await promisify(execFile)('python3', ['-c', 'import jupyter_server, ipykernel'])
    return null
  } catch {
    return 'python3 has no Jupyter (python3 -m pip install jupyter-server ipykernel)'
  }
}

/** A notebook with these code cells, without ids. */
const notebookOf = (...sources: string[]): string =>
  `${JSON.stringify(
    {
      cells: sources.map((source) => ({
        cell_type: 'code',
        execution_count: null,
        metadata: {},
        outputs: [],
        source: source.split(/(?<=\n)/),
      })),
      metadata: { language_info: { name: 'python' } },
      nbformat: 4,
      nbformat_minor: 4,
    },
    null,
    1,
  )}\n`

const outputs = (page: Page, number: number): Locator => cell(page, number).getByTestId('cell-outputs')

test('cells run in a kernel by keyboard alone, with input, an interrupt and a restart', async ({ launch }) => {
  const missing = await whyNoKernel()
  test.skip(missing !== null, missing ?? '')
  test.setTimeout(120_000)
  const { page, workspace } = await launch({
    files: {
      'run.ipynb': notebookOf(
        'x = 20\nprint("x is", x)',
        'x + 1',
        'name = input("Name? ")\nprint("Hello", name)',
        'import time\nfor i in range(600):\n    print(i, flush=True)\n    time.sleep(0.2)',
      ),
    },
  })
  await openFile(page, 'run.ipynb')

  await test.step('Shift+Enter runs a cell and goes to the next', async () => {
    await cell(page, 1).focus()
    await page.keyboard.press('Shift+Enter')
    await expect(cell(page, 2)).toBeFocused()
    await expect(outputs(page, 1)).toHaveText('x is 20', { timeout: 60_000 })
    await page.keyboard.press('Control+Enter')
    await expect(outputs(page, 2)).toHaveText('21')
    await expect(cell(page, 2)).toContainText('[2]')
    await page.screenshot({ path: '/tmp/nb4.png' })
  })

  await test.step('a cell asks for input', async () => {
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('textbox', { name: 'Name?' })).toBeFocused()
    await page.keyboard.type('Ada')
    await page.screenshot({ path: '/tmp/nb5.png' })
    await page.keyboard.press('Enter')
    await expect(outputs(page, 3)).toContainText('Hello Ada')
  })

  await test.step('a running cell shows its output, and is interrupted', async () => {
    await cell(page, 4).focus()
    await page.keyboard.press('Control+Enter')
    await expect(outputs(page, 4)).toContainText('3')
    await page.screenshot({ path: '/tmp/nb6.png' })
    await page.getByRole('button', { name: 'Interrupt cell 4' }).press('Enter')
    await expect(outputs(page, 4)).toContainText('KeyboardInterrupt')
  })

  await test.step('a restart forgets variables', async () => {
    await page.getByRole('button', { name: 'Restart the kernel' }).press('Enter')
    await cell(page, 2).focus()
    await page.keyboard.press('Control+Enter')
    await expect(outputs(page, 2)).toContainText("name 'x' is not defined")
  })

  await test.step('saving writes the outputs', async () => {
    await page.keyboard.press('Control+S')
    await expect
      .poll(async () => JSON.parse(await readFile(path.join(workspace, 'run.ipynb'), 'utf8')).cells[0])
      .toEqual({
        cell_type: 'code',
        execution_count: 1,
        metadata: {},
        outputs: [{ name: 'stdout', output_type: 'stream', text: ['x is 20\n'] }],
        source: ['x = 20\n', 'print("x is", x)'],
      })
  })
})
