import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from '@playwright/test'
import { allThemes, checkView } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { editor, openFile, runPalette } from './support/window.ts'

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
    await expect(cell(page, 3).getByRole('img')).toBeVisible()
    await expect(cell(page, 4).getByTestId('cell-outputs')).toContainText('Q3: 180')
    await cell(page, 5).scrollIntoViewIfNeeded()
    await expect(cell(page, 5).getByRole('group', { name: 'Error' })).toContainText('ZeroDivisionError')
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
  })

  await test.step('a cell asks for input', async () => {
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('textbox', { name: 'Name?' })).toBeFocused()
    await page.keyboard.type('Ada')
    await page.keyboard.press('Enter')
    await expect(outputs(page, 3)).toContainText('Hello Ada')
  })

  await test.step('a running cell shows its output, and is interrupted', async () => {
    await cell(page, 4).focus()
    await page.keyboard.press('Control+Enter')
    await expect(outputs(page, 4)).toContainText('3')
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

const hostileHtml = `<script>parent.hacked = true; document.title = 'hacked'</script>
<img src="x" onerror="parent.hacked = true"><img src="https://example.com/beacon.png">
<form action="https://example.com"><button>Send</button></form>
<meta http-equiv="refresh" content="0;url=https://example.com">
<a href="javascript:parent.hacked = true">run</a><p style="background:url(https://example.com/x)">text of the output</p>`
const hostileSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><script>parent.hacked = true</script><rect width="20" height="20"/></svg>'

/** A notebook with one cell that has these outputs, as one line of JSON. */
const withOutputs = (...data: Record<string, unknown>[]): string =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      {
        id: 'one',
        cell_type: 'code',
        source: 'x',
        execution_count: 1,
        metadata: {},
        outputs: data.map((each) => ({ output_type: 'display_data', data: each, metadata: {} })),
      },
    ],
  })

test('hostile outputs run nothing and load nothing, and long ones are cut', async ({ launch }) => {
  const { page } = await launch({
    files: {
      'hostile.ipynb': withOutputs(
        { 'text/html': hostileHtml },
        { 'image/svg+xml': hostileSvg },
        { 'text/plain': 'long line\n'.repeat(200_000) },
        { 'image/png': 'no picture' },
        { 'application/x-unknown': {} },
        { 'text/markdown': '<img src=x onerror="parent.hacked = true"> **bold**' },
      ),
    },
  })
  const requests: string[] = []
  page.on('response', (response) => requests.push(response.url()))
  await openFile(page, 'hostile.ipynb')
  const frame = cell(page, 1).frameLocator('iframe')
  await expect(frame.getByText('text of the output')).toBeVisible()
  await expect(outputs(page, 1)).toContainText('Scripts of outputs do not run in Tizona.')
  await expect(outputs(page, 1).getByRole('img', { name: 'Picture' }).first()).toHaveJSProperty('naturalWidth', 20)
  await expect(outputs(page, 1)).toContainText('The first 20 KB of 1.9 MB are shown.')
  await expect(outputs(page, 1)).toContainText('The picture could not be shown.')
  await expect(outputs(page, 1)).toContainText('This output has no form that Tizona shows: application/x-unknown')
  await expect(outputs(page, 1).locator('strong')).toHaveText('bold')
  await frame.getByRole('link', { name: 'run' }).click()
  await frame.getByRole('button', { name: 'Send' }).click()
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
  expect(requests.filter((url) => url.includes('example.com'))).toEqual([])
  await expect(frame.getByText('text of the output')).toBeVisible()
})

