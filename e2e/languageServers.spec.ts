import type { Page } from '@playwright/test'
import { settingsSchema } from '../src/shared/settings/settings.ts'
import { violations } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cursorPosition, editor, focusEditor, goTo, openFile, shownText, tab } from './support/window.ts'

// The real TypeScript 7 and basedpyright, as users get them.

const files = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext" } }\n',
  'src/sum.ts': '/** Adds two numbers. */\nexport function sum(a: number, b: number): number {\n  return a + b\n}\n',
  'src/data.json': '{ "a": }\n',
  'src/main.ts': "const total: number = 'three'\n\nconsole.log(sum(total, 2))\n",
}

const withCalls = `import { sum } from './sum.js'
import { log } from './log.js'

export function total(values: number[]): number {
  const start = sum(0, 0)
  log(start)
  return values.reduce((a, b) => sum(a, b), start)
}

total([1])
`

/** Above the length up to which all of a file gets colors at once. */
const longText = `${'var numbers = [1].map((value) => value)\n'.repeat(3000)}const total = [1].reduce((a, b) => a + b)\n`

/** The color of a name in a line of the editor. */
const colorOf = (page: Page, name: string): Promise<string> =>
  editor(page)
    .locator('.view-line span span', { hasText: name })
    .last()
    .evaluate((element) => getComputedStyle(element).color)

test('the TypeScript server gives outline, hints, calls, errors, fixes and completion', async ({ launch }) => {
  const { page } = await launch({
    files: {
      ...files,
      'src/calls.ts': withCalls,
      'src/log.ts': 'export function log(value: number): void {\n  console.log(value)\n}\n',
      'src/long.js': longText,
    },
    settings: { editor: settingsSchema.parse({ editor: { inlayHints: true } }).editor },
  })
  await test.step('a server gives outline, colors, hints and folding; the standard library opens read-only; calls are a tree', async () => {
    await openFile(page, 'src/calls.ts')
    // Only the server lists local names.
    await expect(page.getByRole('treeitem', { name: 'start, variable' })).toBeVisible()
    await expect(page.getByRole('treeitem', { name: /^log, / })).toHaveCount(0)
    await expect.poll(() => shownText(page)).toContain('sum(a:0, b:0)')
    await expect.poll(() => shownText(page)).toContain('(a: number, b: number): number =>')
    await expect.poll(async () => (await colorOf(page, 'reduce')) === (await colorOf(page, 'values'))).toBe(false)
    // Imports can be folded. Folding by indentation alone would not include them.
    await goTo(page, '1:1')
    await page.keyboard.press('Control+Shift+[')
    await expect.poll(() => shownText(page)).not.toContain('./log.js')
    await page.keyboard.press('Control+Shift+]')
    await expect.poll(() => shownText(page)).toContain('./log.js')

    // Of a long file, the visible part gets colors, and what is typed there.
    await openFile(page, 'src/long.js')
    await goTo(page, '3001:1')
    const isColored = async (name: string) => (await colorOf(page, name)) !== (await colorOf(page, 'total'))
    await expect.poll(() => isColored('reduce')).toBe(true)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('total.toFixed()')
    await expect.poll(() => isColored('toFixed')).toBe(true)
    await openFile(page, 'src/calls.ts')

    await goTo(page, '7:18')
    await page.keyboard.press('F12')
    const library = tab(page, 'lib.es5.d.ts')
    await expect(library).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByText(/Library file outside this folder \(read-only\): \/.*lib\.es5\.d\.ts/)).toBeVisible()
    await expect(editor(page)).toContainText('reduce')
    await page.keyboard.type('typed')
    await expect(editor(page)).toContainText('is read-only')
    expect(await violations(page, undefined, { only: ['.editor-group'] })).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Alt+ArrowLeft')
    await expect(tab(page, 'calls.ts')).toHaveAttribute('aria-selected', 'true')
    await expect(cursorPosition(page)).toHaveText('Ln 7, Col 18')

    await goTo(page, '7:36')
    await page.keyboard.press('Alt+Shift+h')
    const calls = page.getByRole('tree', { name: 'Call hierarchy' })
    await expect(calls).toBeFocused()
    await expect(calls.getByRole('treeitem')).toHaveText([/^sum/, /^total/])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await expect(calls.getByRole('treeitem')).toHaveText([/^sum/, /^total/, /^src\/calls\.ts/])
    expect(await violations(page, undefined, { only: ['[data-region="panel"]'] })).toEqual([])
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await expect(cursorPosition(page)).toHaveText('Ln 10, Col 1')
  })

  await test.step('errors appear while typing, F8 goes to them, and a quick fix adds the missing import', async () => {
    await openFile(page, 'src/data.json')
    await openFile(page, 'src/main.ts')
    const squiggles = editor(page).locator('.squiggly-error')
    await expect(squiggles).toHaveCount(2)
    await expect(page.getByRole('treeitem', { name: 'src', exact: true })).toHaveAccessibleDescription(
      /Contains 3 problems/,
    )
    await expect(page.getByRole('button', { name: /^Language server TypeScript 7: Running/ })).toBeVisible()

    // Monaco's own TypeScript does not start beside the server.
    expect(page.workers().filter((worker) => worker.url().includes('ts.worker'))).toEqual([])

    // The problems view lists those of the editor too, and goes to the last.
    await page.keyboard.press('Control+Shift+M')
    const problems = page.getByRole('tree', { name: 'Problems' })
    await expect(problems).toBeFocused()
    await expect(problems.getByRole('treeitem')).toHaveCount(5)
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: /^Ln 3, Col 13/ })).toBeVisible()
    await expect(problems).not.toBeFocused()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+J')
    await expect(page.getByRole('button', { name: /^3 errors, 0 warnings\. Show problems\./ })).toBeVisible()

    // The text is corrected without saving it.
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('End')
    for (let count = 0; count < "'three'".length; count += 1) await page.keyboard.press('Backspace')
    await page.keyboard.type('3')
    await expect(squiggles).toHaveCount(1)

    await page.keyboard.press('F8')
    await expect(editor(page)).toContainText("Cannot find name 'sum'")
    // The last problem of the file is followed by the next file with problems.
    await page.keyboard.press('F8')
    await expect(tab(page, 'data.json')).toHaveAttribute('aria-selected', 'true')
    await expect(editor(page)).toContainText('Value expected')
    await page.keyboard.press('Shift+F8')
    await expect(editor(page)).toContainText("Cannot find name 'sum'")
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+.')
    await page.getByText(/Add import from/).click()
    await expect.poll(() => shownText(page)).toContain('import { sum } from "./sum')
    await expect(squiggles).toHaveCount(0)

    await page.keyboard.press('Control+End')
    await page.keyboard.type('su')
    await page.getByRole('option', { name: /^sum/ }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('(')
    await expect(page.locator('.parameter-hints-widget')).toContainText('sum(a: number, b: number): number')
    await expect(tab(page, 'main.ts')).toBeVisible()
  })
})

