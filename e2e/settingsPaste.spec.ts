import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { checkView } from './support/accessibility.ts'
import { expect, notElectron, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { focusEditor, openFile, runPalette, shownText, tab } from './support/window.ts'

/** Replaces the text of the page that shows settings as JSON, once it shows the stored one. */
async function paste(page: Page, stored: string, text: string): Promise<void> {
  const lines = page.getByRole('region', { name: 'Settings (JSON)' }).locator('.view-lines').first()
  await expect(lines).toContainText(stored)
  await lines.click()
  await page.keyboard.press('Control+a')
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
  }, text)
}

test('settings of VS Code can be pasted, and a draft keeps what changed elsewhere meanwhile', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'one\n' }, settings: withoutServers })
  const { page } = app
  const stored = async () => JSON.parse(await readFile(join(dirname(app.path('')), 'user/settings.json'), 'utf8'))
  await openFile(page, 'a.txt')
  await runPalette(page, 'Settings (JSON)')
  const json = page.getByRole('region', { name: 'Settings (JSON)' })
  const save = json.getByRole('button', { name: 'Save' })

  await test.step('pasted settings are converted, and those without a counterpart named', async () => {
    await paste(
      page,
      '"languageServers"',
      '{ /* mine */ "editor.tabSize": 3, "editor.wordWrap": "on", "telemetry.telemetryLevel": "off",}',
    )
    await expect(save).toBeEnabled()
    await page.keyboard.press('Control+s')
    await expect(page.getByText('The settings were saved without 1 setting of the text.')).toBeVisible()
    await expect(save).toBeDisabled()
    await expect.poll(async () => (await stored()).editor).toMatchObject({ tabSize: 3, wordWrap: true })
  })

  await test.step('saving a draft keeps a setting that another page changed', async () => {
    await paste(page, '"tabSize": 3', '{"editor": {"tabSize": 5, "wordWrap": true}}')
    await expect(save).toBeEnabled()
    await runPalette(page, 'Toggle word wrap')
    await expect(json.getByText('The stored text changed elsewhere')).toBeVisible()
    await json.getByRole('button', { name: 'Compare with stored' }).click()
    await expect(page.getByRole('tab', { name: 'Settings (JSON) (stored ↔ yours)' })).toBeVisible()
    await expect(page.locator('.monaco-diff-editor').first()).toBeVisible()
    await page.getByRole('tab', { name: 'Settings (JSON) (unsaved)' }).click()
    await checkView(page, 'a draft of older settings', { only: ['.settings-json'] })
    await save.click()
    await expect(save).toBeDisabled()
    await expect.poll(async () => (await stored()).editor).toMatchObject({ tabSize: 5, wordWrap: false })
  })

  await test.step('a setting that was changed in both places is named, and overwritten on request', async () => {
    await paste(page, '"tabSize": 5 }', '{"editor": {"tabSize": 6, "wordWrap": true}}')
    await expect(save).toBeEnabled()
    const known = await stored()
    await writeFile(
      join(dirname(app.path('')), 'user/settings.json'),
      JSON.stringify({ ...known, editor: { ...known.editor, tabSize: 7 } }),
    )
    await expect(json.getByText('The stored text changed elsewhere')).toBeVisible()
    await save.click()
    await expect(json.getByRole('alert')).toContainText('editor.tabSize')
    expect((await stored()).editor.tabSize).toBe(7)
    await json.getByRole('button', { name: 'Overwrite' }).click()
    await expect(save).toBeDisabled()
    await expect.poll(async () => (await stored()).editor).toMatchObject({ tabSize: 6, wordWrap: true })
  })
})

