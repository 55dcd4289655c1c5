import { mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIsolatedJobs } from '../../base/isolatedJob.ts'
import { openArchive } from '../../extract/zipArchive.ts'
import { packZip } from '../../testing/packZip.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createExtensionStore, type ExtensionStore } from './extensionStore.ts'
import type { JudgeExpressions } from './extensionRecord.ts'
import { createExpressionJudge } from './judgeExpressions.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let changed: string[][]
beforeEach(async () => {
  folder = await temporaryFolder()
  changed = []
})
afterEach(() => folder.remove())

/** @param judge default: every expression is fast, which saves its process */
const createStore = (judge: JudgeExpressions = async (all) => all.map(() => true)): Promise<ExtensionStore> =>
  createExtensionStore({
    userDataFolder: folder.root,
    openArchive: (content) => openArchive(content, 1_000_000),
    judge,
    onNotice: (message) => expect.fail(message),
    onChanged: (ids) => void changed.push(ids),
  })

const json = (value: unknown) => JSON.stringify(value)

/** Packs an extension with this manifest. */
const pack = (contributes: object, files: Readonly<Record<string, string>> = {}, more: object = {}) =>
  packZip({
    'extension/package.json': json({ name: 'Blade', publisher: 'Smith', version: '1.2.0', contributes, ...more }),
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`extension/${name}`, text])),
  })

const grammar = json({ scopeName: 'source.blade', patterns: [] })

