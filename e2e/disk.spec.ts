import { rm, writeFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { focusEditor, openFile, shownText, tab } from './support/window.ts'

test('a file changed on disk is reloaded in a clean tab, and is a conflict in one with unsaved changes', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'one\n' } })
  const { page } = app
  await openFile(page, 'a.txt')
  await writeFile(app.path('a.txt'), 'two\n')
  await expect.poll(() => shownText(page)).toContain('two')

  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('mine')
  await writeFile(app.path('a.txt'), 'three\n')
  const bar = page.getByRole('tabpanel').getByRole('alert')
  await expect(bar).toContainText(/changed on disk/i)
  await expect.poll(() => shownText(page)).toContain('two\nmine')
  await bar.getByRole('button', { name: /Reload/i }).click()
  await expect.poll(() => shownText(page)).toContain('three')
  await expect(tab(page, 'a.txt')).toHaveAccessibleName('a.txt')
})

test('the explorer shows new files and removes deleted ones', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'a' } })
  const { page } = app
  await expect(page.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()
  await writeFile(app.path('b.txt'), 'b')
  await expect(page.getByRole('treeitem', { name: 'b.txt' })).toBeVisible()
  await rm(app.path('a.txt'))
  await expect(page.getByRole('treeitem', { name: 'a.txt' })).toHaveCount(0)
})
