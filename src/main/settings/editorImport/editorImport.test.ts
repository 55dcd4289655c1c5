import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKeybindingStore } from '../keybindingStore.ts'
import { createSettingsStore } from '../settingsStore.ts'
import { createUserFiles } from '../userFiles.ts'
import { convertSettings, folderEditorSettings } from './convertSettings.ts'
import { createEditorImport } from './editorImport.ts'
import { findImportSources } from './editorFolders.ts'

let home: string
const userOf = (editor: string) => path.join(home, '.config', editor, 'User')

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'tizona-import-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function write(editor: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(userOf(editor), name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

async function open() {
  const own = path.join(home, 'own')
  await mkdir(own, { recursive: true })
  const settings = await createSettingsStore(own, () => undefined)
  const keybindings = await createKeybindingStore(
    own,
    () => undefined,
    () => undefined,
  )
  const userFiles = createUserFiles(own, keybindings, () => undefined)
  const sources = () => findImportSources({ platform: 'linux', home, env: {} })
  return {
    own,
    settings,
    keybindings,
    userFiles,
    imports: createEditorImport({ settings, keybindings, userFiles, sources }),
  }
}

test('settings with a counterpart are taken over, the others are named with the reason', async () => {
  await write('Code', {
    'settings.json': `{
      // Comments and trailing commas are allowed.
      "editor.fontSize": 15,
      "editor.rulers": [80, { "column": 100, "color": "#f00" }],
      "editor.wordWrap": "bounded",
      "editor.fontLigatures": "'calt'",
      "editor.lineHeight": 1.5,
      "editor.inlayHints.enabled": "onUnlessPressed",
      "constructor": { "name": "fontSize", "value": 30 },
      "toString": 1,
      "editor.cursorStyle": "diagonal",
      "files.autoSave": "onFocusChange",
      "files.exclude": { "**/out": true, "**/.git": false },
      "files.associations": { "*.inc": "php" },
      "workbench.localHistory.maxFileEntries": 20,
      "workbench.colorTheme": "Default Light Modern",
      "python.analysis.typeCheckingMode": "strict",
      "[python]": { "editor.tabSize": 4 },
    }`,
  })
  const { settings, imports } = await open()
  const languages = { python: { rulers: [79], tabSize: 2 }, go: { tabSize: 8 } }
  await settings.set({ editor: { ...settings.get().editor, tabSize: 3, languages } })
  const plan = await imports.plan('Code')
  expect(settings.get().editor.fontSize).toBe(13)
  expect(await imports.run('Code')).toEqual(plan)
  expect(settings.get()).toMatchObject({
    theme: 'light',
    files: { encoding: 'utf8', exclude: { '**/out': true, '**/.git': false }, associations: { '*.inc': 'php' } },
    localHistory: { enabled: true, maxFileEntries: 20 },
    editor: {
      fontSize: 15,
      lineHeight: 23,
      inlayHints: true,
      rulers: [80, 100],
      wordWrap: true,
      fontLigatures: true,
      autoSave: 'onFocusChange',
      tabSize: 3,
      languages: { python: { rulers: [79], tabSize: 4 }, go: { tabSize: 8 } },
    },
  })
  expect(plan.skipped).toEqual([
    'constructor: it has no counterpart.',
    'toString: it has no counterpart.',
    'editor.cursorStyle: Tizona does not have the value "diagonal".',
    'python.analysis.typeCheckingMode: it has no counterpart.',
  ])
})

test('icon themes come with their extension, and those of the editor have icons of Tizona instead', async () => {
  const skipped = async (value: unknown) => {
    await write('Code', { 'settings.json': JSON.stringify({ 'workbench.iconTheme': value }) })
    return (await (await open()).imports.plan('Code')).skipped
  }
  expect(await skipped('material-icon-theme')).toEqual([
    'workbench.iconTheme: import the extension of "material-icon-theme", then choose it with "File icon theme".',
  ])
  expect(await skipped('vs-seti')).toEqual(['workbench.iconTheme: Tizona has its own icons instead of "vs-seti".'])
  expect(await skipped(null)).toEqual(['workbench.iconTheme: Tizona has its own icons instead of null.'])
})

