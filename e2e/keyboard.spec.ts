import { readFile } from 'node:fs/promises'
import { expect, test } from './support/app.ts'
import { cardIs, lastAnswer, tab } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

test('everything of a first session by keyboard alone: tree, editor, palette, chat, approval', async ({ launch }) => {
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
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
  await keys.type('run: echo by keyboard')
  await keys.press('Enter')

  const question = page.getByTestId('approval-card')
  await expect(question).toHaveAttribute('data-armed', 'true')
  // The composer is empty, but the user may be typing: the card is reached with F6 or its own key, never by itself.
  for (let press = 0; press < 8 && !(await question.evaluate((card) => card.contains(document.activeElement))); press++) await keys.press('F6')
  if (!(await question.evaluate((card) => card.contains(document.activeElement)))) {
    for (let press = 0; press < 30 && !(await question.evaluate((card) => card.contains(document.activeElement))); press++) await keys.press('Tab')
  }
  await expect(question.getByRole('button', { name: 'Allow once' })).toBeVisible()
  await question.evaluate((card) => card.contains(document.activeElement)).then((inside) => expect(inside).toBe(true))
  await keys.press('Control+Enter')
  await cardIs(page, 'run_command', 'done')
  await expect(lastAnswer(page)).toContainText('by keyboard')
})