test('settings of one language apply to its files, those of the folder above those of the user', async ({ launch }) => {
  const app = await launch({
    files: {
      'a.py': 'one\n',
      'b.go': 'two\n',
      'c.txt': 'three\n',
      '.vscode/settings.json':
        '{ "editor.tabSize": 6, "[go][rust]": { "editor.insertSpaces": false, "editor.trimTrailingWhitespace": 1, "files.trimTrailingWhitespace": true } }',
    },
    settings: withoutServers,
  })
  const { page } = app
  await openFile(page, 'a.py')
  await runPalette(page, 'Settings (JSON)')
  await paste(
    page,
    '"languageServers"',
    '{ "[python]": { "editor.tabSize": 3, "editor.fontSize": 21, "editor.nonsense": 1 }, "[go]": { "editor.insertSpaces": true } }',
  )
  const save = page.getByRole('region', { name: 'Settings (JSON)' }).getByRole('button', { name: 'Save' })
  await expect(save).toBeEnabled()
  await page.keyboard.press('Control+s')
  await expect(page.getByText('The settings were saved without 1 setting of the text.')).toBeVisible()
  await expect(save).toBeDisabled()

  const lines = page.locator('.editor-monaco .view-lines').first()
  const typed = async (name: string, fontSize: string) => {
    await openFile(page, name)
    await expect(lines).toHaveCSS('font-size', fontSize)
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+s')
    await expect(tab(page, name)).toBeVisible()
    return expect.poll(() => readFile(app.path(name), 'utf8'))
  }
  await (await typed('a.py', '21px')).toBe('   one\n')
  await (await typed('b.go', '13px')).toBe('\ttwo\n')
  await (await typed('c.txt', '13px')).toBe('      three\n')
})

test('a file outside the folder opens and is saved, and the agent does not see it', notElectron, async ({ launch }) => {
  const app = await launch({
    files: { 'a.txt': 'one\n', '.vscode/settings.json': '{ "editor.fontSize": 23, /* team */ "http.proxy": "x" }' },
    settings: withoutServers,
  })
  const { page } = app
  const outside = join(dirname(app.path('')), 'elsewhere')
  await mkdir(outside)
  await writeFile(join(outside, 'note.md'), '# Note\n')
  await openFile(page, 'a.txt')
  // Settings of VS Code in the folder.
  await expect(page.locator('.monaco-editor .view-lines').first()).toHaveCSS('font-size', '23px')
  await runPalette(page, 'Open file…')
  if (app.desktop) {
    const { answer } = await app.desktop.dialog()
    await answer({ filePaths: [join(outside, 'note.md')] })
  } else {
    const dialog = page.getByRole('dialog', { name: 'Open file' })
    const path = dialog.getByRole('textbox', { name: 'Path of the file' })
    // The first listing would be part of the path.
    await expect(path).not.toHaveValue('')
    await path.fill(outside)
    await path.press('Enter')
    await page.screenshot({ path: test.info().outputPath('picker.png') })
    await path.fill(join(outside, 'note.md'))
    await path.press('Enter')
  }
  await expect(tab(page, 'note.md')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => shownText(page)).toContain('# Note')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('more')
  await page.keyboard.press('Control+s')
  await expect.poll(() => readFile(join(outside, 'note.md'), 'utf8')).toBe('# Note\nmore')
  await page.screenshot({ path: test.info().outputPath('outside.png') })

  // Another program changes the file: first without unsaved text in the tab, then with some.
  await writeFile(join(outside, 'note.md'), '# Other\n')
  await expect.poll(() => shownText(page)).toContain('# Other')
  await expect(tab(page, 'note.md')).toHaveAccessibleName('note.md')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('mine')
  await expect(tab(page, 'note.md')).toHaveAccessibleName(/unsaved/)
  await writeFile(join(outside, 'note.md'), '# Theirs\n')
  await expect(page.getByRole('tabpanel').getByRole('alert')).toContainText(/changed on disk/i)
  await expect.poll(() => shownText(page)).toContain('mine')
  await page
    .getByRole('alert')
    .getByRole('button', { name: /Reload/i })
    .click()
  await expect.poll(() => shownText(page)).toContain('# Theirs')

  await tab(page, 'a.txt').click()
  await runPalette(page, 'Save as')
  const saveAs = page.getByRole('dialog', { name: 'Save a.txt as' })
  await saveAs.getByRole('textbox').fill(join(outside, 'copy.txt'))
  await page.keyboard.press('Enter')
  await expect.poll(() => readFile(join(outside, 'copy.txt'), 'utf8').catch(() => '')).toBe('one\n')
  await expect(tab(page, 'copy.txt')).toBeVisible()
  await expect(page.locator('.ui-notice-error')).toHaveCount(0)
})