test('shortcuts get the commands of Tizona and are not added twice', async () => {
  await write('Cursor', {
    'keybindings.json': JSON.stringify([
      { key: 'ctrl+alt+s', command: 'workbench.action.files.saveAll', when: 'editorTextFocus' },
      { key: 'ctrl+d', command: 'editor.action.deleteLines', when: 'textInputFocus && !editorReadonly' },
      { key: 'ctrl+b', command: '-workbench.action.toggleSidebarVisibility' },
      { key: 'ctrl+shift+x', command: 'some.extension.command' },
      { key: 'ctrl+y', command: 'workbench.action.tasks.runTask', args: 'build' },
      { key: 'oem_8', command: 'undo' },
      { key: 'a', command: 'explorer.newFile', when: 'filesExplorerFocus && !inputFocus' },
      { key: 'ctrl+l', command: 'workbench.action.terminal.clear', when: 'terminalFocus' },
      { key: 'tab', command: 'workbench.action.nextEditor' },
      'nonsense',
    ]),
  })
  const { settings, keybindings, imports } = await open()
  const mine = { key: 'Ctrl+Alt+S', command: 'chat.focus' }
  await keybindings.set([mine])
  const report = await imports.run('Cursor')
  const expected = [
    { key: 'ctrl+alt+s', command: 'file.saveAll' },
    { key: 'ctrl+d', command: 'editor.action.deleteLines', when: 'textInputFocus && !editorReadonly' },
    { key: 'ctrl+b', command: '-view.toggleSideBar' },
    // The last one wins.
    mine,
  ]
  expect(keybindings.get()).toEqual(expected)
  expect(report.skipped).toEqual([
    'ctrl+shift+x (some.extension.command): the command has no counterpart.',
    'ctrl+y (workbench.action.tasks.runTask): commands with arguments are not supported.',
    'oem_8 (undo): Tizona does not know this key.',
    'a (explorer.newFile): Tizona does not have its condition, "filesExplorerFocus && !inputFocus".',
    'ctrl+l (workbench.action.terminal.clear): Tizona does not have its condition, "terminalFocus".',
    'tab (workbench.action.nextEditor): without a condition, the key could not be typed any more.',
  ])
  expect(settings.get().keymap).toBe('cursor')
  await imports.run('Cursor')
  expect(keybindings.get()).toEqual(expected)
})

test('snippet files are copied, except those that the user has and those that are no snippets', async () => {
  const snippet = '{ "Log": { "prefix": "log", "body": "console.log($0)" } }'
  await write('Code', {
    'snippets/javascript.json': snippet,
    'snippets/own.code-snippets': snippet,
    'snippets/broken.json': '{ "Log": ',
    'snippets/notes.txt': 'not a snippet',
  })
  const { own, userFiles, imports } = await open()
  await userFiles.write('snippets/own.code-snippets', '{}')
  const report = await imports.run('Code')
  expect(report.snippets).toEqual(['snippets/javascript.json'])
  expect(report.skipped).toEqual([
    'snippets/own.code-snippets: you have a file of this name, which stays.',
    expect.stringMatching(/^snippets\/broken\.json: /),
  ])
  expect(await readFile(path.join(own, 'snippets/javascript.json'), 'utf8')).toBe(snippet)
  expect(await readFile(path.join(own, 'snippets/own.code-snippets'), 'utf8')).toBe('{}')
})

test('a file that is not JSON is named and changes nothing, and an unknown editor is an error', async () => {
  await write('VSCodium', { 'settings.json': '{\n  "editor.fontSize": 15,\n  oops\n}' })
  const { settings, imports } = await open()
  expect((await imports.sources()).map(({ title }) => title)).toEqual(['VSCodium'])
  expect((await imports.run('VSCodium')).skipped).toEqual([
    expect.stringMatching(/^settings\.json, line 3: .*not imported/),
  ])
  expect(settings.get().editor.fontSize).toBe(13)
  await expect(imports.plan('Code')).rejects.toMatchObject({ code: 'not_found' })
})

test('on macOS and Windows the folders are elsewhere', async () => {
  await mkdir(path.join(home, 'Library/Application Support/Code/User'), { recursive: true })
  await mkdir(path.join(home, 'Roaming/Cursor/User'), { recursive: true })
  expect(await findImportSources({ platform: 'darwin', home, env: {} })).toMatchObject([{ id: 'Code' }])
  expect(
    await findImportSources({ platform: 'win32', home, env: { APPDATA: path.join(home, 'Roaming') } }),
  ).toMatchObject([{ id: 'Cursor' }])
})

