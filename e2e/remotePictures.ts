import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import { writeSmallBundle } from '../src/main/hosts/remote/testing/smallBundle.ts'
import { startSshServer } from '../src/main/hosts/remote/testing/sshServer.ts'
import type { Desktop } from './desktop/desktop.ts'
import type { Take } from './support/pictures.ts'
import { connectToHost, launchForHosts, openFolderThere } from './support/remoteWindows.ts'
import { trustFolder } from './support/trust.ts'
import { openFile, runPalette } from './support/window.ts'

const code = `/** A berth in the harbour. */
export interface Berth {
  name: string
  length: number
}

/** Returns the berths that are long enough for a ship. */
export function free(berths: readonly Berth[], length: number): Berth[] {
  return berths.filter((berth) => berth.length >= length)
}
`

/** Takes pictures of a window on another machine: the picker of hosts, the window, and a connection that broke. */
export async function remotePictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'tizona-pictures-'))
  const server = await startSshServer()
  let desktop: Desktop | undefined
  try {
    await writeSmallBundle(join(home, 'bundles'))
    for (const host of ['devbox', 'gpu-box']) await server.addHost(host, [])
    const userData = join(home, 'user')
    const folder = join(server.home, 'harbour')
    for (const each of [userData, join(server.home, 'data'), folder]) await mkdir(each)
    for (const data of [userData, join(server.home, 'data')])
      await writeFile(join(data, 'settings.json'), JSON.stringify({ theme }))
    await writeFile(join(folder, 'berths.ts'), code)
    await trustFolder(join(server.home, 'data'), folder)
    const context = await browser.newContext({
      viewport: { width: 1280, height: 720 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    })
    desktop = await launchForHosts(context, server, home)
    const first = await desktop.page()
    await first.locator('.workbench').waitFor()
    await runPalette(first, 'Connect to host')
    await first.getByRole('dialog').getByRole('option').first().waitFor()
    await take(first, 'remote-connect', first.locator('body'))
    await first.keyboard.press('Escape')
    const page = await connectToHost(first, desktop, 'devbox')
    await openFolderThere(page, folder)
    await openFile(page, 'berths.ts')
    await runPalette(page, 'New terminal')
    await page.getByTestId('terminal').locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
    await page.keyboard.type('uname -sm && getconf GNU_LIBC_VERSION\n')
    await page
      .getByTestId('terminal')
      .locator('.xterm-rows')
      .getByText(/^glibc/)
      .waitFor()
    await take(page, 'remote', page.locator('body'))
    server.isDown = true
    server.cut()
    await page.getByText('The connection to SSH: devbox was lost.').waitFor()
    await take(page, 'remote-reconnecting', page.locator('body'))
  } finally {
    await desktop?.end()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  }
}