test('a file that is no notebook opens as text with the reason, and cells are edited by keyboard alone', async ({
  launch,
}) => {
  const { page, workspace } = await launch({
    files: { 'old.ipynb': '{"nbformat": 3, "worksheets": []}', 'new.ipynb': '', 'plain.ipynb': notebookOf('a = 1') },
  })

  await test.step('an older format says how to convert it', async () => {
    await openFile(page, 'old.ipynb')
    await expect(page.getByRole('note')).toContainText('It has nbformat 3, and cells need nbformat 4.')
    await expect(editor(page)).toBeVisible()
  })

  await test.step('an empty file becomes a notebook', async () => {
    await openFile(page, 'new.ipynb')
    await page.getByRole('button', { name: 'Create a notebook' }).press('Enter')
    await expect(cell(page, 1)).toBeVisible()
    await page.keyboard.press('Control+S')
    await expect
      .poll(async () => JSON.parse((await readFile(path.join(workspace, 'new.ipynb'), 'utf8')) || '{}'))
      .toMatchObject({ nbformat: 4, cells: [{ cell_type: 'code', source: [] }] })
  })

  await test.step('cells are inserted, changed, moved, deleted and restored by keyboard', async () => {
    await openFile(page, 'plain.ipynb')
    await cell(page, 1).focus()
    await page.keyboard.press('b')
    await page.keyboard.press('m')
    await page.keyboard.press('Enter')
    await page.keyboard.type('# Title')
    await page.keyboard.press('Escape')
    await expect(cell(page, 2).getByRole('heading', { name: 'Title' })).toBeVisible()
    await page.keyboard.press('Alt+ArrowUp')
    await expect(cell(page, 1).getByRole('heading', { name: 'Title' })).toBeVisible()
    await expect(cell(page, 1)).toBeFocused()
    await page.keyboard.press('d')
    await page.keyboard.press('d')
    await expect(cell(page, 2)).toHaveCount(0)
    await page.keyboard.press('z')
    await expect(cell(page, 2)).toBeVisible()
    for (let step = 0; step < 12; step += 1) await page.keyboard.press('z')
    await expect(cell(page, 2)).toHaveCount(0)
    await page.keyboard.press('Control+S')
    expect(await readFile(path.join(workspace, 'plain.ipynb'), 'utf8')).toBe(notebookOf('a = 1'))
  })

  await test.step('the menu of a cell opens where it is clicked, and by keyboard', async () => {
    await cell(page, 1).click({ button: 'right', position: { x: 12, y: 12 } })
    const menu = page.getByRole('menu', { name: 'Actions of cell 1' })
    await menu.getByRole('menuitem', { name: 'Insert code cell below' }).click()
    await expect(cell(page, 2)).toBeVisible()
    await cell(page, 1).focus()
    await page.keyboard.press('Shift+F10')
    await expect(menu).toBeVisible()
    await page.keyboard.press('Escape')
    await cell(page, 1).focus()
    await page.keyboard.press('z')
    await expect(cell(page, 2)).toHaveCount(0)
  })

  await test.step('the text of the file and its cells are two views of one text', async () => {
    await runPalette(page, 'Show notebook as text')
    await expect(page.getByText('This notebook is shown as text.')).toBeVisible()
    await expect(editor(page)).toBeVisible()
    await page.getByRole('button', { name: 'Show as notebook' }).press('Enter')
    await expect(cell(page, 1)).toBeVisible()
  })

  await test.step('axe finds nothing in both themes', async () => {
    await checkView(page, 'a notebook', { only: ['.notebook'] }, allThemes)
  })
})