test('renaming a file in the explorer updates its importers after a question, and is undone with them', async ({
  launch,
}) => {
  const importer = "import { sum } from './sum.js'\nexport const total = sum(1, 2)\n"
  const { page, path } = await launch({ files: { ...files, 'src/main.ts': importer } })
  const text = () => readFile(path('src/main.ts'), 'utf8')
  await openFile(page, 'src/main.ts')
  await expect(page.getByRole('button', { name: /^Language server TypeScript 7: Running/ })).toBeVisible()
  const tree = page.getByRole('tree', { name: 'Files' })
  await tree.getByRole('treeitem', { name: 'sum.ts' }).click()
  await tree.press('F2')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('add.ts')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Update imports for add.ts?' }).getByRole('button', { name: 'Yes' }).click()
  await expect.poll(text).toContain("'./add.js'")
  await tree.press('Control+Z')
  await expect.poll(text).toBe(importer)
  await expect(tree.getByRole('treeitem', { name: 'sum.ts' })).toBeVisible()
})

test('Organize imports sorts the imports and removes unused ones', async ({ launch }) => {
  const { page } = await launch({
    files: {
      ...files,
      'src/log.ts': 'export function log(value: number): void {\n  console.log(value)\n}\n',
      'src/imports.ts':
        "import { sum, type Unknown } from './sum.js';\nimport { log } from './log.js';\n\nlog(sum(1, 2))\n",
    },
  })
  await openFile(page, 'src/imports.ts')
  // The server has read the file: the type does not exist.
  await expect(editor(page).locator('.squiggly-error')).toHaveCount(1)
  await focusEditor(page)
  await page.keyboard.press('Alt+Shift+O')
  // The list for the light bulb at the new position must not cancel it.
  await page.keyboard.press('ArrowRight')
  await expect
    .poll(() => shownText(page))
    .toBe("import { log } from './log.js';\nimport { sum } from './sum.js';\n\nlog(sum(1, 2))\n")
})

test(
  'basedpyright checks Python beside TypeScript: errors, hover, completion and rename',
  { tag: '@long' },
  async ({ launch }) => {
    const { page } = await launch({
      files: {
        ...files,
        'app/greet.py': 'def greet(name: str) -> str:\n    """Says hello."""\n    return "Hello " + name\n',
        'app/main.py': 'from greet import greet\n\nprint(greet(1))\n',
      },
      async prepare(workspace) {
        // As Tizona installs it.
        const target = join(workspace, '../user/language-servers/basedpyright/node_modules/basedpyright')
        await cp(join(process.cwd(), 'node_modules/basedpyright'), target, { recursive: true, dereference: true })
      },
    })
    await openFile(page, 'src/main.ts')
    await expect(editor(page).locator('.squiggly-error')).toHaveCount(2)
    await openFile(page, 'app/main.py')
    await expect(page.getByRole('button', { name: /^Language server basedpyright: Running/ })).toBeVisible()
    await expect(editor(page).locator('.squiggly-error')).toHaveCount(1)
    await page.keyboard.press('F8')
    await expect(editor(page)).toContainText('is not assignable to "str"')
    await page.keyboard.press('Escape')

    await goTo(page, '3:8')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Control+i')
    await expect(page.locator('.monaco-hover')).toContainText('Says hello.')
    await page.keyboard.press('Escape')

    await page.keyboard.press('F2')
    await page.locator('.rename-box .rename-input').fill('welcome')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await expect.poll(() => shownText(page)).toContain('from greet import welcome')
    await openFile(page, 'app/greet.py')
    await expect.poll(() => shownText(page)).toContain('def welcome(name: str)')

    await page.keyboard.press('Control+End')
    await page.keyboard.type('welc')
    await page
      .getByRole('option', { name: /^welcome/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => shownText(page)).toMatch(/\nwelcome$/)
  },
)
