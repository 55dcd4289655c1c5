import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { cardIs, focusEditor, lastAnswer, newConversation, openFile, send, shownText, tab } from './support/window.ts'
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

test('an edit of the model reaches open tabs and is undone with the button of its card', async ({ launch }) => {
  const app = await launch({
    files: { 'a.txt': 'colour = red\nsize = 1\n' },
    scenario: scenarios.editOpenFile,
    settings: { mode: 'yolo' },
  })
  const { page } = app
  const onDisk = () => readFile(app.path('a.txt'), 'utf8')
  await openFile(page, 'a.txt')

  await test.step('an edit shows in an open clean tab at once, stays clean, and is one undo step', async () => {
    await send(page, 'change red to blue in a.txt')
    await cardIs(page, 'apply_patch', 'done')
    await expect.poll(() => shownText(page)).toContain('colour = blue\nsize = 1')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName('a.txt')
    expect(await onDisk()).toBe('colour = blue\nsize = 1\n')
    await focusEditor(page)
    await page.keyboard.press('Control+z')
    await expect.poll(() => shownText(page)).toContain('colour = red')
  })

  await page.keyboard.press('Control+s')
  await expect(tab(page, 'a.txt')).toHaveAccessibleName('a.txt')
  await newConversation(page)
  await test.step("an edit to a tab with unsaved changes keeps the user's typing and stays unsaved", async () => {
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('mine = yes')
    await send(page, 'change red to blue in a.txt')
    await cardIs(page, 'apply_patch', 'done')
    await expect.poll(() => shownText(page)).toContain('colour = blue\nsize = 1\nmine = yes')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    await expect(lastAnswer(page)).toContainText('unsaved')
    expect(await onDisk()).toBe('colour = red\nsize = 1\n')
  })

  await page.getByRole('button', { name: 'Close a.txt' }).click()
  await page.getByRole('button', { name: "Don't save" }).click()
  await expect(tab(page, 'a.txt')).toHaveCount(0)
  await newConversation(page)
  await test.step('an edit is undone with the button of its card', async () => {
    await send(page, 'change red to blue in a.txt')
    const found = await cardIs(page, 'apply_patch', 'done')
    await found.getByRole('button', { name: 'Undo' }).click()
    await expect(found.getByText('Undone')).toBeVisible()
    await app.reload()
    await expect((await cardIs(page, 'apply_patch', 'done')).getByText('Undone')).toBeVisible()
    expect(await onDisk()).toBe('colour = red\nsize = 1\n')
  })
})
