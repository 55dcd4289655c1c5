import { access, readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'

test('several entries of the explorer are selected, copied, moved, undone and compared', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'docs/d.txt': 'd\n' } })
  const { page } = app
  const explorer = page.getByRole('tree', { name: 'Files' })
  const entry = (name: string) => explorer.getByRole('treeitem', { name, exact: true })
  await entry('a.txt').click()
  await entry('b.txt').click({ modifiers: ['Control'] })
  await page.keyboard.press('Control+c')
  await entry('docs').click()
  await page.keyboard.press('Control+v')
  await expect(page.getByText('Copied 2 items to docs.')).toBeVisible()
  expect(await readFile(app.path('docs/b.txt'), 'utf8')).toBe('two\n')
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
  await expect.poll(() => access(app.path('docs/c.txt')).then(() => true)).toBe(true)
  await explorer.focus()
  await page.keyboard.press('Control+z')
  await expect
    .poll(() =>
      access(app.path('c.txt')).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)

  await entry('docs').click()
  await entry('b.txt').click()
  await entry('c.txt').click({ modifiers: ['Shift'] })
  await entry('c.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Compare selected' }).click()
  await expect(page.getByRole('tab', { name: 'b.txt ↔ c.txt' })).toHaveAttribute('aria-selected', 'true')
})
