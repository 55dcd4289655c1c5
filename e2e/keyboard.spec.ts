import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { cardIs, focusEditor, lastAnswer, openFile, shownText, tab } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('a first session works by keyboard alone: tree, editor, palette, chat, approval', async ({ launch }) => {
  const app = await launch({ files: { 'src/a.txt': 'alpha\n' }, scenario: scenarios.runCommand })
  const { page } = app
  const keys = page.keyboard

  await keys.press('Control+Shift+e')
  await expect(page.getByRole('tree')).toContainText('src')
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[role=tree]') !== null)).toBe(true)
  await keys.press('Home')
  await keys.press('ArrowRight')
  await expect(page.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()
  await keys.press('ArrowDown')
  await keys.press('Enter')
  await expect(tab(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')

  await keys.press('Control+Alt+e')
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null)).toBe(true)
  await keys.press('Control+End')
  await keys.type('typed')
  await keys.press('Control+s')
  await expect.poll(() => readFile(app.path('src/a.txt'), 'utf8')).toBe('alpha\ntyped')

  await keys.press('F1')
  await expect(page.getByRole('combobox')).toBeFocused()
  await keys.type('new conversation')
  await keys.press('Enter')
  await keys.press('Control+l')
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(message).toBeFocused()
  await keys.type('run: touch typed && echo by keyboard')
  await keys.press('Enter')

  const question = page.getByTestId('approval-card')
  await expect(question).toHaveAttribute('data-armed', 'true')
  // The composer is empty after sending, so the request takes the focus, and Enter answers it.
  await expect(question).toBeFocused()
  await keys.press('Enter')
  await cardIs(page, 'run_command', 'done')
  await expect(lastAnswer(page)).toContainText('by keyboard')
  await expect(message).toBeFocused()

  // Typing moves the focus to the composer and keeps it there until the user presses the key for the request.
  await keys.type('run: touch again')
  await keys.press('Enter')
  await expect(question).toBeFocused()
  await keys.type('next')
  await expect(message).toBeFocused()
  await expect(message).toHaveValue('next')
  await keys.press('Control+Shift+Y')
  await expect(question).toBeFocused()
  await expect(question).toHaveAttribute('data-armed', 'true')
  await keys.press('Control+Enter')
  await cardIs(page, 'run_command', 'done')
  await expect(page.getByTestId('tool-card')).toHaveCount(2)
})

test('a new terminal gets the keyboard focus', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' } })
  const { page } = app
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('F1')
  await page.getByRole('combobox').fill('new terminal')
  await page.keyboard.press('Enter')
  const terminal = page.getByTestId('terminal')
  await expect(terminal).toHaveAttribute('data-live', 'true')
  await expect(terminal.locator('.xterm-helper-textarea')).toBeFocused()
  await page.keyboard.type('echo to-the-terminal > proof.txt\n')
  await expect.poll(() => readFile(app.path('proof.txt'), 'utf8').catch(() => '')).toBe('to-the-terminal\n')
  await expect.poll(() => shownText(page)).toContain('alpha')
  expect(await shownText(page)).not.toContain('echo')
})
