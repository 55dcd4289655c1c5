import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkView, inDialog } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { openFile, runPalette, shownText, tab } from './support/window.ts'

test('settings and shortcuts of VS Code are imported, and a report names what was left out', async ({ launch }) => {
  const app = await launch({ files: { 'a.ts': 'export const a = 1\n' }, ownProcess: true })
  const { page } = app
  // The home folder of a story.
  const folder = join(dirname(app.path('')), 'user', '.config', 'Code', 'User')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'settings.json'),
    '{ "editor.fontSize": 21, "editor.lineNumbers": "off", "workbench.iconTheme": "seti" }',
  )
  await writeFile(
    join(folder, 'keybindings.json'),
    JSON.stringify([{ key: 'ctrl+alt+k', command: 'workbench.action.splitEditorDown' }]),
  )
  await openFile(page, 'a.ts')
  await runPalette(page, 'Import settings from VS Code')
  const dialog = page.getByRole('dialog', { name: 'Import from VS Code?' })
  await expect(dialog).toContainText('2 settings, 1 keyboard shortcut, 0 snippet files.')
  await expect(dialog).toContainText('Not imported: workbench.iconTheme: import the extension of "seti"')
  await checkView(page, 'what would be imported', inDialog)
  await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(tab(page, '# Imported from VS Code')).toBeVisible()
  await expect(page.getByText('Ln 1, Col 1')).toBeVisible()
  await expect.poll(() => shownText(page)).toContain('- workbench.iconTheme: import the extension of "seti"')
  await expect(page.locator('.monaco-editor .view-lines').first()).toHaveCSS('font-size', '21px')
  await expect(page.locator('.monaco-editor .line-numbers')).toHaveCount(0)
  await page.keyboard.press('Control+Alt+k')
  await expect(page.locator('.editor-group')).toHaveCount(2)
})
