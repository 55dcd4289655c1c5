import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { scenarios } from './scenarios/index.ts'

const options = { files: { 'a.txt': 'a\n' }, scenario: scenarios.runCommand }

async function runFromPalette(page: Page, title: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+P')
  await page.keyboard.type(title)
  await page.getByRole('option', { name: title }).first().click()
}

test('the log is shown, and diagnostics are copied for a bug report', async ({ launch }) => {
  const { page } = await launch(options)
  await test.step('the log opens from the palette and shows what the host and the window logged', async () => {
    await page.evaluate(() => void Promise.reject(new Error('a planted failure with Bearer abcdefghijkl')))
    await runFromPalette(page, 'Open log')
    const dialog = page.getByRole('dialog', { name: 'Log' })
    const entries = dialog.getByLabel('Log entries')
    await dialog.getByRole('button', { name: 'Refresh' }).click()
    await expect(entries).toContainText('host, ')
    await expect(entries).toContainText('a planted failure with Bearer [hidden]')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })

  await test.step('diagnostics are copied for a bug report', async () => {
    // Reading the clipboard needs a permission, so the test checks what is written to it.
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => document.body.setAttribute('data-copied', text)
    })
    await runFromPalette(page, 'Copy diagnostics')
    await expect(page.getByText('Diagnostics copied')).toBeVisible()
    const copied = await page.locator('body').getAttribute('data-copied')
    expect(copied).toMatch(/^Tizona \d.* host\)\nNode /)
    expect(copied).toContain('Settings:')
  })
})
