import { expect, test } from './support/app.ts'
import { editor, focusEditor, openFile, tab } from './support/window.ts'

const source = 'export class Tree {\n  read() {\n    return [1, (2)]\n  }\n\n  write() {\n    return 2\n  }\n}\n'

test('files open in a preview tab until they are edited, and breadcrumbs lead to files and symbols', async ({
  launch,
}) => {
  const { page } = await launch({ files: { 'src/tree.ts': source, 'src/other.ts': 'export {}\n', 'z.txt': 'z\n' } })
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
})
