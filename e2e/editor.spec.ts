import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { cardIs, focusEditor, lastAnswer, openFile, send, shownText, tab } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('the model reads the selection and replaces it', async ({ launch }) => {
  const { page } = await launch({
    files: { 'a.txt': 'first line\nsecond line\n' },
    scenario: scenarios.selectionReplace,
    settings: { mode: 'yolo' },
  })
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Shift+End')
  await send(page, 'Put the selection in capitals')
  await cardIs(page, 'replace_selection', 'done')
  await expect.poll(() => shownText(page)).toContain('FIRST LINE\nsecond line')
  await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
  await expect(lastAnswer(page)).toContainText('line 1')
  // One undo step reverts it.
  await focusEditor(page)
  await page.keyboard.press('Control+z')
  await expect.poll(() => shownText(page)).toContain('first line\nsecond line')
})

test('an edit shows in an open clean tab at once, stays clean, and is one undo step', async ({ launch }) => {
  const app = await launch({
    files: { 'a.txt': 'colour = red\nsize = 1\n' },
    scenario: scenarios.editOpenFile,
    settings: { mode: 'yolo' },
  })
  const { page } = app
  await openFile(page, 'a.txt')
  await send(page, 'change red to blue in a.txt')
  await cardIs(page, 'apply_patch', 'done')
  await expect.poll(() => shownText(page)).toContain('colour = blue\nsize = 1')
  await expect(tab(page, 'a.txt')).toHaveAccessibleName('a.txt')
  expect(await readFile(app.path('a.txt'), 'utf8')).toBe('colour = blue\nsize = 1\n')
  await focusEditor(page)
  await page.keyboard.press('Control+z')
  await expect.poll(() => shownText(page)).toContain('colour = red')
})

test("an edit to a tab with unsaved changes keeps the user's typing and stays unsaved", async ({ launch }) => {
  const app = await launch({
    files: { 'a.txt': 'colour = red\nsize = 1\n' },
    scenario: scenarios.editOpenFile,
    settings: { mode: 'yolo' },
  })
  const { page } = app
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('mine = yes')
  await send(page, 'change red to blue in a.txt')
  await cardIs(page, 'apply_patch', 'done')
  await expect.poll(() => shownText(page)).toContain('colour = blue\nsize = 1\nmine = yes')
  await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
  await expect(lastAnswer(page)).toContainText('unsaved')
  expect(await readFile(app.path('a.txt'), 'utf8')).toBe('colour = red\nsize = 1\n')
})

test('an edit is undone with the button of its card', async ({ launch }) => {
  const app = await launch({
    files: { 'a.txt': 'colour = red\n' },
    scenario: scenarios.editOpenFile,
    settings: { mode: 'yolo' },
  })
  const { page } = app
  await send(page, 'change red to blue in a.txt')
  const found = await cardIs(page, 'apply_patch', 'done')
  await found.getByRole('button', { name: 'Undo' }).click()
  await expect(found.getByText('Undone')).toBeVisible()
  await app.reload()
  await expect((await cardIs(page, 'apply_patch', 'done')).getByText('Undone')).toBeVisible()
  expect(await readFile(app.path('a.txt'), 'utf8')).toBe('colour = red\n')
})
