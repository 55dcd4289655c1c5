import { expect, test } from '../support/app.ts'

test('the Help menu shows the log and copies diagnostics', async ({ launch, context }) => {
  const { page, desktop } = await launch({ files: { 'a.txt': 'a\n' } })
  await test.step('"Open log" in the Help menu shows the log of the desktop host', async () => {
    await desktop?.clickMenu('Help', 'Open log')
    const dialog = page.getByRole('dialog', { name: 'Log' })
    await expect(dialog.getByLabel('Log entries')).toContainText('desktop host, Electron')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })

  await test.step('"Copy diagnostics" in the Help menu puts versions and settings on the clipboard', async () => {
    await desktop?.clickMenu('Help', 'Copy diagnostics')
    await expect(page.getByText('Diagnostics copied')).toBeVisible()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(page.url()).origin })
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toMatch(/^Tizona \d.* \(desktop host\)\nNode .*Electron /)
    expect(copied).toContain('Settings:')
  })
})
