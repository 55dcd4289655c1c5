import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test, type App } from '../support/app.ts'
import { gitIn, repository, showGit } from '../support/git.ts'
import { runCommand } from '../scenarios/runCommand.ts'
import { twoConversations } from '../scenarios/twoConversations.ts'
import { focusEditor, openFile, runPalette, send, tab } from '../support/window.ts'
import type { Desktop } from './desktop.ts'

/** These stories run in the desktop harness only (playwright.config.ts). */
function desktopOf(app: App): Desktop {
  if (app.desktop === undefined) throw new Error('This story needs the desktop harness.')
  return app.desktop
}

async function typeInto(app: App, name: string, text: string): Promise<void> {
  await openFile(app.page, name)
  await focusEditor(app.page)
  await app.page.keyboard.press('Control+Home')
  await app.page.keyboard.type(text)
  await expect(tab(app.page, name)).toHaveAccessibleName(/unsaved/)
}

test('the window is isolated, has a menu bar, and shows a dialog when it closes with unsaved files', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' } })
  const desktop = desktopOf(app)
  await test.step('the page is isolated and sandboxed, and has no permission except copying', async () => {
    const [state] = await desktop.windows()
    expect(state?.webPreferences).toEqual({
      preload: expect.stringMatching(/out\/preload\/index\.cjs$/),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      spellcheck: false,
    })
    expect(state?.webRtcPolicy).toBe('disable_non_proxied_udp')
    const permissions = await app.page.evaluate(async () => {
      const states: Record<string, string> = {}
      for (const name of [
        'geolocation',
        'notifications',
        'camera',
        'microphone',
        'midi',
        'clipboard-read',
        'clipboard-write',
      ])
        states[name] = (await navigator.permissions.query({ name: name as PermissionName })).state
      return states
    })
    expect(Object.entries(permissions).filter(([, granted]) => granted === 'granted')).toEqual([
      ['clipboard-write', 'granted'],
    ])
  })

  await test.step('the menu bar lists the commands with their keys, and runs them once', async () => {
    const menu = await desktop.menu()
    expect(menu.map(({ label }) => label)).toEqual(['File', 'Edit', 'View', 'Go', 'Run', 'Chat', 'Terminal', 'Help'])
    expect(menu[0]?.items).toContainEqual(
      expect.objectContaining({
        label: 'Save',
        accelerator: process.platform === 'darwin' ? 'Cmd+S' : 'Ctrl+S',
        enabled: true,
      }),
    )

    await desktop.clickMenu('View', 'Toggle side bar')
    await expect(app.page.getByRole('treeitem', { name: 'a.txt' })).toBeHidden()
    // The window handles the key. The menu only shows it.
    await app.page.keyboard.press('Control+b')
    await expect(app.page.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()

    await typeInto(app, 'a.txt', 'typed ')
    await desktop.clickMenu('File', 'Save')
    await expect(tab(app.page, 'a.txt')).toHaveAccessibleName('a.txt')
    expect(await readFile(app.path('a.txt'), 'utf8')).toBe('typed alpha\n')
  })

  await test.step('closing a window with unsaved files shows a dialog: Cancel keeps it open, Save all saves and closes it', async () => {
    await typeInto(app, 'a.txt', 'kept ')
    await desktop.closeWindow()
    const first = await desktop.dialog()
    expect(first.shown).toMatchObject({
      kind: 'message',
      message: 'a.txt has unsaved changes.',
      buttons: ['Save all', 'Discard', 'Cancel'],
    })
    await first.press('Cancel')
    await expect(tab(app.page, 'a.txt')).toHaveAccessibleName(/unsaved/)

    await desktop.clickMenu('File', 'Quit')
    await (await desktop.dialog()).press('Save all')
    expect(await desktop.exited).toBe(0)
    expect(await readFile(app.path('a.txt'), 'utf8')).toBe('kept typed alpha\n')
  })
})

