import { expect, type Page } from '@playwright/test'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright'
import type { SshServer } from '../../src/main/hosts/remote/testing/sshServer.ts'
import { launchDesktop, type Desktop } from '../desktop/desktop.ts'
import { runPalette } from './window.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Starts the desktop application without a folder, for the hosts of an SSH server.
 * @param home its folder, with the data in `user` and the servers for hosts in `bundles`
 */
export function launchForHosts(context: BrowserContext, server: SshServer, home: string): Promise<Desktop> {
  const userData = join(home, 'user')
  return launchDesktop({
    app: join(root, 'out/main/index.js'),
    args: [],
    context,
    env: {
      ...process.env,
      HOME: userData,
      TIZONA_USER_DATA: userData,
      TIZONA_NO_DISCOVERY: '1',
      TIZONA_ALLOW_ROOT: '1',
      TIZONA_SSH_CONFIG: server.config,
      TIZONA_SERVER_BUNDLES: join(home, 'bundles'),
    },
    state: join(home, 'system'),
  })
}

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
