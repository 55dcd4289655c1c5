import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './support/app.ts'
import { focusEditor, openFile } from './support/window.ts'

test('a file in another encoding is edited, reopened and saved in others, and large text opens read-only', async ({
  launch,
}) => {
  const { page, workspace } = await launch({
    files: {
      'latin.c': Buffer.from('// Größe der Fläche\r\nint a;\r\n', 'latin1'),
      'big.log': Buffer.from('0123456789 one line of a log\n'.repeat(1_900_000)),
    },
  })
  await openFile(page, 'latin.c')
  const status = page.getByRole('contentinfo', { name: 'Status' })
  await expect(status.getByRole('button', { name: 'Encoding: Windows 1252. Select encoding.' })).toBeVisible()
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('// ä\n')
  await page.keyboard.press('Control+s')
  const bytes = () => readFile(join(workspace, 'latin.c'), 'latin1')
  await expect.poll(bytes).toBe('// ä\r\n// Größe der Fläche\r\nint a;\r\n')

  await status.getByRole('button', { name: /^Encoding/ }).click()
  await page.keyboard.type('save')
  await page.keyboard.press('Enter')
  await page.keyboard.type('UTF-16 LE')
  await page.keyboard.press('Enter')
  await expect(status.getByRole('button', { name: 'Encoding: UTF-16 LE. Select encoding.' })).toBeVisible()
  await expect
    .poll(() => readFile(join(workspace, 'latin.c'), 'utf16le'))
    .toBe('\uFEFF// ä\r\n// Größe der Fläche\r\nint a;\r\n')

  await page.getByRole('tree', { name: 'Files' }).getByRole('treeitem', { name: 'big.log' }).click()
  await expect(page.getByText('Large file, read-only · 53 MB · UTF-8 · megabyte 1 of 53')).toBeVisible()
  await expect(page.getByLabel('Text of the file')).toContainText('0123456789 one line of a log')
  await page.getByRole('button', { name: 'Last megabyte' }).click()
  await expect(page.getByText('megabyte 53 of 53')).toBeVisible()
})
