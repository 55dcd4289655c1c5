import { expect, type Page } from '@playwright/test'
import type { Desktop } from '../desktop/desktop.ts'
import { runPalette } from './window.ts'

/** Chooses a host in the picker of "Connect to host…", and returns the page of the window that opens. */
export async function connectToHost(page: Page, desktop: Desktop, address: string): Promise<Page> {
  const before = (await desktop.windows()).map(({ id }) => id)
  await runPalette(page, 'Connect to host')
  const field = page.getByRole('combobox', { name: 'Connect to host' })
  await field.fill(address)
  await expect(page.getByRole('dialog').getByRole('option').first()).toContainText(address)
  await field.press('Enter')
  await expect.poll(async () => (await desktop.windows()).length, { timeout: 60_000 }).toBe(before.length + 1)
  const added = (await desktop.windows()).find(({ id }) => !before.includes(id))
  const shown = await desktop.pageOf(added?.id ?? 0)
  await expect(shown.locator('.workbench')).toBeVisible()
  return shown
}

/** Opens a folder of the host in its window. */
export async function openFolderThere(page: Page, folder: string): Promise<void> {
  await runPalette(page, 'Open folder…')
  const field = page.getByRole('textbox', { name: 'Folder path' })
  // The field shows the home folder once the host has listed it.
  await expect(field).toHaveValue(/^\//)
  await field.fill(folder)
  await field.press('Enter')
  await page.getByRole('button', { name: 'Open this folder' }).press('Enter')
  await expect(page.getByRole('treeitem').first()).toBeVisible()
}
