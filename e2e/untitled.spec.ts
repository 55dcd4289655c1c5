import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkView, inDialog } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import {
  cursorPosition,
  editor,
  focusEditor,
  openFile,
  pressWithKeys,
  runPalette,
  shownText,
  tab,
} from './support/window.ts'

const run = promisify(execFile)

test('an untitled text survives reload and restart, and Save asks for its path', async ({ launch }) => {
  const app = await launch({ files: { 'taken.txt': 'theirs\n', 'src/a.ts': 'export {}\n' }, ownProcess: true })
  const { page } = app
  await runPalette(page, 'New untitled text file')
  await expect(tab(page, 'Untitled-1')).toHaveAccessibleName('Untitled-1')
  await expect(page.getByText('Files of this kind have no outline.')).toBeVisible()
  await expect(page.locator('.monaco-editor.focused')).toBeVisible()
  // Typed in one go, so that no suggestion takes the Enter key.
  await page.keyboard.insertText('Shopping list\nmilk')
  await expect(tab(page, 'Shopping list')).toHaveAccessibleName(/unsaved/)

  await test.step('it is kept over a reload and a restart, with its language mode', async () => {
    await runPalette(page, 'Change language mode')
    await page.getByRole('option', { name: /^Markdown/ }).waitFor()
    await page.keyboard.type('markdown')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: /Markdown/ })).toBeVisible()
    await app.reload()
    await expect.poll(() => shownText(page)).toBe('Shopping list\nmilk')
    await expect(page.getByRole('button', { name: /Markdown/ })).toBeVisible()
    await app.restart('SIGTERM')
    await expect(tab(app.page, 'Shopping list')).toHaveAccessibleName(/unsaved/)
    await expect.poll(() => shownText(app.page)).toBe('Shopping list\nmilk')
  })

  await test.step('saving to an existing file asks before it replaces it', async () => {
    await focusEditor(app.page)
    await app.page.keyboard.press('Control+s')
    const dialog = app.page.getByRole('dialog', { name: 'Save Shopping list as' })
    await expect(dialog.getByRole('textbox')).toHaveValue('Shopping list.md')
    await checkView(app.page, 'path of an untitled text', inDialog)
    await dialog.getByRole('textbox').fill('taken.txt')
    await app.page.keyboard.press('Enter')
    await expect(app.page.getByRole('dialog', { name: 'Replace taken.txt?' })).toBeVisible()
    await app.page.keyboard.press('Escape')
    expect(await readFile(app.path('taken.txt'), 'utf8')).toBe('theirs\n')
    await expect(tab(app.page, 'Shopping list')).toHaveAccessibleName(/unsaved/)
  })

  await test.step('closing asks, and saving there writes the file and closes the tab', async () => {
    await runPalette(app.page, 'Close tab')
    const question = app.page.getByRole('dialog', { name: 'Save Shopping list before closing?' })
    await pressWithKeys(question.getByRole('button', { name: 'Save', exact: true }))
    await app.page.getByRole('dialog', { name: /as$/ }).getByRole('textbox').fill('notes/list.md')
    await app.page.keyboard.press('Enter')
    await expect(app.page.getByRole('tab')).toHaveCount(0)
    expect(await readFile(app.path('notes/list.md'), 'utf8')).toBe('Shopping list\nmilk')
  })
})

test('Save as writes another file, also outside the folder, and leaves the old one', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'one\n', 'taken.txt': 'theirs\n' } })
  const { page } = app
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('two')
  const saveAs = async (path: string) => {
    await focusEditor(page)
    await page.keyboard.press('Control+Shift+s')
    await page
      .getByRole('dialog', { name: /^Save .* as$/ })
      .getByRole('textbox')
      .fill(path)
    await page.keyboard.press('Enter')
  }
  await saveAs('../outside.txt')
  await expect(tab(page, 'outside.txt')).toHaveAccessibleName('outside.txt')
  expect(await readFile(join(app.workspace, '..', 'outside.txt'), 'utf8')).toBe('one\ntwo')
  await expect(tab(page, 'a.txt')).toHaveCount(0)

  await saveAs('copy.txt')
  await expect(tab(page, 'copy.txt')).toHaveAccessibleName('copy.txt')
  await expect(tab(page, 'outside.txt')).toHaveCount(0)
  expect(await readFile(app.path('copy.txt'), 'utf8')).toBe('one\ntwo')
  expect(await readFile(app.path('a.txt'), 'utf8')).toBe('one\n')

  await saveAs('taken.txt')
  await pressWithKeys(page.getByRole('button', { name: 'Replace' }))
  await expect(tab(page, 'taken.txt')).toHaveAccessibleName('taken.txt')
  expect(await readFile(app.path('taken.txt'), 'utf8')).toBe('one\ntwo')
  // The tab follows its new file.
  await writeFile(app.path('taken.txt'), 'three\n')
  await expect.poll(() => shownText(page)).toBe('three\n')
  await expect(editor(page)).toBeVisible()
})

