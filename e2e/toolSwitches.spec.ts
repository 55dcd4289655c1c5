import { expect, test } from './support/app.ts'
import { scenarios } from './scenarios/index.ts'
import { allowOnce, approval, card, cardIs, lastAnswer, send } from './support/window.ts'

test('each call of a batch requires its own approval, and a tool that is switched off does not run', async ({
  launch,
}) => {
  const { page } = await launch({
    files: { 'public.txt': 'for everybody\n', 'private.txt': 'for nobody\n' },
    scenario: scenarios.askedBatch,
    settings: { mode: 'paranoid' },
  })
  await page.keyboard.press('Control+,')
  const tools = page.getByRole('region', { name: 'Tools', exact: true })
  await tools.getByLabel('Search tools').fill('delete')
  await tools.getByRole('switch', { name: 'delete_file' }).click()
  await expect(tools.getByText('1 off')).toBeVisible()

  await send(page, 'Read both.')
  await expect(await approval(page)).toContainText('Several calls at once')
  await allowOnce(page)
  const question = page.getByTestId('approval-card')
  await expect(question).toContainText('Part of "Several calls at once"')
  await expect(question).toContainText('public.txt')
  await expect(card(page, 'batch')).toHaveAttribute('data-state', 'approval')
  await allowOnce(page)
  await expect(question).toContainText('private.txt')
  await approval(page)
  await question.getByLabel('Reason for refusing').fill('Keep out.')
  await question.getByRole('button', { name: 'Refuse' }).click()
  await cardIs(page, 'batch', 'done')

  await expect(await cardIs(page, 'delete_file', 'failed')).toContainText('turned off in the settings')
  await expect(lastAnswer(page)).toContainText('I read what I may.')

  await page.keyboard.press('Control+Shift+u')
  const console = page.getByRole('region', { name: 'Tool console' })
  await console.getByRole('navigation', { name: 'Tools' }).getByText('delete_file', { exact: true }).click()
  await expect(console).toContainText('Disabled in Settings')
  await expect(console.getByRole('button', { name: /^Run/ })).toBeDisabled()
})
