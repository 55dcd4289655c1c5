import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { cardIs, lastAnswer, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'
import { reviewedFile } from './scenarios/reviewedEdits.ts'

const toolbar = (page: Page) => page.getByRole('toolbar', { name: 'Changes in src/users.ts' })

test('a card and the restore dialog open the same full diff, side by side or inline', async ({ launch }) => {
  const { page } = await launch({
    files: { 'src/users.ts': reviewedFile.before },
    scenario: scenarios.reviewedEdits,
    settings: { mode: 'yolo', ...withoutServers },
  })
  await page.setViewportSize({ width: 1900, height: 800 })
  await send(page, 'Limit the users')
  await expect(lastAnswer(page)).toContainText('limited')
  const card = await cardIs(page, 'write_file', 'done')
  await card.getByRole('button', { name: 'Open diff' }).click()
  await expect(page.getByRole('tab', { name: 'users.ts (edit)' })).toBeVisible()
  await expect(toolbar(page).getByRole('img', { name: '3 lines added, 2 removed' })).toBeVisible()
  const diff = page.locator('.monaco-diff-editor')
  await expect(diff).toHaveClass(/side-by-side/)
  await toolbar(page).getByRole('button', { name: 'Next change' }).click()
  await expect(toolbar(page).getByRole('status')).toHaveText('Change 1 of 3')
  await toolbar(page).getByRole('button', { name: 'Show inline' }).click()
  await expect(diff).not.toHaveClass(/side-by-side/)
  await expect(toolbar(page).getByRole('status')).toHaveText('Change 1 of 3')

  const message = page.getByRole('article', { name: 'You' }).last()
  await message.hover()
  await message.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Restore…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Restore to this message' })
  await dialog.getByRole('button', { name: 'Open diff' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('tab', { name: 'users.ts (since the message)' })).toBeVisible()
  await expect(toolbar(page).getByRole('button', { name: 'Show side by side' })).toBeVisible()
})