test('the window opens at its previous position, and unsaved text survives a shutdown and a crash of its page', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' } })
  await test.step('the window opens at its previous position', async () => {
    const desktop = desktopOf(app)
    expect(await desktop.windows()).toEqual([
      expect.objectContaining({
        visible: true,
        url: 'app://tizona/index.html',
        bounds: { x: 0, y: 0, width: 1440, height: 900 },
      }),
    ])
    const bounds = { x: 120, y: 80, width: 1000, height: 700 }
    await desktop.changeWindow({ bounds })
    await desktop.closeWindow()
    expect(await desktop.exited).toBe(0)
    await app.restart('SIGTERM')
    expect((await desktopOf(app).windows())[0]?.bounds).toEqual(bounds)
    expect(app.page.viewportSize()).toEqual({ width: 1000, height: 700 })
  })

  await test.step('a system shutdown ends the application without a prompt, and unsaved text is restored', async () => {
    await typeInto(app, 'a.txt', 'typed ')
    await app.restart('SIGTERM')
    await expect(tab(app.page, 'a.txt')).toHaveAccessibleName(/unsaved/)
  })

  await test.step('a crashed page is loaded again with its tabs and unsaved text', async () => {
    const desktop = desktopOf(app)
    await typeInto(app, 'a.txt', 'typed ')
    const crashed = app.page
    await desktop.crashPage()
    const dialog = await desktop.dialog()
    expect(dialog.shown).toMatchObject({ message: 'The window stopped working.', buttons: ['Reload', 'Close'] })
    await dialog.press('Reload')
    await expect.poll(async () => (await desktop.page()) === crashed).toBe(false)
    await expect(tab(await desktop.page(), 'a.txt')).toHaveAccessibleName(/unsaved/)
  })
})

test('each folder has a window of its own: they share the settings, and closing one leaves the other', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' }, settings: { theme: 'dark' } })
  const desktop = desktopOf(app)
  await desktop.changeWindow({ minimized: true })
  const other = join(app.workspace, '..', 'other')
  await mkdir(other)
  await writeFile(join(other, 'there.txt'), 'beta\n')
  const second = await desktop.startAgain([other])
  expect(await second.exited).toBe(0)
  await expect.poll(async () => (await desktop.windows()).filter(({ visible }) => visible).length).toBe(2)
  const [first, added] = await desktop.windows()
  expect(first).toMatchObject({ minimized: true, focused: false })
  expect(added).toMatchObject({ focused: true })
  const page = await desktop.pageOf(added?.id ?? 0)
  await expect(page.getByRole('treeitem', { name: 'there.txt' })).toBeVisible()
  await expect(page.getByRole('treeitem', { name: 'a.txt' })).toHaveCount(0)

  // The menu acts on the window in front; the setting applies to both.
  await desktop.clickMenu('View', 'Toggle between light and dark theme')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await expect(app.page.locator('html')).toHaveAttribute('data-theme', 'light')

  // The folder of the first window is open, so that window comes to the front.
  const third = await desktop.startAgain([app.workspace])
  expect(await third.exited).toBe(0)
  await expect.poll(async () => (await desktop.windows())[0]).toMatchObject({ minimized: false, focused: true })
  expect(await desktop.windows()).toHaveLength(2)

  await desktop.closeWindow(added?.id)
  await expect.poll(async () => (await desktop.windows()).length).toBe(1)
  await typeInto(app, 'a.txt', 'still ')
  await app.page.keyboard.press('Control+s')
  await expect(tab(app.page, 'a.txt')).toHaveAccessibleName('a.txt')
  expect(await readFile(app.path('a.txt'), 'utf8')).toBe('still alpha\n')

  await desktop.clickMenu('File', 'New window')
  await expect.poll(async () => (await desktop.windows()).filter(({ visible }) => visible).length).toBe(2)
  const empty = (await desktop.windows()).at(-1)
  await expect((await desktop.pageOf(empty?.id ?? 0)).getByRole('button', { name: 'Open folder' })).toBeVisible()
  await desktop.closeWindow(empty?.id)
  await expect.poll(async () => (await desktop.windows()).length).toBe(1)

  const locks = async () =>
    (await readdir(join(app.workspace, '..', 'user'))).filter((name) => name.startsWith('Singleton')).toSorted()
  expect(await locks()).toEqual(['SingletonLock', 'SingletonSocket'])
  await desktop.closeWindow()
  expect(await desktop.exited).toBe(0)
  expect(await locks()).toEqual([])
})

