import type { Page } from 'playwright'
import { packZip } from '../../src/main/testing/packZip.ts'
import { runPalette } from './window.ts'

export const json = (value: unknown) => JSON.stringify(value)

const icon = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" fill="${color}"/></svg>`

/** An extension for the language Blade, which Tizona does not know, with something of each kind. */
export const blade = {
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
      keybindings: [{ key: 'ctrl+alt+j', command: 'workbench.action.splitEditor' }],
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
export const files = {
  'a.bld': 'forge "sword"\n~~ a note\ntemper\n',
  'notes.txt': 'notes\n',
  'forge.json': '{ "hardness": "very" }\n',
}

/** Packs the files of an extension. */
export const pack = (parts: Readonly<Record<string, string>>) =>
  Buffer.from(packZip(Object.fromEntries(Object.entries(parts).map(([name, text]) => [`extension/${name}`, text]))))

/** Installs an extension with the command. */
export async function install(page: Page, parts: Readonly<Record<string, string>>): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await runPalette(page, 'Install extension from VSIX')
  await (await chooser).setFiles({ name: 'blade.vsix', mimeType: 'application/zip', buffer: pack(parts) })
}
