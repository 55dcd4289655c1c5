import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { checkView } from './support/accessibility.ts'
import { expect, onlyBrowser, test, type App, type LaunchOptions } from './support/app.ts'
import { focusEditor, openFile, runPalette, shownText, tab } from './support/window.ts'
import { withoutServers } from './support/settings.ts'
import { trustFolder } from './support/trust.ts'

const workspaceText = JSON.stringify({ folders: [{ path: 'api' }, { path: 'web/site' }], settings: {} }, null, 2)

const project: LaunchOptions = {
  files: {
    'all.code-workspace': workspaceText,
    'api/server.ts': 'export const port = 8080\n',
    'api/src/routes.ts': 'export const routes = ["needle"]\n',
    'web/site/index.html': '<p>needle</p>\n',
    'web/site/server.ts': 'export const other = 1\n',
    '../other/notes.txt': 'note\n',
  },
}

/** Starts with everything in the temporary folder trusted, so that the folders of a workspace are. */
async function start(launch: (options: LaunchOptions) => Promise<App>, options: LaunchOptions): Promise<App> {
  return launch({
    settings: withoutServers,
    ...options,
    trust: false,
    prepare: async (workspace) => {
      await trustFolder(join(dirname(workspace), 'user'), dirname(workspace))
      await options.prepare?.(workspace)
    },
  })
}

/** Answers the dialog of the desktop, or fills the picker of the browser host. */
async function pick(app: App, path: string): Promise<void> {
  if (app.desktop) {
    const { answer } = await app.desktop.dialog()
    return answer({ filePaths: [path] })
  }
  const dialog = app.page.getByRole('dialog')
  const field = dialog.getByRole('textbox').first()
  // The first listing would be part of the path.
  await expect(field).not.toHaveValue('')
  await field.fill(path)
  // The first Enter lists a folder. Once it is listed, another one chooses it.
  await expect(async () => {
    // On a busy machine, the dialog of an earlier Enter closes only now.
    if ((await dialog.count()) > 0) await field.press('Enter', { timeout: 1000 })
    await expect(dialog).toHaveCount(0, { timeout: 500 })
  }).toPass()
}

async function saveAs(app: App, path: string): Promise<void> {
  if (app.desktop) {
    const { shown, answer } = await app.desktop.dialog()
    expect(shown.kind).toBe('save')
    return answer({ filePath: path })
  }
  const dialog = app.page.getByRole('dialog')
  const folder = dialog.getByRole('textbox', { name: 'Folder path' })
  await expect(folder).not.toHaveValue('')
  await folder.fill(dirname(path))
  await dialog.getByRole('textbox', { name: 'File name' }).fill(path.slice(path.lastIndexOf('/') + 1))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toHaveCount(0)
}

const roots = (page: Page) => page.locator('.explorer-row[data-top="true"]')

async function openWorkspace(app: App): Promise<void> {
  await runPalette(app.page, 'Open workspace from file')
  await pick(app, app.path('all.code-workspace'))
  await expect(roots(app.page)).toHaveText(['api', 'site'])
}

test('a workspace file opens its folders: edits in each, search over both, and axe', async ({ launch }) => {
  const app = await start(launch, project)
  const { page } = app
  await openWorkspace(app)
  await expect(page).toHaveTitle(/^all \(workspace\)/)
  await checkView(page, 'explorer with two folders')

  await openFile(page, 'api/server.ts')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('// api')
  await page.keyboard.press('Control+s')
  await expect.poll(() => readFile(app.path('api/server.ts'), 'utf8')).toBe('export const port = 8080\n// api')

  await page.getByRole('treeitem', { name: 'index.html' }).click()
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('<p>site</p>')
  await page.keyboard.press('Control+s')
  await expect.poll(() => readFile(app.path('web/site/index.html'), 'utf8')).toContain('<p>site</p>')

  await test.step('search finds matches in both, and ./site limits it', async () => {
    await page.keyboard.press('Control+Shift+f')
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill('needle')
    const files = page.getByRole('tree').getByRole('treeitem', { level: 1 })
    await expect(files).toHaveCount(2)
    await page.getByRole('button', { name: 'Files to include or exclude' }).click()
    await page.getByRole('textbox', { name: 'Files to include' }).fill('./site')
    await expect(files).toHaveCount(1)
    await expect(files).toContainText('index.html')
  })
})