test('a command line opens a file at a line, and git waits for the tab of its message', async ({ launch }) => {
  const app = await launch({ files: { 'src/a.ts': 'one\ntwo\nthree\n' }, ownProcess: true })
  const { page } = app
  const serve = [process.execPath, join(import.meta.dirname, '..', 'out', 'main', 'serve.js')]
  const env = { ...process.env, TIZONA_USER_DATA: join(app.workspace, '..', 'user') }
  const tizona = (...args: string[]) => run(serve[0] ?? '', [serve[1] ?? '', ...args], { cwd: app.workspace, env })

  await tizona('src/a.ts:2:3')
  await expect(tab(page, 'a.ts')).toHaveAttribute('aria-selected', 'true')
  await expect(cursorPosition(page)).toHaveText('Ln 2, Col 3')

  await test.step('a file that does not exist is saved at its path', async () => {
    await tizona('--goto', 'src/new.ts')
    await expect(tab(page, 'new.ts')).toHaveAccessibleName(/unsaved/)
    await focusEditor(page)
    await page.keyboard.type('export {}')
    await page.keyboard.press('Control+s')
    await expect(tab(page, 'new.ts')).toHaveAccessibleName('new.ts')
    expect(await readFile(app.path('src/new.ts'), 'utf8')).toBe('export {}')
  })

  await test.step('files outside the folder are shown here too, and two files are compared', async () => {
    const outside = (name: string) => join(app.workspace, '..', name)
    await writeFile(outside('b.txt'), 'one\nTWO\nthree\n')
    await writeFile(outside('c.txt'), 'c\n')
    await tizona(outside('b.txt'), `${outside('c.txt')}:1:2`)
    await expect(tab(page, 'b.txt')).toBeVisible()
    await expect(tab(page, 'c.txt')).toHaveAttribute('aria-selected', 'true')
    await expect(cursorPosition(page)).toHaveText('Ln 1, Col 2')
    await tizona('--diff', outside('b.txt'), 'src/a.ts')
    await expect(tab(page, 'b.txt ↔ a.ts')).toHaveAttribute('aria-selected', 'true')
    await expect(page.locator('.monaco-diff-editor').first()).toBeVisible()
  })

  await test.step('git commit waits until the tab of the message is closed', async () => {
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
        cwd: app.workspace,
        env: { ...env, GIT_EDITOR: `"${serve[0]}" "${serve[1]}" --wait` },
      })
    await git('init', '-q')
    await git('add', '.')
    let ended = false
    const committing = git('commit').finally(() => (ended = true))
    await expect(tab(page, 'COMMIT_EDITMSG')).toHaveAttribute('aria-selected', 'true')
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Written in Tizona')
    await page.keyboard.press('Control+s')
    await expect(tab(page, 'COMMIT_EDITMSG')).toHaveAccessibleName('COMMIT_EDITMSG')
    expect(ended).toBe(false)
    await runPalette(page, 'Close tab')
    await committing
    expect((await git('log', '--format=%s')).stdout.trim()).toBe('Written in Tizona')
  })
})

test('by keyboard, the menu of a folder searches in it and opens a terminal there, which a command clears', async ({
  launch,
}) => {
  const { page } = await launch({ files: { 'src/a.ts': 'needle\n', 'lib/a.ts': 'needle\n' } })
  const menuOfFolder = async (name: string, item: string) => {
    await page.keyboard.press('Control+Shift+e')
    await expect(page.getByRole('tree', { name: 'Files' })).toBeFocused()
    await page.keyboard.press('Home')
    while (!(await page.getByRole('treeitem', { name, selected: true }).isVisible()))
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: item }).press('Enter')
  }
  await menuOfFolder('src', 'Find in folder…')
  await expect(page.getByRole('textbox', { name: 'Files to include' })).toHaveValue('src/**')
  await page.keyboard.type('needle')
  await expect(page.getByText('1 match in 1 file')).toBeVisible()

  await menuOfFolder('lib', 'Open in terminal')
  const rows = page.locator('.xterm-rows')
  await expect(rows).toBeVisible()
  await expect(page.locator('.xterm textarea')).toBeFocused()
  await page.keyboard.type('basename "$PWD"; echo printed-$((1 + 1))')
  await page.keyboard.press('Enter')
  await expect(rows).toContainText(/lib\s*printed-2/)
  await runPalette(page, 'Clear terminal')
  await expect(rows).not.toContainText('printed-2')
})
