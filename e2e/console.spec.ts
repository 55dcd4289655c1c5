import { expect, test } from './support/app.ts'
import { allowOnce } from './support/window.ts'

test('any tool can be run from the console, with the same approvals', async ({ launch }) => {
  const { page } = await launch({ files: { 'a.txt': 'alpha\n' } })
  await page.keyboard.press('Control+Shift+u')
  const panel = page.getByRole('region', { name: 'Tool console' })
  await panel.getByRole('navigation', { name: 'Tools' }).getByText('read_file', { exact: true }).click()
  await panel.getByRole('textbox', { name: /path/ }).first().fill('a.txt')
  await panel.getByRole('button', { name: /^Run/ }).click()
  await expect(panel.getByTestId('console-result')).toHaveAttribute('data-ok', 'true')
  await expect(panel.getByTestId('console-result')).toContainText('alpha')

  await panel.getByRole('navigation', { name: 'Tools' }).getByText('run_command', { exact: true }).click()
  await panel
    .getByRole('textbox', { name: /command/ })
    .first()
    .fill('touch made && echo from the console')
  await panel.getByRole('button', { name: /^Run/ }).click()
  await allowOnce(page)
  await expect(panel.getByTestId('console-result')).toHaveAttribute('data-ok', 'true')
})