test('a session in a worktree opens in a window of its own, and is removed once that is closed', async ({ launch }) => {
  const app = await launch(repository({ 'a.txt': 'alpha\n' }))
  const desktop = desktopOf(app)
  await showGit(app.page)
  await runPalette(app.page, 'New session in a worktree')
  await app.page.getByRole('textbox', { name: /^Name/ }).fill('feature')
  await app.page.getByRole('button', { name: 'Create session' }).click()
  await expect.poll(async () => (await desktop.windows()).filter(({ visible }) => visible).length).toBe(2)
  const added = (await desktop.windows()).find(({ focused }) => focused)
  const page = await desktop.pageOf(added?.id ?? 0)
  await expect(page.getByRole('treeitem', { name: 'a.txt' })).toBeVisible()
  await expect(page.getByRole('button', { name: /tizona\/feature/ }).first()).toBeVisible()

  await runPalette(app.page, 'Sessions in worktrees')
  const session = app.page.getByRole('option', { name: /^feature/ })
  await expect(session).toContainText('0 changed files, open')
  const remove = async () => {
    await session.click()
    await app.page.getByRole('option', { name: /^Remove/ }).click()
    await app.page.getByRole('button', { name: 'Remove session' }).click()
  }
  await remove()
  await expect(app.page.getByText(/The session "feature" is in use/)).toBeVisible()
  await desktop.closeWindow(added?.id)
  await expect.poll(async () => (await desktop.windows()).length).toBe(1)
  await runPalette(app.page, 'Sessions in worktrees')
  await remove()
  await expect(app.page.getByText('Removed the session "feature".')).toBeVisible()
  expect(await gitIn(app.workspace)('worktree', 'list', '--porcelain')).not.toContain('feature')
})

test('a session of another window is answered in the sessions view, which brings that window to the front', async ({
  launch,
}) => {
  const app = await launch({ ...repository({ 'a.txt': 'alpha\n' }), scenario: runCommand })
  const desktop = desktopOf(app)
  await showGit(app.page)
  await runPalette(app.page, 'New session in a worktree')
  await app.page.getByRole('textbox', { name: /^Name/ }).fill('feature')
  await app.page.getByRole('button', { name: 'Create session' }).click()
  await expect.poll(async () => (await desktop.windows()).filter(({ visible }) => visible).length).toBe(2)
  const added = (await desktop.windows()).find(({ focused }) => focused)
  const page = await desktop.pageOf(added?.id ?? 0)
  await send(page, 'run: echo second > out.txt')
  await expect(page.getByTestId('approval-card')).toBeVisible()

  await app.page.getByRole('button', { name: 'Show sessions' }).first().click()
  const row = app.page.getByRole('complementary', { name: 'Sessions' }).locator('.sessions-item[data-state=approval]')
  await expect(row).toContainText('tizona/feature')
  await expect(row.getByTestId('approval-card')).toHaveAttribute('data-armed', 'true')
  await row.getByRole('button', { name: 'Allow once' }).click()
  await expect(page.getByRole('article', { name: 'Answer' }).last()).toContainText('The model read:')
  await expect(page.getByTestId('approval-card')).toHaveCount(0)

  // A second start brings the window of its folder to the front.
  expect(await (await desktop.startAgain([app.workspace])).exited).toBe(0)
  await expect.poll(async () => (await desktop.windows())[0]?.focused).toBe(true)
  await app.page
    .getByRole('button', { name: /run: echo second/ })
    .first()
    .click()
  await expect
    .poll(async () => (await desktop.windows()).find(({ id }) => id === added?.id))
    .toMatchObject({ minimized: false, focused: true })
})

test('a turn goes on when its window is closed if the user wants it, and the tray brings the window back', async ({
  launch,
}) => {
  const app = await launch({
    ...repository({ 'a.txt': 'alpha\n' }),
    scenario: twoConversations,
    settings: { sessions: { folder: '', keepRunning: true } },
  })
  const desktop = desktopOf(app)
  await send(app.page, 'conversation one')
  await expect(app.page.getByText('Begin one.')).toBeVisible()
  await desktop.closeWindow()
  await expect
    .poll(async () => (await desktop.effects()).at(-1))
    .toEqual({
      kind: 'tray',
      toolTip: 'Tizona: sessions of 1 closed window are running',
    })
  await desktop.clickTray()
  await expect.poll(async () => (await desktop.windows()).length).toBe(1)
  const [shown] = await desktop.windows()
  const page = await desktop.pageOf(shown?.id ?? 0)
  await expect(page.getByText('Begin one.')).toBeVisible()
  await expect.poll(async () => (await desktop.effects()).at(-1)).toEqual({ kind: 'trayRemoved' })

  // Without a window, Tizona ends with the last turn.
  await desktop.closeWindow(shown?.id)
  await expect.poll(async () => (await desktop.effects()).at(-1)?.kind).toBe('tray')
  app.endpoint?.release('one')
  expect(await desktop.exited).toBe(0)
})