test('a folder is added to a window with unsaved text, removed, and the workspace saved and reopened', async ({
  launch,
}) => {
  const app = await start(launch, project)
  const { page } = app
  await page.getByRole('treeitem', { name: 'api' }).click()
  await openFile(page, 'api/server.ts')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('// unsaved')
  await expect(tab(page, 'server.ts')).toHaveAccessibleName(/unsaved/)

  await runPalette(page, 'New terminal')
  await expect(page.locator('.xterm-helper-textarea').first()).toBeFocused()
  await page.keyboard.type('kept=$((40+2))')
  await page.keyboard.press('Enter')
  const terminal = page.locator('.xterm-rows').first()

  await test.step('nothing is lost when a folder is added', async () => {
    await runPalette(page, 'Add folder to workspace')
    await pick(app, join(dirname(app.workspace), 'other'))
    await expect(roots(page)).toHaveText(['workspace', 'other'])
    await expect(page).toHaveTitle(/^Untitled \(workspace\)/)
    await expect(tab(page, 'server.ts')).toHaveAccessibleName(/unsaved/)
    await expect.poll(() => shownText(page)).toContain('// unsaved')
    await expect(page.getByRole('treeitem', { name: 'api' })).toHaveAttribute('aria-expanded', 'true')
    await focusEditor(page)
    await page.keyboard.press('Control+z')
    await expect.poll(() => shownText(page)).not.toContain('// unsaved')
    await page.keyboard.press('Control+y')
    await page.locator('.xterm-helper-textarea').first().focus()
    await page.keyboard.type('echo "<$kept>"')
    await page.keyboard.press('Enter')
    await expect(terminal).toContainText('<42>')
    await app.reload()
    await expect(tab(page, 'server.ts')).toHaveAccessibleName(/unsaved/)
    await expect.poll(() => shownText(page)).toContain('// unsaved')
    await focusEditor(page)
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(app.path('api/server.ts'), 'utf8')).toBe('export const port = 8080\n// unsaved')
  })

  const file = join(dirname(app.workspace), 'saved.code-workspace')
  await test.step('the workspace is saved', async () => {
    await runPalette(page, 'Save workspace as')
    await saveAs(app, file)
    await expect(page).toHaveTitle(/^saved \(workspace\)/)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      folders: [{ path: 'workspace' }, { path: 'other' }],
    })
    await expect(tab(page, 'server.ts')).toBeVisible()
  })

  await test.step('Delete on a folder removes it from the workspace only', async () => {
    await openFile(page, 'other/notes.txt')
    await page.getByRole('treeitem', { name: 'other' }).click()
    await page.keyboard.press('Delete')
    await expect(roots(page)).toHaveText(['workspace'])
    await expect(tab(page, 'notes.txt')).toHaveCount(0)
    await expect(tab(page, 'server.ts')).toBeVisible()
    await page.locator('.xterm-helper-textarea').first().focus()
    await page.keyboard.type('echo "[$kept]"')
    await page.keyboard.press('Enter')
    await expect(terminal).toContainText('[42]')
    expect(await readFile(join(dirname(app.workspace), 'other/notes.txt'), 'utf8')).toBe('note\n')
  })

  await test.step('it is reopened from the recent ones', async () => {
    await runPalette(page, 'Close workspace')
    const recent = page.getByRole('main').getByRole('button', { name: /^saved \(workspace\)/ })
    await recent.click()
    await expect(roots(page)).toHaveText(['workspace'])
    await expect(tab(page, 'server.ts')).toBeVisible()
  })
})