test('cells are copied with their outputs, and arrows stay in a wrapped line, by keyboard alone', async ({
  launch,
}) => {
  const { page, workspace } = await launch({
    files: { 'sales.ipynb': sales, 'long.ipynb': notebookOf('a = 1', `b = "${'word '.repeat(200)}"`, 'c = 3') },
  })
  const cellsOnDisk = async () => JSON.parse(await readFile(path.join(workspace, 'sales.ipynb'), 'utf8')).cells

  await test.step('cut and paste moves a cell with outputs and id', async () => {
    await openFile(page, 'sales.ipynb')
    await cell(page, 2).focus()
    await page.keyboard.press('Control+X')
    await page.keyboard.press('End')
    await page.keyboard.press('Control+V')
    await page.keyboard.press('Control+S')
    const before = JSON.parse(sales).cells
    await expect.poll(cellsOnDisk).toEqual([...before.toSpliced(1, 1), before[1]])
    await page.keyboard.press('z')
    await page.keyboard.press('z')
    await page.keyboard.press('Control+S')
    await expect.poll(() => readFile(path.join(workspace, 'sales.ipynb'), 'utf8')).toBe(sales)
  })

  await test.step('Up and Down leave a cell from its first and last visible line', async () => {
    await runPalette(page, 'Toggle word wrap')
    await openFile(page, 'long.ipynb')
    await cell(page, 2).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowDown')
    await expect(cell(page, 2)).toHaveAttribute('data-editing', 'true')
    await page.keyboard.press('ArrowUp')
    await expect(cell(page, 2)).toHaveAttribute('data-editing', 'true')
    await page.keyboard.press('ArrowUp')
    await expect(cell(page, 1)).toHaveAttribute('data-editing', 'true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('ArrowUp')
    await expect(cell(page, 2)).toHaveAttribute('data-editing', 'true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect(cell(page, 3)).toHaveAttribute('data-editing', 'true')
  })
})

test('the find bar searches and replaces in all cells by keyboard alone', async ({ launch }) => {
  const sources = Array.from({ length: 60 }, (_cell, index) =>
    index % 20 === 10 ? 'Total = total + 1' : `x = ${index}`,
  )
  const { page, workspace } = await launch({
    files: { 'find.ipynb': notebookOf(...sources), 'sales.ipynb': sales },
  })
  await openFile(page, 'find.ipynb')
  await cell(page, 1).focus()
  await page.keyboard.press('Control+f')
  const field = page.getByRole('textbox', { name: 'Find in cells' })
  const status = page.getByRole('search').getByRole('status')
  await expect(field).toBeFocused()

  await test.step('matches are counted, marked and shown in turn', async () => {
    await page.keyboard.type('total')
    await expect(status).toHaveText('1 of 6')
    await expect(cell(page, 11)).toHaveAttribute('data-selected', 'true')
    await expect(cell(page, 11).locator('.currentFindMatch')).toBeVisible()
    await expect(field).toBeFocused()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect(status).toHaveText('3 of 6')
    await expect(cell(page, 31)).toBeInViewport()
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Shift+F3')
    await expect(status).toHaveText('6 of 6')
    await expect(cell(page, 51)).toBeInViewport()
    await page.keyboard.press('Alt+c')
    await expect(status).toHaveText('3 of 3')
    await page.keyboard.press('Enter')
    await expect(cell(page, 11)).toHaveAttribute('data-selected', 'true')
  })

  await test.step('Escape goes on in the text that was found', async () => {
    await page.keyboard.press('Escape')
    await expect(field).toHaveCount(0)
    // At once: slow keys are undone one by one.
    await page.keyboard.insertText('sum')
    await page.keyboard.press('Control+S')
    const changed = sources.with(10, 'Total = sum + 1')
    await expect.poll(() => readFile(path.join(workspace, 'find.ipynb'), 'utf8')).toBe(notebookOf(...changed))
    await page.keyboard.press('Control+z')
    await expect(cell(page, 11)).toContainText('Total = total + 1')
  })

  await test.step('matches are replaced one by one and all at once, each as one undo step', async () => {
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+h')
    await expect(field).toBeFocused()
    await page.keyboard.press('Alt+r')
    await field.fill(String.raw`(t)otal \+ (\d)`)
    await expect(status).toHaveText('1 of 3')
    const replacement = page.getByRole('textbox', { name: 'Replace with' })
    await replacement.fill('$1[$2]')
    await page.keyboard.press('Enter')
    await expect(status).toHaveText('1 of 2')
    await expect(cell(page, 31)).toHaveAttribute('data-selected', 'true')
    await page.keyboard.press('Control+Alt+Enter')
    await expect(status).toHaveText('No matches')
    await page.keyboard.press('Control+S')
    const all = sources.map((source) => source.replace('total + 1', 't[1]'))
    await expect.poll(() => readFile(path.join(workspace, 'find.ipynb'), 'utf8')).toBe(notebookOf(...all))
    await field.fill('(')
    await expect(status).toHaveText('Not a valid regular expression')
    await field.press('Escape')
    await expect(cell(page, 31)).toBeFocused()
    await page.keyboard.press('z')
    await page.keyboard.press('z')
    await page.keyboard.press('Control+S')
    await expect.poll(() => readFile(path.join(workspace, 'find.ipynb'), 'utf8')).toBe(notebookOf(...sources))
  })

  await test.step('Markdown that matches is shown as text, and axe finds nothing', async () => {
    await openFile(page, 'sales.ipynb')
    await cell(page, 1).focus()
    await page.keyboard.press('Control+h')
    await page.keyboard.type('sales')
    await expect(cell(page, 1).locator('.currentFindMatch')).toBeVisible()
    await checkView(page, 'the find bar of a notebook', { only: ['.notebook'] }, allThemes)
  })
})

test('the find bar finds text in outputs and scrolls to it, unless that is turned off', async ({ launch }) => {
  const lines = Array.from({ length: 2000 }, (_line, index) => `line ${index}\n`)
  const notebook = JSON.parse(notebookOf(...Array.from({ length: 30 }, (_cell, index) => `x = ${index}`)))
  notebook.cells[20].outputs = [{ name: 'stdout', output_type: 'stream', text: [...lines, 'the needle\n'] }]
  const { page } = await launch({ files: { 'outputs.ipynb': JSON.stringify(notebook) } })
  await openFile(page, 'outputs.ipynb')
  await cell(page, 1).focus()
  await page.keyboard.press('Control+f')
  const status = page.getByRole('search').getByRole('status')
  await page.getByRole('textbox', { name: 'Find in cells' }).fill('needle')
  await expect(status).toHaveText('1 of 1')
  await expect(cell(page, 21).locator('mark')).toBeInViewport()
  await checkView(page, 'a match in an output', { only: ['.notebook'] }, allThemes)
  const toggle = page.getByRole('button', { name: 'Find in outputs' })
  await expect(toggle).toHaveAttribute('aria-pressed', 'true')
  await toggle.press('Enter')
  await expect(status).toHaveText('No matches')
  await toggle.press('Enter')
  await expect(status).toHaveText('1 of 1')
  await page.getByRole('textbox', { name: 'Find in cells' }).press('Escape')
  await expect(cell(page, 21)).toBeFocused()
})

test('several cells are selected by keyboard and mouse, and changed as one undo step', async ({ launch }) => {
  const sources = ['a = 1', 'b = 2', 'c = 3', 'd = 4', 'e = 5']
  const { page, workspace } = await launch({ files: { 'many.ipynb': notebookOf(...sources) } })
  const saved = async (...expected: string[]) => {
    await page.keyboard.press('Control+S')
    await expect.poll(() => readFile(path.join(workspace, 'many.ipynb'), 'utf8')).toBe(notebookOf(...expected))
  }
  const marked = page.locator('.notebook-cell[data-marked]')
  await openFile(page, 'many.ipynb')
  await cell(page, 1).focus()

  await test.step('Shift and arrows extend the selection, and keys act on all of it', async () => {
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await expect(marked).toHaveCount(3)
    await expect(page.getByRole('toolbar', { name: 'Notebook' })).toContainText('3 cells selected')
    await checkView(page, 'several selected cells', { only: ['.notebook'] }, allThemes)
    await page.keyboard.press('Alt+ArrowDown')
    await saved('d = 4', 'a = 1', 'b = 2', 'c = 3', 'e = 5')
    await page.keyboard.press('Shift+M')
    await saved('d = 4', 'a = 1\nb = 2\nc = 3', 'e = 5')
    await page.keyboard.press('z')
    await page.keyboard.press('z')
    await saved(...sources)
  })

  // The number of its last run, beside the button that runs it.
  const count = (number: number) => cell(page, number).locator('.notebook-count')
  await test.step('Ctrl+click adds a cell, Shift+click a range, and a click ends it', async () => {
    await count(5).click()
    await expect(cell(page, 5)).toHaveAttribute('data-selected', 'true')
    await count(2).click({ modifiers: ['ControlOrMeta'] })
    await expect(marked).toHaveCount(2)
    await page.keyboard.press('d')
    await page.keyboard.press('d')
    await saved('a = 1', 'c = 3', 'd = 4')
    await page.keyboard.press('z')
    await saved(...sources)
    await cell(page, 1).focus()
    await cell(page, 4)
      .locator('.view-line')
      .first()
      .click({ modifiers: ['Shift'] })
    await expect(marked).toHaveCount(4)
    await page.keyboard.press('x')
    await saved('e = 5')
    await page.keyboard.press('v')
    await saved('e = 5', 'a = 1', 'b = 2', 'c = 3', 'd = 4')
    await expect(marked).toHaveCount(4)
    await page.keyboard.press('ArrowUp')
    await expect(marked).toHaveCount(0)
  })

  await test.step('buttons and the menu of a marked cell act on all of them', async () => {
    const mark = async () => {
      await count(1).click()
      await count(3).click({ modifiers: ['Shift'] })
      await expect(marked).toHaveCount(3)
    }
    await mark()
    await count(2).click()
    await expect(marked).toHaveCount(0)
    await mark()
    await count(1).click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: 'Cut 3 cells' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(marked).toHaveCount(3)
    await cell(page, 1).hover()
    await page.getByRole('button', { name: 'Delete cell 1' }).click()
    await saved('c = 3', 'd = 4')
  })
})

test('a notebook of 5,000 cells has few editors, and typing in it changes one cell', async ({ launch }) => {
  const text = notebookOf(...Array.from({ length: 5000 }, (_cell, index) => `value = ${index}`))
  const { page, workspace } = await launch({ files: { 'long.ipynb': text } })
  await openFile(page, 'long.ipynb')
  await cell(page, 1).focus()
  await page.keyboard.press('End')
  await expect(cell(page, 5000)).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('12')
  await page.keyboard.press('Control+S')
  await expect
    .poll(() => readFile(path.join(workspace, 'long.ipynb'), 'utf8'))
    .toBe(text.replace('value = 4999', 'value = 499912'))
  expect(await page.locator('.notebook .monaco-editor[role="code"]').count()).toBeLessThan(60)
})
