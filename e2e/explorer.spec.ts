import { access, readFile } from 'node:fs/promises'
import { expect, onlyBrowser, test } from './support/app.ts'
import { focusEditor, openFile, tab } from './support/window.ts'

const files = { 'a.txt': 'alpha\nbeta\n', 'docs/b.txt': 'b\n' }
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

test('Ctrl+Z in the explorer undoes renames and moves, the latest first, and open tabs follow', async ({ launch }) => {
  const { page, path } = await launch({ files })
  await openFile(page, 'a.txt')
  const tree = page.getByRole('tree', { name: 'Files' })
  await tree.getByRole('treeitem', { name: 'a.txt' }).click()
  await tree.press('F2')
  await page.getByRole('textbox', { name: /name/i }).fill('c.txt')
  await page.keyboard.press('Enter')
  await expect(tab(page, 'c.txt')).toBeVisible()
  await tree.getByRole('treeitem', { name: 'c.txt' }).dragTo(tree.getByRole('treeitem', { name: 'docs' }))
  await expect.poll(() => exists(path('docs/c.txt'))).toBe(true)

  await tree.focus()
  await page.keyboard.press('Control+z')
  await expect.poll(() => exists(path('c.txt'))).toBe(true)
  // By path: docs/c.txt may still be in the tree.
  await expect(tree.locator('[data-path="c.txt"]')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Control+z')
  await expect.poll(() => readFile(path('a.txt'), 'utf8').catch(() => '')).toBe(files['a.txt'])
  await expect(tab(page, 'a.txt')).toBeVisible()
  // Nothing is left to undo.
  await page.keyboard.press('Control+z')
  await expect(page.getByRole('alert').filter({ hasText: 'not undone' })).toHaveCount(0)
  expect(await exists(path('a.txt'))).toBe(true)
})

test('Ctrl+L with a selection mentions it in the message once', async ({ launch }) => {
  const { page } = await launch({ files })
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Control+l')
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(message).toBeFocused()
  await expect(message).toHaveValue('@selection ')
  await page.keyboard.press('Control+l')
  await expect(message).toHaveValue('@selection ')
})

test('the code editor is loaded while the window is idle, before a file is opened', onlyBrowser, async ({ launch }) => {
  const { page } = await launch({ files })
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /MonacoView/.test(name)))
  await expect.poll(loaded).toBe(true)
  await expect(page.locator('.monaco-editor')).toHaveCount(0)
  await expect(page.getByTestId('no-editor')).toBeVisible()
})
