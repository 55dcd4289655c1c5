import { access, readFile, rm, writeFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { checkView, inDialog, inEditors } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { focusEditor, lastAnswer, openFile, runPalette, send, shownText } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'
import { reviewedFile } from './scenarios/reviewedEdits.ts'

const versions = (page: Page): Locator => page.getByRole('listbox', { name: 'Versions' }).getByRole('option')
const diffTab = (page: Page): Locator => page.getByRole('tab', { name: /↔ current/ })
const files = { 'src/users.ts': reviewedFile.before, 'README.md': '# Harbour\n', 'notes.txt': 'one\n' }

/** Replaces the text of the active file and saves it. */
async function saveText(page: Page, text: string): Promise<void> {
  await focusEditor(page)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
  await page.keyboard.press('Control+s')
}

test('saves, changes of the agent and those of other programs are in the timeline, and a version is restored', async ({
  launch,
}) => {
  const app = await launch({ files, scenario: scenarios.reviewedEdits, settings: { mode: 'yolo', ...withoutServers } })
  const { page } = app
  await openFile(page, 'notes.txt')
  const header = page.getByRole('button', { name: 'Timeline', exact: true })
  await expect(header).toHaveAttribute('aria-expanded', 'false')
  await header.click()
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('There are no versions of this file yet.')

  await test.step('a save stores the text before and after it', async () => {
    await saveText(page, 'two')
    await expect(versions(page)).toHaveText([/^Saved/, /^Earlier version/])
  })

  await test.step('a change by another program is named', async () => {
    await writeFile(app.path('notes.txt'), 'by a script\n')
    await expect(versions(page)).toHaveText([/^Changed outside Tizona/, /^Saved/, /^Earlier version/])
    await expect.poll(() => shownText(page)).toContain('by a script')
  })

  await test.step('Enter compares a version with the current text', async () => {
    await runPalette(page, 'Show timeline')
    await expect(page.getByRole('listbox', { name: 'Versions' })).toBeFocused()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await expect(diffTab(page)).toHaveAttribute('aria-selected', 'true')
    await expect(page.locator('.monaco-diff-editor .original')).toContainText('one')
    await expect(page.locator('.monaco-diff-editor .modified')).toContainText('by a script')
  })

  await checkView(page, 'a version and the current text', inEditors)

  await test.step('a restored version is an edit of the tab, which undo takes back', async () => {
    await runPalette(page, 'Show timeline')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Restore content' }).press('Enter')
    await expect(page.getByRole('tab', { name: 'notes.txt (unsaved)', exact: true })).toBeVisible()
    await expect.poll(() => shownText(page)).toContain('one')
    await focusEditor(page)
    await page.keyboard.press('Control+z')
    await expect.poll(() => shownText(page)).toContain('by a script')
    await page.keyboard.press('Control+y')
    await page.keyboard.press('Control+s')
    await expect.poll(() => readFile(app.path('notes.txt'), 'utf8')).toBe('one\n')
    await expect(versions(page).first()).toHaveText(/^Saved/)
  })

  await test.step('keys choose a version, and its menu compares it with the previous one', async () => {
    await runPalette(page, 'Show timeline')
    await expect(page.getByRole('listbox', { name: 'Versions' })).toBeFocused()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Compare with previous' }).press('Enter')
    await expect(page.locator('.monaco-diff-editor .original')).toContainText('two')
    await expect(page.locator('.monaco-diff-editor .modified')).toContainText('by a script')
  })

  await test.step('a change of the agent has the title of its conversation', async () => {
    await openFile(page, 'src/users.ts')
    await send(page, 'Limit the users')
    await expect(lastAnswer(page)).toContainText('limited')
    await expect(versions(page)).toHaveText([/^Agent: Limit the users/, /^Earlier version/])
  })
  await checkView(page, 'timeline')
})

test('the last text of a deleted file is restored with the command', async ({ launch }) => {
  const app = await launch({ files, settings: withoutServers })
  const { page } = app
  await page.getByRole('treeitem', { name: 'notes.txt' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: /^Delete/ })
  await expect(confirm.or(page.getByRole('status').filter({ hasText: 'notes.txt' })).first()).toBeVisible()
  if (await confirm.isVisible()) await confirm.click()
  const isGone = () =>
    access(app.path('notes.txt')).then(
      () => false,
      () => true,
    )
  await expect.poll(isGone).toBe(true)

  await runPalette(page, 'find entry to restore')
  await expect(page.getByRole('combobox', { name: 'File to restore' })).toBeVisible()
  await checkView(page, 'files that can be restored', inDialog)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('option', { name: /^Deleted/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Restore content' }).click()
  await expect.poll(() => readFile(app.path('notes.txt'), 'utf8').catch(() => '')).toBe('one\n')
  await expect(page.getByRole('tab', { name: 'notes.txt', exact: true })).toHaveAttribute('aria-selected', 'true')
})

test('a file that another program deleted keeps the text of its tab', async ({ launch }) => {
  const app = await launch({ files, settings: withoutServers })
  const { page } = app
  await openFile(page, 'notes.txt')
  await rm(app.path('notes.txt'))
  await expect(page.getByRole('treeitem', { name: 'notes.txt' })).toHaveCount(0)
  await runPalette(page, 'Show timeline')
  await expect(versions(page)).toHaveText([/^Earlier version/])
})
