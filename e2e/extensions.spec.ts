import { packZip } from '../src/main/testing/packZip.ts'
import { expect, test } from './support/app.ts'
import type { Page } from '@playwright/test'
import { withoutServers } from './support/settings.ts'
import { focusEditor, openFile, runPalette, shownText, tab } from './support/window.ts'

const json = (value: unknown) => JSON.stringify(value)

const icon = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" fill="${color}"/></svg>`

/** An extension for the language Blade, which Tizona does not know, with something of each kind. */
const blade = {
  'package.json': json({
    name: 'blade',
    publisher: 'smith',
    displayName: 'Blade tools',
    version: '1.0.0',
    main: './main.js',
    contributes: {
      languages: [{ id: 'blade', aliases: ['Blade'], extensions: ['.bld'], configuration: './language.json' }],
      grammars: [{ language: 'blade', scopeName: 'source.blade', path: './blade.tmLanguage.json' }],
      snippets: [{ language: 'blade', path: './snippets.json' }],
      iconThemes: [{ id: 'steel', label: 'Steel', path: './icons.json' }],
      themes: [{ label: 'Night forge', uiTheme: 'vs-dark', path: './theme.json' }],
      keybindings: [{ key: 'ctrl+alt+y', command: 'workbench.action.splitEditor' }],
      jsonValidation: [{ fileMatch: 'forge.json', url: './schema.json' }],
      commands: [{ command: 'blade.sharpen', title: 'Sharpen' }],
    },
  }),
  'language.json': json({
    comments: { lineComment: '~~' },
    brackets: [['{', '}']],
    autoClosingPairs: [{ open: '«', close: '»', notIn: ['string'] }],
  }),
  'blade.tmLanguage.json': json({
    scopeName: 'source.blade',
    patterns: [
      { match: '~~.*$', name: 'comment.line.blade' },
      { match: '\\b(forge|temper)\\b', name: 'keyword.control.blade' },
      { begin: '"', end: '"', name: 'string.quoted.blade' },
    ],
  }),
  'snippets.json': json({ Forge: { prefix: 'newforge', body: 'forge "${1:name}" {\n\t$0\n}' } }),
  'icons.json': json({
    iconDefinitions: { file: { iconPath: './file.svg' }, blade: { iconPath: './blade.svg' } },
    file: 'file',
    languageIds: { blade: 'blade' },
  }),
  'file.svg': icon('#778899'),
  'blade.svg': icon('#cc3300'),
  'theme.json': json({
    colors: { 'editor.background': '#101018', 'editor.foreground': '#dddddd' },
    tokenColors: [{ scope: 'keyword.control', settings: { foreground: '#ff8800' } }],
  }),
  'schema.json': json({ type: 'object', properties: { hardness: { type: 'number', description: 'Rockwell C' } } }),
  'main.js': 'throw new Error("must not run")',
}
const files = {
  'a.bld': 'forge "sword"\n~~ a note\ntemper\n',
  'notes.txt': 'notes\n',
  'forge.json': '{ "hardness": "very" }\n',
}

const pack = (parts: Readonly<Record<string, string>>) =>
  Buffer.from(packZip(Object.fromEntries(Object.entries(parts).map(([name, text]) => [`extension/${name}`, text]))))

async function install(page: Page, parts: Readonly<Record<string, string>>): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await runPalette(page, 'Install extension from VSIX')
  await (await chooser).setFiles({ name: 'blade.vsix', mimeType: 'application/zip', buffer: pack(parts) })
}

/** CSS color of the token that starts with a text. */
const colorOf = (page: Page, text: string) =>
  page
    .locator('.view-line span[class^="mtk"]', { hasText: text })
    .first()
    .evaluate((token) => getComputedStyle(token).color)

const page = (window: Page) => window.getByRole('region', { name: 'Extensions' })

test('an extension colors, completes, comments and marks files of a language, by keyboard alone', async ({
  launch,
}) => {
  const { page: window } = await launch({ files, settings: { ...withoutServers, theme: 'dark' } })
  await openFile(window, 'a.bld')
  const plain = await colorOf(window, 'forge')

  await install(window, blade)
  await expect(window.getByText('Installed Blade tools.')).toBeVisible()
  await expect.poll(() => colorOf(window, 'forge')).not.toBe(plain)
  expect(await colorOf(window, '~~')).not.toBe(plain)
  await expect(window.getByRole('button', { name: /^Language: Blade/ })).toBeVisible()

  await focusEditor(window)
  await window.keyboard.press('Control+End')
  await window.keyboard.type('temper')
  await expect.poll(() => colorOf(window, 'temper')).toBe(await colorOf(window, 'forge'))
  await window.keyboard.press('Control+/')
  await expect.poll(() => shownText(window)).toContain('~~ temper')
  await window.keyboard.press('End')
  await window.keyboard.press('Enter')
  await window.keyboard.type('newforge')
  await window
    .locator('.suggest-widget')
    .getByRole('option', { name: /newforge/ })
    .waitFor()
  await window.keyboard.press('Enter')
  await expect.poll(() => shownText(window)).toContain('forge "name" {')
  await window.keyboard.press('Escape')
  await window.keyboard.press('Control+End')
  await window.keyboard.type('«')
  await expect.poll(() => shownText(window)).toContain('«»')

  await runPalette(window, 'File icon theme')
  await expect(window.getByRole('dialog', { name: 'File icon theme' })).toBeVisible()
  await window.keyboard.press('ArrowDown')
  const image = window.getByRole('treeitem', { name: 'a.bld' }).locator('.ui-file-icon')
  await expect(image).toHaveCSS('background-image', /^url\("data:image\/svg\+xml/)
  await window.keyboard.press('Escape')
  await expect(image).toHaveCount(0)
  await runPalette(window, 'File icon theme')
  await window.keyboard.type('Steel')
  await window.keyboard.press('Enter')
  await expect(image).toHaveCSS('background-image', /^url/)
  await expect(tab(window, 'a.bld').locator('.ui-file-icon')).toHaveCSS('background-image', /^url/)

  await window.keyboard.press('Control+Shift+X')
  const row = page(window).getByRole('listitem').filter({ hasText: 'smith.blade' })
  await expect(row).toContainText('1 grammar blade')
  await expect(page(window).getByRole('button', { name: 'Install from VSIX…' })).toBeFocused()
  for (let presses = 0; presses < 3; presses++) await window.keyboard.press('Tab')
  await expect(page(window).getByRole('button', { name: 'Disable Blade tools' })).toBeFocused()
  await window.keyboard.press('Enter')
  await expect(row).toContainText('disabled')
  await expect(image).toHaveCount(0)
  await window.keyboard.press('Enter')
  await expect(row).not.toContainText('disabled')
  await window.keyboard.press('Tab')
  await window.keyboard.press('Tab')
  await window.keyboard.press('Enter')
  await expect(row).toContainText('Tizona runs no code of extensions.')
  await window.keyboard.press('Shift+Tab')
  await window.keyboard.press('Enter')
  await window
    .getByRole('dialog', { name: 'Remove Blade tools?' })
    .getByRole('button', { name: 'Remove' })
    .press('Enter')
  await expect(page(window)).toContainText('No extension is installed.')
})