describe('an installed extension', () => {
  const install = async () => {
    const store = await createStore()
    const info = await store.install(
      'blade.vsix',
      pack(
        {
          themes: [{ label: '%night%', uiTheme: 'vs-dark', path: './themes/night.json' }],
          languages: [
            { id: 'blade', aliases: ['Blade'], extensions: ['.bld'], configuration: './language-configuration.json' },
          ],
          grammars: [{ language: 'blade', scopeName: 'source.blade', path: './syntaxes/blade.json' }],
          snippets: [{ language: 'blade', path: './snippets.json' }],
          keybindings: [
            { key: 'ctrl+alt+f9', command: 'workbench.action.splitEditor' },
            { key: 'ctrl+alt+z', command: 'blade.sharpen' },
            { key: 'ctrl+s', command: '-workbench.action.files.save' },
            { key: 'ctrl+s', mac: 'cmd+s', command: 'git.push' },
            { key: 'ctrl+alt+enter', command: 'terminal.run' },
            { key: 'a', command: 'editor.action.deleteLines' },
          ],
          jsonValidation: [{ fileMatch: '*.blade.json', url: './schema.json' }],
          iconThemes: [{ id: 'steel', label: 'Steel', path: './icons/icons.json' }],
          commands: [{ command: 'blade.sharpen', title: 'Sharpen' }],
        },
        {
          'package.nls.json': json({ night: 'Night' }),
          'themes/night.json': json({ include: './base.json', colors: { 'editor.background': '#001122' } }),
          'themes/base.json': json({ tokenColors: [{ scope: 'comment', settings: { foreground: '#111111' } }] }),
          'language-configuration.json':
            '{ "comments": { "lineComment": "~~" }, // comment\n "wordPattern": "\\\\w+" }',
          'syntaxes/blade.json': grammar,
          'snippets.json': json({ Forge: { prefix: 'forge', body: 'forge $1' } }),
          'schema.json': json({ type: 'object' }),
          'icons/icons.json': json({ iconDefinitions: { a: { iconPath: './a.svg' } }, fileExtensions: { BLD: 'a' } }),
          'icons/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
          'main.js': 'throw new Error()',
          'readme.md': 'read me',
        },
        { main: './main.js', displayName: 'Blade tools' },
      ),
    )
    return { store, info }
  }

  it('is listed with what is used of it, and what is not and why', async () => {
    const { info } = await install()
    expect(info).toMatchObject({ id: 'smith.blade', name: 'Blade tools', version: '1.2.0', enabled: true })
    expect(info.used.map(({ kind, names }) => `${kind}: ${names.join()}`)).toEqual([
      'theme: Night',
      'iconTheme: Steel',
      'language: Blade',
      'grammar: blade',
      'languageConfiguration: Blade',
      'snippets: blade',
      'keybinding: ctrl+alt+f9: editor.split',
      'jsonSchema: *.blade.json',
    ])
    expect(info.notUsed).toEqual([
      { name: 'Shortcut ctrl+s (-file.save)', reason: 'An extension removes no shortcuts.' },
      {
        name: `Shortcut ${process.platform === 'darwin' ? 'cmd' : 'ctrl'}+s (git.push)`,
        reason: 'Tizona uses the key.',
      },
      { name: 'Shortcut ctrl+alt+enter (terminal.run)', reason: 'The command needs an argument.' },
      { name: 'Shortcut a (editor.action.deleteLines)', reason: 'The key could not be typed any more.' },
      { name: 'Shortcut ctrl+alt+z (blade.sharpen)', reason: 'The command has no counterpart.' },
      { name: 'its program', reason: 'Tizona runs no code of extensions.' },
      { name: 'commands', reason: 'Needs code of the extension, which Tizona does not run.' },
    ])
  })

  it('is kept with the files that are used, under names of their own, and without its code', async () => {
    await install()
    const stored = await readdir(path.join(folder.root, 'extensions/smith.blade'))
    expect(stored.toSorted()).toEqual(['0.json', '1.svg', '2.json', '3.json', '4.json', '5.json', 'extension.json'])
    expect(await readdir(path.join(folder.root, 'extensions'))).toEqual(['smith.blade'])
    expect(changed).toEqual([['smith.blade']])
  })

  it('brings its themes, snippets, grammars and icons after a restart, until it is disabled or removed', async () => {
    await install()
    const store = await createStore()
    expect(await store.themes()).toMatchObject([
      { id: 'smith.blade/Night', label: 'Night', colors: { 'editor.background': '#001122' }, tokens: [{}] },
    ])
    expect(await store.snippets()).toMatchObject([{ name: 'Forge', languages: ['blade'] }])
    expect(await store.contributions()).toMatchObject({
      languages: [{ id: 'blade', configuration: { comments: { lineComment: '~~' } } }],
      grammars: [{ extension: 'smith.blade', scopeName: 'source.blade' }],
      schemas: [{ extension: 'smith.blade', fileMatch: ['*.blade.json'] }],
      keybindings: [{ key: 'ctrl+alt+f9', command: 'editor.split' }],
      iconThemes: [{ id: 'smith.blade/steel', label: 'Steel' }],
    })
    expect(await store.readText('smith.blade', 'syntaxes/blade.json')).toBe(grammar)
    expect(await store.iconTheme('smith.blade/steel')).toMatchObject({
      definitions: { a: { image: 'icons/a.svg' } },
      dark: { fileExtensions: { bld: 'a' } },
    })
    expect(await store.images('smith.blade', ['icons/a.svg', 'package.json', '../../settings.json'])).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml;base64,/),
      null,
      null,
    ])

    await store.setEnabled('smith.blade', false)
    expect(await store.themes()).toEqual([])
    expect(await store.snippets()).toEqual([])
    expect((await store.contributions()).grammars).toEqual([])
    await expect(store.iconTheme('smith.blade/steel')).rejects.toThrow(/not installed/)
    expect(await (await createStore()).list()).toMatchObject([{ id: 'smith.blade', enabled: false }])

    await store.setEnabled('smith.blade', true)
    await store.remove('smith.blade')
    expect(await store.list()).toEqual([])
    expect(await readdir(path.join(folder.root, 'extensions'))).toEqual([])
  })

  it('is replaced as a whole by another version', async () => {
    const { store } = await install()
    await store.install(
      'blade.vsix',
      pack({ grammars: [{ scopeName: 'source.new', path: './g.json' }] }, { 'g.json': grammar }),
    )
    expect((await store.contributions()).grammars.map(({ scopeName }) => scopeName)).toEqual(['source.new'])
    expect((await readdir(path.join(folder.root, 'extensions/smith.blade'))).toSorted()).toEqual([
      '0.json',
      'extension.json',
    ])
  })

  it('is restored at the start if its replacement was interrupted, and leftovers are removed', async () => {
    const { store } = await install()
    const extensions = path.join(folder.root, 'extensions')
    await rename(path.join(extensions, 'smith.blade'), path.join(extensions, '.new-1-replaced'))
    await mkdir(path.join(extensions, '.new-1'))
    await mkdir(path.join(extensions, '.new-2'))
    await utimes(path.join(extensions, '.new-2'), 1, 1)
    expect(await store.list()).toEqual([])
    expect(await (await createStore()).list()).toMatchObject([{ id: 'smith.blade' }])
    expect((await readdir(extensions)).toSorted()).toEqual(['.new-1', 'smith.blade'])
  })

  it('that is damaged on disk is not listed, and can be installed again', async () => {
    const { store } = await install()
    const record = path.join(folder.root, 'extensions/smith.blade/extension.json')
    await writeFile(record, (await readFile(record, 'utf8')).slice(0, 100))
    expect(await store.list()).toEqual([])
    await install()
    expect(await store.list()).toHaveLength(1)
  })
})

