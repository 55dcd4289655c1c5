import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { revealLabel, trashName } from '../../src/renderer/platform/platformLabels.ts'
import { expect, test, type App } from '../support/app.ts'
import { editor, openFile, tab } from '../support/window.ts'
import type { Desktop, Effect } from './desktop.ts'

/** Stories about files and folders of the system: file manager, trash, dragging in, recent folders. */
function desktopOf(app: App): Desktop {
  if (app.desktop === undefined) throw new Error('This story needs the desktop harness.')
  return app.desktop
}

const effectsOf = async (desktop: Desktop, kind: Effect['kind']) =>
  (await desktop.effects()).filter((effect) => effect.kind === kind)
const row = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })
const middle = { x: 700, y: 400 }

/** A folder with one file beside the workspace. */
async function folderBeside(app: App, name: string, file: string): Promise<string> {
  const folder = join(app.workspace, '..', name)
  await mkdir(folder)
  await writeFile(join(folder, file), 'beside\n')
  return folder
}

test('a file is shown in the file manager from the explorer and from its tab', async ({ launch }) => {
  const app = await launch({ files: { 'src/a.txt': 'alpha\n' } })
  const { page } = app
  const reveal = page.getByRole('menuitem', { name: revealLabel(process.platform) })
  await row(page, 'src').click({ button: 'right' })
  await reveal.click()
  await openFile(page, 'src/a.txt')
  await tab(page, 'a.txt').click({ button: 'right' })
  await reveal.click()
  await expect
    .poll(() => effectsOf(desktopOf(app), 'showItemInFolder'))
    .toEqual([
      { kind: 'showItemInFolder', path: app.path('src') },
      { kind: 'showItemInFolder', path: app.path('src/a.txt') },
    ])
})

test('Delete moves to the trash; Shift+Delete, or a failed move to the trash, deletes permanently after a confirmation', async ({
  launch,
}) => {
  const app = await launch({
    files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c.txt': 'gamma\n', 'kept.txt': 'delta\n' },
  })
  const { page } = app
  const desktop = desktopOf(app)
  await row(page, 'a.txt').click()
  await row(page, 'a.txt').press('Delete')
  await expect(row(page, 'a.txt')).toBeHidden()
  await expect(page.getByText(`Moved a.txt to the ${trashName(process.platform)}.`)).toBeVisible()
  expect(await effectsOf(desktop, 'trashItem')).toEqual([{ kind: 'trashItem', path: app.path('a.txt') }])
  expect(await readdir(join(app.workspace, '..', 'system', 'trash'))).toEqual([expect.stringContaining('a.txt')])

  const dialog = page.getByRole('dialog', { name: /permanently/ })
  await row(page, 'b.txt').click()
  await row(page, 'b.txt').press('Shift+Delete')
  await expect(dialog).toContainText('Delete b.txt permanently?')
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(row(page, 'b.txt')).toBeHidden()

  await desktop.setTrash(false)
  await row(page, 'c.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: `Move to ${trashName(process.platform)}` }).click()
  await expect(dialog).toContainText('Failed to move item to trash')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  expect(existsSync(app.path('c.txt'))).toBe(true)
  await row(page, 'c.txt').click()
  await row(page, 'c.txt').press('Delete')
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(row(page, 'c.txt')).toBeHidden()
  expect(await readdir(app.workspace)).toEqual(['kept.txt'])
  expect(await effectsOf(desktop, 'trashItem')).toHaveLength(1)
})

test('a folder dragged onto the window opens; files open in tabs', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n', 'src/b.txt': 'beta\n' } })
  const { page } = app
  const desktop = desktopOf(app)
  const first = await folderBeside(app, 'first', 'one.txt')
  const second = await folderBeside(app, 'second', 'two.txt')

  await desktop.drop([app.path('a.txt'), app.path('src/b.txt'), join(first, 'one.txt')], middle)
  await expect(tab(page, 'a.txt')).toBeVisible()
  await expect(tab(page, 'b.txt')).toBeVisible()
  // A file outside the folder.
  await expect(tab(page, 'one.txt')).toHaveAttribute('aria-selected', 'true')

  // Onto the explorer: a folder is copied with its content.
  const place = await row(page, 'src').boundingBox()
  await desktop.drop([second], { x: (place?.x ?? 0) + 20, y: (place?.y ?? 0) + 10 })
  await expect.poll(() => readdir(app.path('src/second')).catch(() => [])).toEqual(['two.txt'])
  await expect(page.getByText('Copied second to src.')).toBeVisible()

  // Onto the text of the editor, once it shows: its path is not typed into it.
  await expect(editor(page)).toContainText('beside')
  await desktop.drop([first, second], middle)
  await expect(row(page, 'one.txt')).toBeVisible()
  await expect(page.getByText('Opened first and skipped 1 other item.')).toBeVisible()
  await expect(row(page, 'two.txt')).toBeHidden()
  expect((await desktop.windows())[0]?.url).toBe('app://tizona/index.html')
})