test('tries of a task go on when their window is closed if the user wants it, and end with Tizona otherwise', async ({
  launch,
}) => {
  for (const keepRunning of [true, false]) {
    const app = await launch({
      ...repository({ 'a.txt': 'alpha\n' }),
      scenario: twoConversations,
      settings: { sessions: { folder: '', keepRunning } },
    })
    const desktop = desktopOf(app)
    await expect(app.page.getByRole('button', { name: /^Branch main/ })).toBeVisible()
    await app.page.getByRole('textbox', { name: 'Message', exact: true }).fill('conversation one')
    await runPalette(app.page, 'Try several times')
    await app.page.getByRole('button', { name: 'Start 3 tries' }).click()
    const table = app.page.getByRole('dialog', { name: 'Tries of a task' })
    await expect(table.getByText('Working')).toHaveCount(3)
    // Those without a window of their own are not windows.
    expect(await desktop.windows()).toHaveLength(1)
    const worktrees = await gitIn(app.workspace)('worktree', 'list')
    await desktop.closeWindow()
    if (keepRunning) {
      await expect
        .poll(async () => (await desktop.effects()).at(-1))
        .toEqual({ kind: 'tray', toolTip: 'Tizona: sessions of 1 closed window are running' })
      app.endpoint?.release('one')
    } else {
      const question = await desktop.dialog()
      expect(question.shown).toMatchObject({ message: 'A turn or a command is running in this window.' })
      await question.press('Stop and close')
    }
    expect(await desktop.exited).toBe(0)
    const stored: unknown = JSON.parse(await readFile(join(dirname(app.workspace), 'user', 'sessions.json'), 'utf8'))
    const outcomes = [...JSON.stringify(stored).matchAll(/"outcome":"(\w+)"/g)].map(([, outcome]) => outcome)
    expect(outcomes).toEqual(Array.from({ length: 3 }, () => (keepRunning ? 'done' : 'cancelled')))
    expect(await gitIn(app.workspace)('worktree', 'list')).toBe(worktrees)
  }
})

test('leaving a folder whose turn runs asks first, or lets it go on if the user wants that', async ({ launch }) => {
  const start = (keepRunning: boolean) =>
    launch({
      ...repository({ 'a.txt': 'alpha\n' }),
      scenario: twoConversations,
      settings: { sessions: { folder: '', keepRunning } },
    })
  const asked = await start(false)
  await send(asked.page, 'conversation one')
  await expect(asked.page.getByText('Begin one.')).toBeVisible()
  await runPalette(asked.page, 'Close folder')
  const question = asked.page.getByRole('dialog', { name: 'Stop what is running?' })
  await expect(question).toContainText('A turn or a command is running in this folder.')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(asked.page.getByText('Begin one.')).toBeVisible()
  await runPalette(asked.page, 'Close folder')
  await question.getByRole('button', { name: 'Stop and leave' }).click()
  await expect(asked.page.getByText('Begin one.')).toHaveCount(0)
  await desktopOf(asked).end()

  const kept = await start(true)
  const desktop = desktopOf(kept)
  await send(kept.page, 'conversation one')
  await expect(kept.page.getByText('Begin one.')).toBeVisible()
  const [before] = await desktop.windows()
  await runPalette(kept.page, 'Close folder')
  await expect.poll(async () => (await desktop.windows()).map(({ id }) => id === before?.id)).toEqual([false])
  await expect
    .poll(async () => (await desktop.effects()).at(-1))
    .toEqual({ kind: 'tray', toolTip: 'Tizona: sessions of 1 closed window are running' })
  const [empty] = await desktop.windows()
  const page = await desktop.pageOf(empty?.id ?? 0)
  await expect(page.locator('.workbench')).toBeVisible()
  await expect(page.getByText('Begin one.')).toHaveCount(0)
})