it('a folder is installed like a package', async () => {
  const store = await createStore()
  const manifest = { name: 'own', contributes: { grammars: [{ scopeName: 'source.own', path: 'g.json' }] } }
  const files = { 'package.json': json(manifest), 'g.json': grammar }
  const info = await store.installFolder(
    'own',
    new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])),
  )
  expect(info).toMatchObject({ id: 'undefined.own', used: [{ kind: 'grammar', names: ['source.own'] }] })
})

it('Monaco gets no expression without a bound, where it matches lines of any length or searches words', async () => {
  const store = await createStore(createExpressionJudge(createIsolatedJobs()))
  const info = await store.install(
    'a.vsix',
    pack(
      {
        languages: [
          { id: 'a', extensions: ['.a'], firstLine: '\\s+$', configuration: './a.json' },
          { id: 'b', extensions: ['.b'], firstLine: '^#!.*\\bb', configuration: './b.json' },
        ],
      },
      {
        'a.json': json({
          wordPattern: '\\w*',
          folding: { markers: { start: '(?:[\\x68-\\x6a]+)+!', end: '\\s+$' } },
          onEnterRules: [{ beforeText: '([\\u0431-\\u0434]+)+!', action: { indent: 'indent' } }],
        }),
        'b.json': json({ wordPattern: '\\w+', folding: { markers: { start: '^\\s*#region', end: '^\\s*#end' } } }),
      },
    ),
  )
  const [a, b] = (await store.contributions()).languages
  expect(a).not.toHaveProperty('firstLine')
  expect(a?.configuration).toEqual({ folding: { offSide: false }, onEnterRules: [] })
  expect(b?.firstLine).toBe('^#!.*\\bb')
  expect(Object.keys(b?.configuration ?? {})).toEqual(['wordPattern', 'folding'])
  expect(info.notUsed).toMatchObject([{ name: '4 regular expressions' }])
})

it('JSON schemas keep only patterns that are proved linear, and names of files with few wildcards', async () => {
  const store = await createStore(createExpressionJudge(createIsolatedJobs()))
  await store.install(
    'a.vsix',
    pack(
      {
        jsonValidation: [
          { fileMatch: '*.a.json', url: './a.json' },
          { fileMatch: '*a*a*a*a*.json', url: './a.json' },
        ],
      },
      {
        'a.json': json({
          properties: { a: { pattern: '^[a-z]+$' }, b: { pattern: '(a+)+$' }, pattern: { type: 'string' } },
          patternProperties: { '^x-': { pattern: '\\s+$' }, '(b+)+$': {} },
        }),
      },
    ),
  )
  expect((await store.contributions()).schemas.map(({ fileMatch }) => fileMatch)).toEqual([['*.a.json']])
  expect(JSON.parse(await store.readText('smith.blade', 'a.json'))).toEqual({
    properties: { a: { pattern: '^[a-z]+$' }, b: {}, pattern: { type: 'string' } },
    patternProperties: { '^x-': {} },
  })
})