test("a folder's settings of VS Code change how files are edited, and nothing else", () => {
  const settings = folderEditorSettings({
    'editor.tabSize': 8,
    'files.insertFinalNewline': true,
    'editor.formatOnSave': true,
    'breadcrumbs.enabled': false,
    'workbench.colorTheme': 'Default Light+',
    'http.proxy': 'http://evil',
    'files.exclude': { out: true },
    '[go]': { 'editor.insertSpaces': false, 'workbench.colorTheme': 'Default Light+' },
  })
  expect(settings).toEqual({
    tabSize: 8,
    insertFinalNewline: true,
    formatOnSave: true,
    languages: { go: { insertSpaces: false } },
  })
})

test.each([
  ['editor.wordWrapColumn', 100, {}],
  ['editor.guides.bracketPairs', true, { bracketPairGuides: 'on' }],
  ['editor.quickSuggestions', { other: 'on', strings: 'inline' }, { quickSuggestions: 'everywhere' }],
  ['editor.quickSuggestions', { other: false }, { quickSuggestions: 'off' }],
  ['editor.fontWeight', 500, { fontWeight: '500' }],
  ['editor.padding.top', 20, { paddingTop: 20 }],
  ['files.eol', '\r\n', { eol: '\r\n' }],
  ['editor.unicodeHighlight.ambiguousCharacters', false, { ambiguousCharacters: false }],
  [
    'editor.codeActionsOnSave',
    { 'source.organizeImports': 'explicit', 'source.fixAll': 'never', 'source.fixAll.eslint': true },
    { organizeImportsOnSave: true, fixAllOnSave: false },
  ],
  ['editor.codeActionsOnSave', ['source.fixAll'], { organizeImportsOnSave: false, fixAllOnSave: true }],
])('%s of VS Code with the value %j is imported', (key, value, editor) => {
  expect(convertSettings({ [key]: value }).sections.editor).toEqual({
    ...(key.endsWith('Column') && { wordWrapColumn: 0 }),
    ...editor,
  })
})

test('settings of languages are imported for each of them', () => {
  const { sections, imported, skipped } = convertSettings({
    'editor.fontSize': 20,
    'editor.wordWrap': 'bounded',
    'editor.wordWrapColumn': 100,
    '[python]': { 'editor.tabSize': 4, 'editor.rulers': [79], 'editor.wordWrap': 'off', 'editor.tabsize': 3 },
    '[javascript][typescript]': {
      'editor.formatOnSave': true,
      'editor.lineHeight': 2,
      'editor.defaultFormatter': 'esbenp.prettier-vscode',
      'files.trimTrailingWhitespace': true,
      'files.exclude': {},
      'breadcrumbs.enabled': false,
    },
    '[python][ruby]': { 'editor.codeActionsOnSave': { 'source.organizeImports': 'explicit' } },
    '[]': {},
    '[go]': 4,
  })
  const script = { formatOnSave: true, lineHeight: 40, trimTrailingWhitespace: true }
  const actions = { organizeImportsOnSave: true }
  expect(sections.editor.languages).toEqual({
    python: { tabSize: 4, rulers: [79], wordWrap: false, wordWrapColumn: 0, ...actions },
    javascript: script,
    typescript: script,
    ruby: actions,
  })
  expect(imported).toContain('[javascript][typescript] editor.formatOnSave: true')
  expect(skipped.toSorted()).toEqual(
    [
      '[python] editor.tabsize: it has no counterpart.',
      '[javascript][typescript] editor.defaultFormatter: it has no counterpart.',
      '[javascript][typescript] files.exclude: Tizona has it for all languages only.',
      '[javascript][typescript] breadcrumbs.enabled: Tizona has it for all languages only.',
      '[]: it has no counterpart.',
      '[go]: it has no settings.',
    ].toSorted(),
  )
})

test('what of a setting is not used is named', () => {
  const { sections, skipped } = convertSettings({
    'editor.wordWrap': 'bounded',
    'search.exclude': { '**/dist': true, '*.js': { when: '$(basename).ts' } },
    'editor.codeActionsOnSave': { 'source.fixAll.eslint': true },
    'terminal.integrated.fontSize': 15,
  })
  expect(sections).toMatchObject({
    editor: { wordWrap: true, wordWrapColumn: 80 },
    search: { exclude: { '**/dist': true } },
    terminal: { fontSize: 15 },
  })
  expect(skipped).toEqual([
    'search.exclude: Tizona does not use "*.js".',
    'editor.codeActionsOnSave: Tizona does not use "source.fixAll.eslint".',
  ])
})
