import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { openFile, shownText, tab } from './support/window.ts'

const files = {
  'src/hash.ts':
    '/** Hashes a text. */\nexport function hash(text: string): string {\n  const local = text\n  return local\n}\n',
  'src/users.ts': "import { hash } from './hash'\n\nexport const ids = ['a'].map(hash)\n",
  'notes.md': 'A hash is short.\n',
}

async function goTo(page: Page, place: string): Promise<void> {
  await page.keyboard.press('Control+g')
  await page.getByRole('combobox').fill(place)
  await page.keyboard.press('Enter')
}

test('F2 renames a symbol in every file that uses it, after a preview, and is undone at once', async ({
  launch,
}, info) => {
  const app = await launch({ files })
  const { page } = app
  await openFile(page, 'src/hash.ts')
  await goTo(page, '2:18')
  const preview = page.getByRole('dialog', { name: 'Rename hash to digest' })
  await expect(async () => {
    await page.keyboard.press('Escape')
    await page.keyboard.press('F2')
    await page.locator('.rename-box .rename-input').fill('digest')
    await page.keyboard.press('Enter')
    // Refused until the index is complete.
    await expect(preview).toBeVisible({ timeout: 10_000 })
  }).toPass()
  await info.attach('preview', { body: await page.screenshot(), contentType: 'image/png' })
  await expect(preview.getByRole('status')).toHaveText('3 occurrences in 2 files')
  await expect(preview.getByRole('group', { name: 'notes.md' }).getByRole('checkbox').first()).not.toBeChecked()
  await preview.getByRole('button', { name: 'Rename' }).click()
  await expect.poll(() => shownText(page)).toContain('export function digest(text')
  await expect(tab(page, 'hash.ts')).toHaveAccessibleName('hash.ts')
  await expect
    .poll(() => readFile(app.path('src/users.ts'), 'utf8'))
    .toBe("import { digest } from './hash'\n\nexport const ids = ['a'].map(digest)\n")
  expect(await readFile(app.path('notes.md'), 'utf8')).toBe(files['notes.md'])

  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => readFile(app.path('src/users.ts'), 'utf8')).toBe(files['src/users.ts'])
  await expect.poll(() => readFile(app.path('src/hash.ts'), 'utf8')).toBe(files['src/hash.ts'])

  // A symbol used in one file only needs no preview.
  await goTo(page, '3:10')
  await page.keyboard.press('F2')
  await page.locator('.rename-box .rename-input').fill('own')
  await page.keyboard.press('Enter')
  await expect.poll(() => shownText(page)).toContain('const own = text\n  return own')
})