describe('a hostile or useless extension', () => {
  const outside = [{ scopeName: 'a', path: '../../../../etc/passwd' }]
  it.each([
    ['without a package.json', packZip({ 'extension/readme.md': '' }), /no package\.json/],
    ['with only code', pack({ commands: [{}] }, {}, { main: './main.js' }), /nothing that Tizona can use/],
    ['whose grammar is outside', pack({ grammars: outside }, {}), /leads to .* outside its folder/],
    ['whose name leads out', packZip({ 'extension/package.json': json({ name: '../../x' }) }), /no valid name/],
    ['whose publisher is a dot', pack({ grammars: outside }, {}, { publisher: '.', name: 'x' }), /no valid name/],
    ['whose name ends in a dot', pack({ grammars: outside }, {}, { name: 'x.' }), /no valid name/],
    ['whose publisher is a device', pack({ grammars: outside }, {}, { publisher: 'NUL' }), /no valid name/],
    [
      'with a part that leads out',
      packZip({ '../evil.json': '', 'extension/package.json': '{}' }),
      /could not be read/,
    ],
    [
      'that unpacks to too much',
      pack({ grammars: [{ scopeName: 'a', path: 'a.json' }] }, { 'a.json': ' '.repeat(2_000_000) }),
      /unpacks to more than/,
    ],
    ['with deeply nested JSON', packZip({ 'extension/package.json': '['.repeat(500_000) }), /not valid JSON/],
    ['that is no archive', new Uint8Array(Buffer.from('no zip')), /a\.vsix could not be read/],
  ])('%s is refused, and nothing is stored', async (_name, content, message) => {
    const store = await createStore()
    await expect(store.install('a.vsix', content)).rejects.toThrow(message)
    expect(await readdir(folder.root)).toEqual([])
  })

  it('keeps none of its slow expressions, names no file outside, and draws no heavy icons', async () => {
    const store = await createStore(createExpressionJudge(createIsolatedJobs()))
    const info = await store.install(
      'a.vsix',
      pack(
        {
          languages: [{ id: 'slow', extensions: ['.slow'], firstLine: '^(a+)+$', configuration: './c.json' }],
          snippets: [{ language: 'slow', path: './s.json' }],
          iconThemes: [{ id: 'i', label: 'I', path: './i.json' }],
          grammars: outside,
        },
        {
          'c.json': json({
            wordPattern: '(x+x+)+y',
            folding: { markers: { start: '^\\s*#region', end: '^(\\w|_)*$x' } },
            indentationRules: { increaseIndentPattern: '\\{$', decreaseIndentPattern: '^\\s*\\}' },
          }),
          's.json': json({
            Slow: { prefix: 'a', body: '${1/(a|a)*b/x/}' },
            Fast: { prefix: 'b', body: '${1/(.*)/${1:/upcase}/}' },
          }),
          'i.json': json({
            iconDefinitions: {
              a: { iconPath: 'a.svg' },
              b: { iconPath: '../../../etc/hosts' },
              c: { iconPath: 'c.svg' },
            },
          }),
          'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"><!ENTITY a "&b;&b;"></svg>',
          'c.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
        },
      ),
    )
    expect((await store.contributions()).languages).toEqual([
      {
        id: 'slow',
        aliases: [],
        extensions: ['.slow'],
        filenames: [],
        filenamePatterns: [],
        mimetypes: [],
        configuration: {
          folding: { offSide: false },
          indentationRules: {
            increaseIndentPattern: { pattern: '\\{$', flags: '' },
            decreaseIndentPattern: { pattern: '^\\s*\\}', flags: '' },
          },
        },
      },
    ])
    expect((await store.snippets()).map(({ body }) => body)).toEqual(['${1}', '${1}'])
    expect(Object.keys((await store.iconTheme('smith.blade/i')).definitions)).toEqual(['c'])
    expect(info.notUsed.map(({ name }) => name)).toEqual([
      '2 icons of I',
      'Grammar a',
      'Transforms in 2 snippets of s.json',
      '3 regular expressions',
    ])
  })
})
