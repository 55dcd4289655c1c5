import { chmod, readFile, writeFile } from 'node:fs/promises'
import type { Settings } from '../src/shared/settings/settings.ts'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { editor, focusEditor, openFile, shownText, tab } from './support/window.ts'

const source = 'export class Tree {\n  read() {\n    return [1, (2)]\n  }\n\n  write() {\n    return 2\n  }\n}\n'
/** A file in twelve folders. */
const deepPath = `${Array.from({ length: 12 }, (_, at) => `folder${at}`).join('/')}/deep.txt`

test('files open in a preview tab until they are edited, and breadcrumbs lead to files and symbols', async ({
  launch,
}) => {
  const { page } = await launch({
    files: { 'src/tree.ts': source, 'src/other.ts': 'export {}\n', 'z.txt': 'z\n', [deepPath]: 'deep\n' },
    settings: withoutServers,
  })
  const explorer = page.getByRole('tree', { name: 'Files' })
  await explorer.getByRole('treeitem', { name: 'src' }).click()
  await explorer.getByRole('treeitem', { name: 'other.ts' }).click()
  await expect(tab(page, 'other.ts')).toHaveAccessibleName('other.ts (preview)')
  await explorer.getByRole('treeitem', { name: 'tree.ts' }).click()
  await expect(tab(page, 'tree.ts')).toHaveAccessibleName('tree.ts (preview)')
  await expect(tab(page, 'other.ts')).toHaveCount(0)
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('// edited\n')
  await explorer.getByRole('treeitem', { name: 'other.ts' }).click()
  await expect(tab(page, 'tree.ts')).toHaveAccessibleName('tree.ts (unsaved)')
  await expect(tab(page, 'other.ts')).toHaveAttribute('aria-selected', 'true')

  await openFile(page, 'tree.ts')
  await focusEditor(page)
  await page.keyboard.press('Control+g')
  await page.keyboard.type('8')
  await page.keyboard.press('Enter')
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(crumbs.getByRole('button')).toHaveText(['src', 'tree.ts', 'Tree', 'write'])
  await expect(editor(page).locator('.bracket-highlighting-0').first()).toBeVisible()
  await page.keyboard.press('Control+Shift+.')
  await expect(crumbs.getByRole('button', { name: 'write' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: /read/ }).click()
  await expect(crumbs.getByRole('button')).toHaveText(['src', 'tree.ts', 'Tree', 'read'])
  await crumbs.getByRole('button', { name: 'src', exact: true }).click()
  await page.getByRole('option', { name: 'z.txt' }).click()
  await expect(tab(page, 'z.txt')).toHaveAccessibleName('z.txt (preview)')

  await openFile(page, 'deep.txt')
  await page.setViewportSize({ width: 900, height: 600 })
  const folders = crumbs.getByRole('button').filter({ hasText: 'folder' })
  const isCut = (crumb: HTMLElement) => crumb.clientWidth < crumb.scrollWidth
  expect(await Promise.all((await folders.all()).map((crumb) => crumb.evaluate(isCut)))).toEqual(Array(12).fill(false))
  await expect(crumbs.getByRole('button', { name: 'deep.txt' })).toBeInViewport({ ratio: 1 })
  await crumbs.getByRole('button', { name: 'deep.txt' }).press('Home')
  await expect(folders.first()).toBeInViewport({ ratio: 1 })
})

test('saving formats with the formatter of the project, and applies .editorconfig', async ({ launch }) => {
  // A stand-in for Prettier: one space around "=".
  const prettier = '#!/bin/sh\nexec sed "s/ *= */ = /"\n'
  const app = await launch({
    files: {
      '.editorconfig':
        '[*]\nindent_style = tab\ntrim_trailing_whitespace = true\ninsert_final_newline = true\n[*.ts]\nend_of_line = crlf\n',
      '.prettierrc': '{}',
      'node_modules/.bin/prettier': prettier,
      'a.ts': 'let a=1\n',
      'b.txt': 'b\n',
    },
    settings: { editor: { formatOnSave: true, autoSave: 'onFocusChange' } as Settings['editor'], ...withoutServers },
  })
  const { page } = app
  await chmod(app.path('node_modules/.bin/prettier'), 0o755)
  await openFile(page, 'a.ts')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('let b=2   ')
  await page.keyboard.press('Control+s')
  await expect.poll(() => readFile(app.path('a.ts'), 'utf8')).toBe('let a = 1\r\nlet b = 2\r\n')
  await expect(tab(page, 'a.ts')).toHaveAccessibleName('a.ts')

  await openFile(page, 'b.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Tab')
  await page.getByRole('tab', { name: 'a.ts' }).click()
  await expect.poll(() => readFile(app.path('b.txt'), 'utf8')).toBe('\tb\n')
})

test('formatting says when nothing can format the file', async ({ launch }) => {
  const { page } = await launch({ files: { 'notes.txt': 'a  b\n' }, settings: withoutServers })
  await openFile(page, 'notes.txt')
  await focusEditor(page)
  await page.keyboard.press('Shift+Alt+F')
  const notice = page.getByRole('status').filter({ hasText: 'There is no formatter for notes.txt.' })
  await expect(notice).toContainText('Add one to the project, such as Prettier')
})

test('a formatter whose configuration names a new plugin runs only after the user allowed it', async ({ launch }) => {
  const { page, path } = await launch({
    files: {
      'a.ts': 'let a  = 1\n',
      '.prettierrc': '{"semi": false}\n',
      'node_modules/.bin/prettier': '#!/bin/sh\nsed s/let/const/\n',
    },
    prepare: (workspace) => chmod(`${workspace}/node_modules/.bin/prettier`, 0o755),
    settings: withoutServers,
  })
  await openFile(page, 'a.ts')
  await writeFile(path('.prettierrc'), '{"plugins": ["./plugin.mjs"]}\n')
  await focusEditor(page)
  await page.keyboard.press('Shift+Alt+F')
  const notice = '.prettierrc is new or has changed since you trusted this folder.'
  await expect(page.getByText(notice)).toBeVisible()
  expect(await shownText(page)).toContain('let a')
  await page.keyboard.press('Control+,')
  await page.getByPlaceholder('Search settings').fill('language servers')
  await page.getByRole('button', { name: 'Allow .prettierrc' }).click()
  await expect(page.getByRole('button', { name: 'Allow .prettierrc' })).toHaveCount(0)
  await tab(page, 'a.ts').click()
  await focusEditor(page)
  await page.keyboard.press('Shift+Alt+F')
  await expect.poll(() => shownText(page)).toContain('const a')
})

test('shortcuts and settings are changed in their pages and as JSON', async ({ launch }) => {
  const app = await launch({
    files: {
      'a.ts': 'let a = 1\n',
      'a.txt': 'one\ntwo',
      '.tizona/settings.json': '{"editor": {"tabSize": 8, "insertFinalNewline": true}}',
    },
    settings: withoutServers,
  })
  const { page } = app
  const keys = page.keyboard
  await test.step('a shortcut is found, changed, shown with its conflict, used and reset', async () => {
    await openFile(page, 'a.ts')
    await focusEditor(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Control+s')
    const list = page.getByRole('region', { name: 'Keyboard shortcuts' })
    await list.getByRole('textbox', { name: 'Search commands or keys' }).fill('toggle line comment')
    const row = list.getByRole('row', { name: /^Editor: Toggle Line Comment/ })
    await expect(row).toContainText('Ctrl+/')
    await row.getByRole('button', { name: 'Change shortcut for Editor: Toggle Line Comment' }).click()
    await page.keyboard.press('Control+j')
    await expect(page.getByRole('dialog')).toContainText('Also used by View: Toggle bottom panel')
    await page.keyboard.press('Enter')
    await expect(row).toContainText('Ctrl+J')
    await expect(row.getByRole('img', { name: 'Also used by View: Toggle bottom panel' })).toBeVisible()

    await tab(page, 'a.ts').click()
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+j')
    await expect.poll(() => shownText(page)).toContain('// let a = 1')
    await page.getByRole('tab', { name: 'Keyboard shortcuts' }).click()
    await list.getByRole('button', { name: 'Reset shortcut for Editor: Toggle Line Comment' }).click()
    await expect(row).toContainText('Ctrl+/')
  })

  await test.step('settings are edited as JSON with checks, a folder has its own, and Vim keys are one of them', async () => {
    await openFile(page, 'a.txt')
    await keys.press('F1')
    await keys.type('Settings (JSON)')
    await keys.press('Enter')
    const json = page.getByRole('region', { name: 'Settings (JSON)' })
    await json.locator('.view-lines').click()
    await keys.press('Control+a')
    await keys.press('Delete')
    await keys.type('{"editor": 1}')
    // The schema is loaded.
    await expect(json.locator('.squiggly-error, .squiggly-warning').first()).toBeAttached()
    await keys.press('Control+a')
    await keys.press('Delete')
    await keys.type('{"editor": {"vi')
    await expect(page.locator('.suggest-widget')).toContainText('vim')
    await keys.press('Escape')
    await keys.press('Control+a')
    await keys.press('Delete')
    await keys.type('{"editor": {"vim": 1}}')
    await expect(json.locator('.squiggly-error, .squiggly-warning').first()).toBeAttached()
    await keys.press('Control+s')
    await expect(json.getByRole('alert')).toContainText('editor.vim')
    await keys.press('Control+a')
    await keys.press('Delete')
    await keys.type('{"editor": {"vim": true}}')
    await keys.press('Control+s')
    await expect(json.getByRole('button', { name: 'Save' })).toBeDisabled()

    await tab(page, 'a.txt').click()
    const status = page.getByTestId('vim-status')
    await expect(status).toContainText('NORMAL')
    await focusEditor(page)
    await keys.type('ggdwi')
    await expect(status).toContainText('INSERT')
    await keys.type('1')
    await keys.press('Escape')
    await keys.press('End')
    await keys.type(':w\n')
    await expect.poll(() => readFile(app.path('a.txt'), 'utf8')).toBe('1\ntwo\n')
    await expect.poll(() => page.evaluate(() => document.querySelector('.editor-vim') !== null)).toBe(true)
  })
})
