import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { focusEditor, openFile, shownText, tab } from './support/window.ts'

test('replacing in files changes closed files and unsaved tabs, leaves out matches, and is undone', async ({
  launch,
}) => {
  const app = await launch({
    files: { 'a.txt': 'user_name\r\nuser_id\r\n', 'b.txt': 'user_name user_age\n', 'c.md': 'user_name\n' },
  })
  const { page } = app
  await openFile(page, 'b.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('x ')
  await page.keyboard.press('Control+Shift+h')
  await page.locator('#search-query').fill('user_(\\w+)')
  await page.getByRole('button', { name: 'Use regular expression' }).click()
  await page.getByRole('textbox', { name: 'Replace' }).fill('$1OfUser')
  await page.getByRole('button', { name: 'Files to include or exclude' }).click()
  await page.getByRole('textbox', { name: 'Files to exclude' }).fill('*.md')
  await expect(page.getByText('4 matches in 2 files')).toBeVisible()
  const results = page.getByRole('tree', { name: 'Search results' })
  await results.getByText('idOfUser').click()
  await page.getByRole('textbox', { name: 'Replace' }).press('ArrowDown')
  await page.keyboard.press('Home')
  for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Delete')
  await expect(page.getByText('3 matches in 2 files')).toBeVisible()
  await page.getByRole('button', { name: 'Replace all', exact: true }).click()
  await page
    .getByRole('dialog', { name: 'Replace 3 matches in 2 files?' })
    .getByRole('button', { name: 'Replace all' })
    .click()
  await expect(page.getByText('Replaced 3 matches in 2 files.')).toBeVisible()
  expect(await readFile(app.path('a.txt'), 'utf8')).toBe('nameOfUser\r\nuser_id\r\n')
  expect(await readFile(app.path('b.txt'), 'utf8')).toBe('user_name user_age\n')
  await tab(page, 'b.txt').click()
  await expect.poll(() => shownText(page)).toContain('x nameOfUser ageOfUser')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(() => readFile(app.path('a.txt'), 'utf8')).toBe('user_name\r\nuser_id\r\n')
  await expect.poll(() => shownText(page)).toContain('x user_name user_age')
})
