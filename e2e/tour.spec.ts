import { expect, test } from './support/app.ts'
import { approval, card, lastAnswer } from './support/window.ts'

test('the tour searches, reads, patches, replaces a selection, runs tests after approval and ends with a summary', async ({
  launch,
}) => {
  const { page } = await launch({ noFolder: true })
  await page.getByRole('button', { name: /Take the tour/ }).click()
  await expect(page.getByText(/scripted/i).first()).toBeVisible()
  // The tour runs in safe mode: every change and the test run require approval.
  const finished = lastAnswer(page).getByText(/pass/i)
  for (let asked = 0; asked < 12 && !(await finished.isVisible()); asked++) {
    await expect(page.getByTestId('approval-card').or(finished).first()).toBeVisible()
    if (await finished.isVisible()) break
    const question = await approval(page)
    const id = await question.getAttribute('data-request')
    await question.getByRole('button', { name: 'Allow once' }).click()
    await expect(page.locator(`[data-request="${id}"]`)).toHaveCount(0)
  }
  await expect(finished).toBeVisible()
  for (const tool of ['grep_search', 'read_file', 'apply_patch', 'get_selection', 'replace_selection', 'run_command']) {
    await expect(card(page, tool), tool).toHaveAttribute('data-state', 'done')
  }
  await expect(page.getByRole('log').getByRole('alert')).toHaveCount(0)
})