test('folders that are dropped on the explorer are added after a question, and a workspace file opens', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' } })
  const { page } = app
  const desktop = desktopOf(app)
  const other = await folderBeside(app, 'other', 'there.txt')
  const place = await page.getByRole('tree', { name: 'Files' }).boundingBox()
  const empty = { x: (place?.x ?? 0) + 20, y: (place?.y ?? 0) + 200 }
  await desktop.drop([other], empty)
  const question = page.getByRole('dialog', { name: 'What should happen with other?' })
  await expect(question.getByRole('button')).toContainText(['Cancel', 'Copy here', 'Open', 'Add to workspace'])
  await question.getByRole('button', { name: 'Add to workspace' }).click()
  await expect(row(page, 'there.txt')).toBeVisible()
  await expect(row(page, 'a.txt')).toBeVisible()
  await expect(page).toHaveTitle(/^Untitled \(workspace\)/)

  const file = join(app.workspace, '..', 'all.code-workspace')
  await writeFile(file, JSON.stringify({ folders: [{ path: 'other' }] }))
  await desktop.drop([file], empty)
  await expect(page).toHaveTitle(/^all \(workspace\)/)
  await expect(row(page, 'a.txt')).toBeHidden()
  const menu = async () => (await desktop.menu()).find(({ label }) => label === 'File')?.items.map(({ label }) => label)
  await expect
    .poll(menu)
    .toEqual(expect.arrayContaining(['Open workspace from file…', 'Add folder to workspace…', 'Close workspace']))
  await desktop.clickMenu('File', 'Open recent', 'Untitled (workspace): workspace, other')
  await expect(row(page, 'a.txt')).toBeVisible()

  const third = await folderBeside(app, 'third', 'last.txt')
  const second = await desktop.startAgain(['--add', third])
  expect(await second.exited).toBe(0)
  await expect(row(page, 'last.txt')).toBeVisible()
  await expect(row(page, 'a.txt')).toBeVisible()
})

test('recent folders are in the File menu; a missing one can be removed, and the list can be cleared', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'alpha\n' } })
  const { page } = app
  const desktop = desktopOf(app)
  const other = await folderBeside(app, 'other', 'there.txt')
  const recents = async () => {
    const file = (await desktop.menu()).find(({ label }) => label === 'File')
    return file?.items
      .find(({ label }) => label === 'Open recent')
      ?.items.flatMap(({ label, type }) => (type === 'separator' ? [] : [label]))
  }
  await desktop.drop([other], middle)
  await expect(row(page, 'there.txt')).toBeVisible()
  await expect.poll(recents).toEqual([other, app.workspace, 'Clear recently opened'])
  await desktop.clickMenu('File', 'Open recent', app.workspace)
  await expect(row(page, 'a.txt')).toBeVisible()
  await expect.poll(recents).toEqual([app.workspace, other, 'Clear recently opened'])

  await rm(other, { recursive: true })
  await desktop.clickMenu('File', 'Open recent', other)
  await expect(page.getByText(`${other} no longer exists.`)).toBeVisible()
  await expect(row(page, 'a.txt')).toBeVisible()
  await page.getByRole('button', { name: 'Remove from recent folders' }).click()
  await expect.poll(recents).toEqual([app.workspace, 'Clear recently opened'])

  await desktop.clickMenu('File', 'Open recent', 'Clear recently opened')
  await expect.poll(recents).toEqual(['No recent folders', 'Clear recently opened'])
  expect(await desktop.effects()).toEqual([
    { kind: 'addRecentDocument', path: app.workspace },
    { kind: 'addRecentDocument', path: other },
    { kind: 'addRecentDocument', path: app.workspace },
    { kind: 'clearRecentDocuments' },
    { kind: 'addRecentDocument', path: app.workspace },
    { kind: 'clearRecentDocuments' },
  ])
})
