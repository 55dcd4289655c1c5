import { expect, test } from './support/app.ts'
import { scenarios } from './scenarios/index.ts'
import { allowOnce, approval, cardIs, send } from './support/window.ts'

test('the audit log lists what was allowed and refused, by whom, and can be filtered', async ({ launch }) => {
  const { page } = await launch({
    files: { 'a.txt': 'a\n' },
    scenario: scenarios.runCommand,
    settings: { mode: 'safe' },
  })
  await send(page, 'run: touch hola.txt')
  await allowOnce(page)
  await cardIs(page, 'run_command', 'done')
  await send(page, 'run: touch proof.txt')
  await (await approval(page)).getByRole('button', { name: 'Refuse' }).click()
  await cardIs(page, 'run_command', 'refused')

  await page.keyboard.press('Control+Shift+P')
  await page.getByRole('combobox').fill('show audit log')
  await page.getByRole('option').first().click()
  const dialog = page.getByRole('dialog', { name: 'Audit log' })
  const entries = dialog.getByRole('listitem')
  await expect(entries).toHaveCount(2)
  await expect(entries.first()).toContainText('Refused')
  await expect(entries.first()).toContainText('touch proof.txt')
  await expect(entries.last()).toContainText('Allowed')
  await expect(entries.last()).toContainText('Decided by you')

  await dialog.getByRole('textbox', { name: 'Filter' }).fill('hola')
  await expect(entries).toHaveCount(1)
  await dialog.getByRole('textbox', { name: 'Filter' }).fill('')
  await dialog.getByRole('combobox', { name: 'Decision' }).selectOption('Refused')
  await expect(entries).toHaveCount(1)
  await expect(dialog.getByRole('status')).toHaveText('1 decision.')
})
