import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { writeSmallBundle } from '../../src/main/hosts/remote/testing/smallBundle.ts'
import { missingSshProgram, startSshServer, type SshServer } from '../../src/main/hosts/remote/testing/sshServer.ts'
import { expect, test, type App } from '../support/app.ts'
import { trustFolder } from '../support/trust.ts'
import { focusEditor, lastAnswer, openFile, runPalette, send, tab } from '../support/window.ts'
import { scenarios } from '../scenarios/index.ts'
import type { Desktop } from './desktop.ts'

/** Stories about windows on another machine: a real OpenSSH server on loopback, with a home folder of its own. */
test.skip(missingSshProgram !== undefined, `${missingSshProgram} is not installed`)

let bundles: string
let server: SshServer

test.beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'tizona-bundles-'))
  await writeSmallBundle(bundles)
})
test.afterAll(() => rm(bundles, { recursive: true, force: true }))
test.beforeEach(async () => {
  server = await startSshServer()
  process.env['TIZONA_SSH_CONFIG'] = server.config
  process.env['TIZONA_SERVER_BUNDLES'] = bundles
})
test.afterEach(async () => {
  delete process.env['TIZONA_SSH_CONFIG']
  delete process.env['TIZONA_SERVER_BUNDLES']
  await server.stop()
})

function desktopOf(app: App): Desktop {
  if (app.desktop === undefined) throw new Error('This story needs the desktop harness.')
  return app.desktop
}

/** Chooses a host in the picker, and returns the page of the window that opens. */
async function connect({ page }: App, desktop: Desktop, address: string): Promise<Page> {
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

async function openFolderThere(page: Page, folder: string): Promise<void> {
  await runPalette(page, 'Open folder…')
  const field = page.getByRole('textbox', { name: 'Folder path' })
  await field.fill(folder)
  await page.getByRole('button', { name: 'Open this folder' }).click()
  await expect(page.getByRole('tree', { name: 'Files' }).or(page.getByRole('treeitem').first()).first()).toBeVisible()
}

/** A trusted folder on the host, which uses the scripted model. */
async function folderThere(app: App): Promise<string> {
  const folder = join(server.home, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'a.txt'), 'alpha\n')
  await trustFolder(join(server.home, 'data'), folder)
  await copyFile(join(app.workspace, '..', 'user', 'settings.json'), join(server.home, 'data', 'settings.json'))
  return folder
}

test('a folder on another machine is opened, edited and saved, and the connection returns with keys, terminal and turn', async ({
  launch,
}) => {
  test.setTimeout(180_000)
  const app = await launch({ noFolder: true, scenario: scenarios.slowAnswer })
  const desktop = desktopOf(app)
  const folder = await folderThere(app)
  const page = await connect(app, desktop, 'box')

  await test.step('the window names the host, and opens a folder there', async () => {
    await expect(page.getByRole('button', { name: 'Connected to SSH: box. Connect to another host.' })).toBeVisible()
    await openFolderThere(page, folder)
    await expect(page).toHaveTitle('project [SSH: box] — Tizona')
  })

  await test.step('a file is edited and saved', async () => {
    await openFile(page, 'a.txt')
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('beta ')
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(join(folder, 'a.txt'), 'utf8')).toBe('beta alpha\n')
  })

  await test.step('keys, a terminal and a turn survive a cut', async () => {
    await runPalette(page, 'New terminal')
    const terminal = page.getByTestId('terminal')
    await expect(terminal.locator('.xterm-rows')).toContainText(/[$#]/)
    await send(page, 'slow middle')
    await expect(lastAnswer(page)).toContainText('I begin')
    server.isDown = true
    server.cut()
    await expect(page.getByText('The connection to SSH: box was lost.')).toBeVisible()
    await terminal.click()
    await page.keyboard.type('echo one$((1+1))three\n')
    await page.locator('.view-lines').first().click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('gamma ')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    app.endpoint?.release('go')
    server.isDown = false
    await page.getByRole('button', { name: 'Reconnect now' }).click()
    await expect(page.getByText('The connection to SSH: box was lost.')).toBeHidden()
    await expect(terminal.locator('.xterm-rows')).toContainText('one2three')
    await expect(lastAnswer(page)).toContainText('I begin and I end.')
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(join(folder, 'a.txt'), 'utf8')).toBe('gamma beta alpha\n')
  })
})
