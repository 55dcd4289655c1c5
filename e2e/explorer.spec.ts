import { access, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onlyBrowser, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { focusEditor, openFile, shownText, tab } from './support/window.ts'

const files = { 'a.txt': 'alpha\nbeta\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'docs/d.txt': 'd\n' }
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

test('entries of the explorer are renamed, moved, selected, copied, compared and undone', async ({ launch }) => {
  const prepare = (workspace: string) => symlink('a.txt', join(workspace, 'link.txt'))
  const { page, path } = await launch({ files, prepare })
  await test.step('Ctrl+Z in the explorer undoes renames and moves, the latest first, and open tabs follow', async () => {
    await openFile(page, 'a.txt')
    const tree = page.getByRole('tree', { name: 'Files' })
    await tree.getByRole('treeitem', { name: 'a.txt' }).click()
    await tree.press('F2')
    const field = page.getByRole('textbox', { name: /name/i })
    await field.fill('z.txt')
    // The Enter of an input method accepts the composed text, not the name.
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
    await expect(field).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(tab(page, 'z.txt')).toBeVisible()
    await tree.getByRole('treeitem', { name: 'z.txt' }).dragTo(tree.getByRole('treeitem', { name: 'docs' }))
    await expect.poll(() => exists(path('docs/z.txt'))).toBe(true)

    await tree.focus()
    await page.keyboard.press('Control+z')
    await expect.poll(() => exists(path('z.txt'))).toBe(true)
    // By path: docs/z.txt may still be in the tree.
    await expect(tree.locator('[data-path="z.txt"]')).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('Control+z')
    await expect.poll(() => readFile(path('a.txt'), 'utf8').catch(() => '')).toBe('alpha\nbeta\n')
    await expect(tab(page, 'a.txt')).toBeVisible()
    // Nothing is left to undo.
    await page.keyboard.press('Control+z')
    await expect(page.getByRole('alert').filter({ hasText: 'not undone' })).toHaveCount(0)
    expect(await exists(path('a.txt'))).toBe(true)
  })

  await test.step('the tab of a renamed file keeps its unsaved text, its cursor and its undo steps', async () => {
    await tab(page, 'a.txt').click()
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('gamma')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    const tree = page.getByRole('tree', { name: 'Files' })
    await tree.getByRole('treeitem', { name: 'a.txt' }).click()
    await tree.press('F2')
    await page.getByRole('textbox', { name: /name/i }).fill('y.txt')
    await page.keyboard.press('Enter')
    await expect(tab(page, 'y.txt')).toHaveAccessibleName(/unsaved/)
    await expect(tab(page, 'a.txt')).toHaveCount(0)
    await focusEditor(page)
    await page.keyboard.type(' delta')
    await expect.poll(() => shownText(page)).toBe('alpha\nbeta\ngamma delta')
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(path('y.txt'), 'utf8')).toBe('alpha\nbeta\ngamma delta')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await expect.poll(() => shownText(page)).toBe('alpha\nbeta\n')
    await expect(tab(page, 'y.txt')).toHaveAccessibleName(/unsaved/)
    await page.keyboard.press('Control+s')
    await expect(tab(page, 'y.txt')).toHaveAccessibleName('y.txt')
    await tree.focus()
    await page.keyboard.press('Control+z')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName('a.txt')
    expect(await readFile(path('a.txt'), 'utf8')).toBe('alpha\nbeta\n')
  })

  await test.step('several entries of the explorer are selected, copied, moved, undone and compared', async () => {
    const explorer = page.getByRole('tree', { name: 'Files' })
    const entry = (name: string) => explorer.getByRole('treeitem', { name, exact: true })
    await entry('a.txt').click()
    await entry('b.txt').click({ modifiers: ['Control'] })
    await page.keyboard.press('Control+c')
    await entry('docs').click()
    await page.keyboard.press('Control+v')
    await expect(page.getByText('Copied 2 items to docs.')).toBeVisible()
    expect(await readFile(path('docs/b.txt'), 'utf8')).toBe('two\n')
    await expect(explorer.locator('[aria-selected="true"]')).toHaveText(['a.txt', 'b.txt'])

    await entry('docs').click()
    await entry('b.txt').click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+x')
    await entry('docs').click()
    await page.keyboard.press('Control+v')
    await expect(page.getByText('already exists')).toBeVisible()
    await entry('c.txt').dragTo(entry('docs'))
    await expect(page.getByText('Moved c.txt to docs.')).toBeVisible()
    await expect.poll(() => exists(path('docs/c.txt'))).toBe(true)
    await explorer.focus()
    await page.keyboard.press('Control+z')
    await expect.poll(() => exists(path('c.txt'))).toBe(true)

    await entry('docs').click()
    await entry('b.txt').click()
    await entry('c.txt').click({ modifiers: ['Shift'] })
    await entry('c.txt').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Compare selected' }).click()
    await expect(page.getByRole('tab', { name: 'b.txt ↔ c.txt' })).toHaveAttribute('aria-selected', 'true')
  })

  await test.step('a file that is opened through a link is open once, and a save writes it and keeps the link', async () => {
    const explorer = page.getByRole('tree', { name: 'Files' })
    await explorer.getByRole('treeitem', { name: 'a.txt', exact: true }).click()
    await expect(tab(page, 'a.txt')).toHaveCount(1)
    await explorer.getByRole('treeitem', { name: 'link.txt' }).click()
    await expect(tab(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
    await expect(tab(page, 'link.txt')).toHaveCount(0)
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('first ')
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(path('a.txt'), 'utf8')).toBe('first alpha\nbeta\n')
    expect(await readlink(path('link.txt'))).toBe('a.txt')
  })

  await test.step('files dropped from outside are copied, after a question about names that exist', async () => {
    const tree = page.getByRole('tree', { name: 'Files' })
    const drop = async (target: string, dropped: Record<string, string>) => {
      const dataTransfer = await page.evaluateHandle((texts) => {
        const data = new DataTransfer()
        for (const [name, text] of Object.entries(texts)) data.items.add(new File([text], name))
        return data
      }, dropped)
      await tree.getByRole('treeitem', { name: target, exact: true }).dispatchEvent('drop', { dataTransfer })
    }
    await drop('docs', { 'new.txt': 'dropped', 'd.txt': 'other' })
    await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click()
    await expect.poll(() => readFile(path('docs/new.txt'), 'utf8').catch(() => '')).toBe('dropped')
    await expect.poll(() => readFile(path('docs/d copy.txt'), 'utf8').catch(() => '')).toBe('other')
    await drop('docs', { 'new.txt': 'again' })
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await expect.poll(() => readFile(path('docs/new.txt'), 'utf8')).toBe('again')
    await expect(tree.getByRole('treeitem', { name: 'new.txt' })).toHaveAttribute('aria-selected', 'true')
  })
})

test('the code editor is loaded while the window is idle, before a file is opened', onlyBrowser, async ({ launch }) => {
  const { page } = await launch({ files })
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /MonacoView/.test(name)))
  await expect.poll(loaded).toBe(true)
  await expect(page.locator('.monaco-editor')).toHaveCount(0)
  await expect(page.getByTestId('no-editor')).toBeVisible()
})

test('files.exclude hides files in the window, and files.associations chooses the language', async ({ launch }) => {
  const app = await launch({
    files: { 'a.inc': '<?php echo 1;\n', 'b.log': 'log\n', 'c.txt': 'log\n' },
    settings: {
      ...withoutServers,
      files: { encoding: 'utf8', exclude: { '**/*.log': true }, associations: { '*.inc': 'php' } },
    },
  })
  const { page } = app
  await expect(page.getByRole('treeitem', { name: 'a.inc' })).toBeVisible()
  await expect(page.getByRole('treeitem', { name: 'b.log' })).toHaveCount(0)
  await openFile(page, 'a.inc')
  await expect(page.getByRole('button', { name: /PHP/ })).toBeVisible()

  await mkdir(app.path('.tizona'))
  await writeFile(app.path('.tizona/settings.json'), '{ "files": { "exclude": { "**/*.log": false, "c.txt": true } } }')
  await expect(page.getByRole('treeitem', { name: 'b.log' })).toBeVisible()
  await expect(page.getByRole('treeitem', { name: 'c.txt' })).toHaveCount(0)
})