test('keyboard alone: the explorer, quick open, a terminal in a folder, and the menu of a folder', async ({
  launch,
}) => {
  const app = await start(launch, project)
  const { page } = app
  await openWorkspace(app)
  await page.keyboard.press('Control+Shift+e')
  await expect(page.getByRole('tree', { name: 'Files' })).toBeFocused()

  await test.step('arrows, and what a folder of the workspace refuses', async () => {
    await page.keyboard.press('Home')
    const api = page.getByRole('treeitem', { name: 'api' })
    await expect(api).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('F2')
    await expect(page.getByRole('textbox', { name: /name/i })).toHaveCount(0)
    await page.keyboard.press('ArrowLeft')
    await expect(api).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'File actions' })
    await expect(menu.getByRole('menuitem', { name: /Remove folder from workspace/ })).toBeVisible()
    await expect(menu.getByRole('menuitem', { name: /Rename|Delete|Cut/ })).toHaveCount(0)
    await checkView(page, 'menu of a folder of the workspace', { only: ['[role=menu]'] })
    await page.keyboard.press('Escape')
  })

  await test.step('a new file is made in the chosen folder', async () => {
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByRole('treeitem', { name: 'site' })).toHaveAttribute('aria-selected', 'true')
    await runPalette(page, 'New file…')
    await page.keyboard.type('new.txt')
    await page.keyboard.press('Enter')
    await expect(tab(page, 'new.txt')).toBeVisible()
    expect(await readFile(app.path('web/site/new.txt'), 'utf8')).toBe('')
  })

  await test.step('tabs with equal names show their folders', async () => {
    await openFile(page, 'api/server.ts')
    await page.keyboard.press('Control+p')
    const box = page.getByRole('combobox', { name: 'Go to' })
    await box.fill('site/server.ts')
    await expect(page.getByRole('dialog').getByRole('option')).toHaveText([/server\.ts\s*site/])
    await box.press('Enter')
    await expect(page.locator('.editor-group [role=tab]').filter({ hasText: 'server.ts' })).toHaveText([
      /server\.ts\s*api/,
      /server\.ts\s*site/,
    ])
  })

  await test.step('a new terminal asks for its folder', async () => {
    await runPalette(page, 'New terminal')
    const picker = page.getByRole('combobox', { name: 'Select current working directory for new terminal' })
    await picker.fill('site')
    await page.keyboard.press('Enter')
    await expect(page.locator('.xterm-helper-textarea').first()).toBeFocused()
    await page.keyboard.type('pwd')
    await page.keyboard.press('Enter')
    await expect(page.locator('.xterm-rows').first()).toContainText('web/site')
  })
})

test('the file of a workspace is edited by hand, in a tab and outside', async ({ launch }) => {
  const app = await start(launch, {
    ...project,
    files: {
      ...project.files,
      'api/all.code-workspace': JSON.stringify({ folders: [{ path: '.' }, { path: '../web/site' }] }),
    },
  })
  const { page } = app
  await runPalette(page, 'Open workspace from file')
  await pick(app, app.path('api/all.code-workspace'))
  await expect(roots(page)).toHaveText(['api', 'site'])
  await openFile(page, 'api/server.ts')

  await test.step('a name that is changed outside keeps the tab', async () => {
    const named = { folders: [{ path: '.', name: 'service' }, { path: '../web/site' }] }
    await writeFile(app.path('api/all.code-workspace'), JSON.stringify(named))
    await expect(roots(page)).toHaveText(['service', 'site'])
    await expect(tab(page, 'server.ts')).toBeVisible()
    await expect.poll(() => shownText(page)).toContain('port = 8080')
  })

  await test.step('a broken file keeps the folders', async () => {
    await openFile(page, 'service/all.code-workspace')
    await focusEditor(page)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('nonsense')
    await page.keyboard.press('Control+s')
    await expect(page.getByText(/is not a workspace file.*The folders stay as they are/)).toBeVisible()
    await expect(roots(page)).toHaveText(['service', 'site'])
  })

  await test.step('the corrected file applies', async () => {
    const sorted = { folders: [{ path: '../web/site' }, { path: '.', name: 'service' }] }
    await writeFile(app.path('api/all.code-workspace'), JSON.stringify(sorted))
    await expect(roots(page)).toHaveText(['site', 'service'])
    await expect(tab(page, 'all.code-workspace')).toBeVisible()
  })
})

