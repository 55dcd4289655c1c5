import { execFileSync } from 'node:child_process'
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSmallBundle } from '../../src/main/hosts/remote/testing/smallBundle.ts'
import { missingSshProgram, startSshServer, type SshServer } from '../../src/main/hosts/remote/testing/sshServer.ts'
import { checkView, inDialog, violations } from '../support/accessibility.ts'
import { expect, test, type App } from '../support/app.ts'
import { connectToHost, openFolderThere } from '../support/remoteWindows.ts'
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
  const page = await connectToHost(app.page, desktop, 'box')

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
    await checkView(page, 'a window without its connection')
    await terminal.click()
    await page.keyboard.type('echo one$((1+1))three\n')
    await page.locator('.view-lines').first().click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('gamma ')
    await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
    app.endpoint?.release('go')
    server.isDown = false
    await page.getByRole('button', { name: 'Reconnect now' }).press('Enter')
    await expect(page.getByText('The connection to SSH: box was lost.')).toBeHidden()
    await expect(terminal.locator('.xterm-rows')).toContainText('one2three')
    await expect(lastAnswer(page)).toContainText('I begin and I end.')
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(join(folder, 'a.txt'), 'utf8')).toBe('gamma beta alpha\n')
  })
})

test('a terminal that printed more than the connection keeps is shown again as it is', async ({ launch }) => {
  test.setTimeout(240_000)
  const app = await launch({ noFolder: true })
  const folder = await folderThere(app)
  const page = await connectToHost(app.page, desktopOf(app), 'box')
  await openFolderThere(page, folder)
  await openFile(page, 'a.txt')
  await runPalette(page, 'New terminal')
  const terminal = page.getByTestId('terminal')
  const rows = terminal.locator('.xterm-rows')
  await expect(rows).toContainText(/[$#]/)
  await terminal.click()
  await page.keyboard.type('PS1="ready> "; clear; while [ ! -e go ]; do sleep 0.1; done; seq 5000000; touch done\n')
  await expect(rows).toContainText('while')
  server.isDown = true
  server.cut()
  await expect(page.getByText('The connection to SSH: box was lost.')).toBeVisible()
  await writeFile(join(folder, 'go'), '')
  await writeFile(join(folder, 'a.txt'), 'changed meanwhile\n')
  await expect.poll(() => readFile(join(folder, 'done'), 'utf8').catch(() => null), { timeout: 120_000 }).toBe('')
  server.isDown = false
  await page.getByRole('button', { name: 'Reconnect now' }).click()
  await expect(rows).toContainText('5000000')
  await expect(rows).toContainText('ready>')
  await expect(rows).not.toContainText('while')
  // Typing goes on, and nothing is shown twice.
  await terminal.click()
  await page.keyboard.type('echo again$((1+1))\n')
  await expect(rows).toContainText('again2')
  expect((await rows.innerText()).split('4999999').length).toBe(2)
  await expect(page.locator('.view-lines').first()).toContainText('changed meanwhile')
})

test('a passphrase and a new host key are asked for in the window, and a failure says what to do', async ({
  launch,
}) => {
  test.setTimeout(120_000)
  const app = await launch({ noFolder: true })
  const { page } = app
  const key = join(server.folder, 'protected_key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'open sesame', '-f', key])
  await appendFile(join(server.folder, 'authorized_keys'), await readFile(`${key}.pub`))
  await server.addHost('protected', [
    `IdentityFile ${key}`,
    `UserKnownHostsFile ${join(server.folder, 'known_protected')}`,
    'StrictHostKeyChecking ask',
  ])

  await test.step('the dialogs show fingerprint and key, and pass the checks of WCAG', async () => {
    const connecting = connectToHost(page, desktopOf(app), 'protected')
    const confirm = page.getByRole('dialog', { name: 'Confirm the connection to' })
    await expect(confirm).toContainText('SHA256:')
    await checkView(page, 'confirmation of a host key', inDialog)
    await confirm.getByRole('button', { name: 'Yes' }).press('Enter')
    const passphrase = page.getByRole('dialog', { name: /^Passphrase for/ })
    await passphrase.getByRole('textbox').or(passphrase.locator('input')).first().fill('open sesame')
    await checkView(page, 'passphrase of a key', inDialog)
    await page.keyboard.press('Enter')
    const shown = await connecting
    await expect(shown.getByRole('button', { name: /^Connected to SSH: protected/ })).toBeVisible()
    await checkView(shown, 'window of a host')
  })

  await test.step('a host that cannot be reached', async () => {
    server.isDown = true
    await runPalette(page, 'Connect to host')
    const field = page.getByRole('combobox', { name: 'Connect to host' })
    await expect(page.getByRole('dialog').getByRole('option').first()).toBeVisible()
    await checkView(page, 'hosts', inDialog)
    await field.fill('box')
    await expect(page.getByRole('dialog').getByRole('option').first()).toContainText('box')
    await field.press('Enter')
    await expect(page.getByText('SSH: box could not be reached').first()).toBeVisible()
  })
})

test('unsaved text is kept when the server of the host is killed', async ({ launch }) => {
  test.setTimeout(240_000)
  const app = await launch({ noFolder: true, scenario: scenarios.slowAnswer })
  const folder = await folderThere(app)
  const page = await connectToHost(app.page, desktopOf(app), 'box')
  await openFolderThere(page, folder)
  await openFile(page, 'a.txt')
  await runPalette(page, 'New terminal')
  const terminal = page.getByTestId('terminal')
  await expect(terminal.locator('.xterm-rows')).toContainText(/[$#]/)
  await terminal.click()
  await page.keyboard.type('echo $PPID > server.pid\n')
  await expect.poll(() => readFile(join(folder, 'server.pid'), 'utf8').catch(() => '')).toMatch(/^\d+\n$/)
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('kept ')
  process.kill(Number(await readFile(join(folder, 'server.pid'), 'utf8')), 'SIGKILL')
  await page.keyboard.type('and more ')
  await expect(page.getByText('The server on SSH: box was restarted.').first()).toBeVisible({ timeout: 90_000 })
  await expect(tab(page, 'a.txt')).toHaveAccessibleName(/unsaved/)
  await page.keyboard.press('Control+s')
  await expect.poll(() => readFile(join(folder, 'a.txt'), 'utf8')).toBe('kept and more alpha\n')
})

test('a model server of this computer answers in a window on a host, also through a cut', async ({ launch }) => {
  test.setTimeout(180_000)
  const app = await launch({ noFolder: true, scenario: scenarios.slowAnswer })
  const folder = join(server.home, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'a.txt'), 'alpha\n')
  await trustFolder(join(server.home, 'data'), folder)
  const page = await connectToHost(app.page, desktopOf(app), 'box')
  await openFolderThere(page, folder)

  await test.step('the model picker offers it, marked as on this computer', async () => {
    await runPalette(page, 'Choose model')
    const row = page.getByRole('option', { name: /^Use .* on this computer/ })
    await expect(row).toContainText('The host may not use it yet.')
    await page.keyboard.press('Escape')
  })

  await test.step('the settings name where it runs, and allow it with the keyboard', async () => {
    await runPalette(page, 'Settings')
    const endpoint = page.getByTestId('endpoint').filter({ hasText: 'on this computer' })
    await expect(endpoint).toContainText(app.endpoint?.url.replace('127.0.0.1', 'this-computer') ?? '')
    await endpoint.getByRole('button', { name: /^Use .* on this computer$/ }).press('Enter')
    await expect(endpoint).toContainText('1 model: scripted')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Add endpoint' }).press('Enter')
    await page.getByRole('combobox', { name: 'Runs on' }).selectOption('This computer')
    await expect(page.getByText('Address and key stay on this computer.')).toBeVisible()
    expect(await violations(page)).toEqual([])
  })

  await test.step('a turn streams, and goes on after a cut in its middle', async () => {
    await send(page, 'slow middle')
    await expect(lastAnswer(page)).toContainText('I begin')
    server.isDown = true
    server.cut()
    await expect(page.getByText('The connection to SSH: box was lost.')).toBeVisible()
    app.endpoint?.release('go')
    server.isDown = false
    await page.getByRole('button', { name: 'Reconnect now' }).click()
    await expect(lastAnswer(page)).toContainText('I begin and I end.')
    await send(page, 'slow start')
    await expect(lastAnswer(page)).toContainText('Here I am at last.')
  })
})

test('windows of hosts are opened again at the next start, and none waits for a host', async ({ launch }) => {
  test.setTimeout(240_000)
  const app = await launch({ noFolder: true, ownProcess: true })
  const folder = await folderThere(app)
  const page = await connectToHost(app.page, desktopOf(app), 'box')
  await openFolderThere(page, folder)
  const here = join(app.workspace, '..', 'here')
  await mkdir(here)
  await writeFile(join(here, 'here.txt'), 'here\n')
  await desktopOf(app).emit({ name: 'open-file', path: here })
  await expect(app.page.getByRole('treeitem', { name: 'here.txt' })).toBeVisible()
  server.isDown = true
  await app.restart('SIGTERM')
  const desktop = desktopOf(app)
  await expect.poll(async () => (await desktop.windows()).length, { timeout: 60_000 }).toBe(2)
  const pages = await Promise.all((await desktop.windows()).map(({ id }) => desktop.pageOf(id)))

  await test.step('the window of this machine works, and the other one shows what it waits for', async () => {
    const texts = await Promise.all(
      pages.map(async (each) => {
        await expect(each.getByText(/^here\.txt$|Connecting to SSH: box/).first()).toBeVisible()
        return each.getByText('Connecting to SSH: box').isVisible()
      }),
    )
    expect(texts.filter(Boolean)).toHaveLength(1)
    const there = pages[texts.indexOf(true)] ?? page
    await expect(there.getByText(`Connecting to SSH: box to open ${folder} again…`)).toBeVisible()
    await expect(there.getByRole('button', { name: 'Open folder' })).toBeHidden()
    expect(await violations(there)).toEqual([])
    server.isDown = false
    await there.getByRole('button', { name: 'Connect now' }).click()
    await expect(there.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()
    await expect(there).toHaveTitle('project [SSH: box] — Tizona')
  })
})