test('a file is dragged from one folder to another with the mouse', async ({ launch }) => {
  const app = await start(launch, project)
  const { page } = app
  await openWorkspace(app)
  await openFile(page, 'site/index.html')
  const tree = page.getByRole('tree', { name: 'Files' })
  await tree.getByRole('treeitem', { name: 'index.html' }).dragTo(tree.getByRole('treeitem', { name: 'api' }))
  await expect.poll(() => readFile(app.path('api/index.html'), 'utf8').catch(() => '')).toBe('<p>needle</p>\n')
  await expect(readFile(app.path('web/site/index.html'))).rejects.toThrow('ENOENT')
  await expect(tree.locator('[data-path="api/index.html"]')).toBeVisible()
  await expect(tab(page, 'index.html')).toBeVisible()
})

test('two folders of one name, a long name, a missing folder, and a small window', async ({ launch }) => {
  const long = 'a-folder-with-a-name-that-does-not-fit-into-the-side-bar-of-a-small-window'
  const app = await start(launch, {
    files: {
      'one/docs/a.md': 'a\n',
      'two/docs/b.md': 'b\n',
      [`${long}/c.md`]: 'c\n',
      'all.code-workspace': JSON.stringify({
        folders: [{ path: 'one/docs' }, { path: 'two/docs' }, { path: long }, { path: 'gone' }],
      }),
    },
  })
  const { page } = app
  await openFile(page, 'all.code-workspace')
  const bar = page.getByRole('note').filter({ hasText: 'This file describes a workspace.' })
  await checkView(page, 'a workspace file in a tab', { only: ['.editor-bars'] })
  await bar.getByRole('button', { name: 'Open workspace' }).click()
  await expect(roots(page)).toHaveText(['docs', 'docs-2', long])
  await expect(page.getByRole('list', { name: 'Folders that are not shown' })).toContainText('gone')
  await page.setViewportSize({ width: 900, height: 600 })
  await openFile(page, 'docs-2/b.md')
  await expect.poll(() => shownText(page)).toContain('b')
  await expect(page.getByRole('treeitem', { name: 'b.md' })).toHaveAttribute('aria-selected', 'true')
  await checkView(page, 'a workspace in a small window')
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBe(900)
})

test('a workspace is trusted as a whole', async ({ launch }) => {
  const app = await launch({ ...project, trust: false })
  const { page } = app
  await openWorkspace(app)
  await page.getByRole('region', { name: 'Folder trust' }).getByRole('button', { name: 'Review…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Trust this workspace?' })
  const places = dialog.getByRole('list', { name: 'Folders of the workspace' })
  await expect(places.getByRole('listitem')).toContainText(['api', 'web/site', 'all.code-workspace'])
  await checkView(page, 'trust dialog of a workspace', { only: ['dialog'] })
  await dialog.getByRole('button', { name: 'Trust workspace' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Folder trust' })).toHaveCount(0)
})

test('the pickers for a workspace file and for its place', onlyBrowser, async ({ launch }) => {
  const app = await start(launch, project)
  const { page } = app
  await runPalette(page, 'Open workspace from file')
  const dialog = page.getByRole('dialog', { name: 'Open workspace from file' })
  await dialog.getByRole('option', { name: 'workspace', exact: true }).click()
  await checkView(page, 'picker of a workspace file', { only: ['dialog'] })
  await dialog.getByRole('option', { name: 'all.code-workspace' }).click()
  await expect(roots(page)).toHaveText(['api', 'site'])
  await runPalette(page, 'Save workspace as')
  const save = page.getByRole('dialog', { name: 'Save workspace as' })
  await expect(save.getByRole('textbox', { name: 'File name' })).toHaveValue('all.code-workspace')
  await checkView(page, 'picker for saving a workspace', { only: ['dialog'] })
  await save.getByRole('textbox', { name: 'File name' }).fill('copy.code-workspace')
  await page.keyboard.press('Enter')
  await expect(page).toHaveTitle(/^copy \(workspace\)/)
})
