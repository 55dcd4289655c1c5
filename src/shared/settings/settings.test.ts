import { describe, expect, it } from 'vitest'
import { settingsChangeSchema, settingsSchema } from './settings.ts'
import { settingRows, settingsTable } from './settingsTable.ts'

describe('stored settings', () => {
  it('have these keys, which no version renames without a migration', () => {
    expect(settingRows.map(({ path }) => path).toSorted()).toEqual([
      'agents',
      'approval.notify',
      'approval.protectedPaths',
      'approval.rules',
      'approval.secretPaths',
      'commands.environment',
      'commands.maxMemoryMegabytes',
      'commands.maxProcesses',
      'commands.sandbox',
      'compactAt',
      'completion.enabled',
      'completion.inComments',
      'completion.maxTokens',
      'completion.model',
      'completion.nextEditModel',
      'debug.jsDebugPath',
      'disabledTools',
      'editor.acceptSuggestionOnEnter',
      'editor.autoClosingBrackets',
      'editor.autoSave',
      'editor.autoSaveDelay',
      'editor.bracketPairs',
      'editor.breadcrumbs',
      'editor.cursorBlinking',
      'editor.cursorStyle',
      'editor.detectIndentation',
      'editor.diffSideBySide',
      'editor.fontFamily',
      'editor.fontLigatures',
      'editor.fontSize',
      'editor.formatOnPaste',
      'editor.formatOnSave',
      'editor.inlayHints',
      'editor.insertFinalNewline',
      'editor.insertSpaces',
      'editor.letterSpacing',
      'editor.lineHeight',
      'editor.lineNumbers',
      'editor.minimap',
      'editor.mouseWheelZoom',
      'editor.previewTabs',
      'editor.renderWhitespace',
      'editor.revealIfOpen',
      'editor.rulers',
      'editor.scrollBeyondLastLine',
      'editor.smoothScrolling',
      'editor.stickyScroll',
      'editor.tabSize',
      'editor.trimTrailingWhitespace',
      'editor.vim',
      'editor.wordWrap',
      'embeddings',
      'emmet.showExpandedAbbreviation',
      'emmet.triggerExpansionOnTab',
      'endpoints',
      'files.associations',
      'files.encoding',
      'files.exclude',
      'firstSteps',
      'history.maxAgeDays',
      'history.maxMegabytes',
      'iconTheme',
      'importedTheme',
      'keymap',
      'languageServers.enabled',
      'languageServers.maxMemoryMegabytes',
      'languageServers.outsideSandbox',
      'languageServers.registry',
      'languageServers.updateImportsOnFileMove',
      'localHistory.enabled',
      'localHistory.maxFileEntries',
      'localHistory.maxFileSize',
      'localHistory.mergeWindow',
      'maxTurns',
      'mcp',
      'mode',
      'model',
      'profile',
      'restoreWindows',
      'sessions.folder',
      'sessions.keepRunning',
      'smallModel',
      'subAgentModel',
      'suggestToolset',
      'systemPrompt',
      'temperature',
      'theme',
      'toolset',
      'updateFeed',
      'warmUp',
      'web.enabled',
      'web.hasBraveKey',
      'web.localOrigins',
      'web.search',
      'web.searxngUrl',
    ])
  })

  const editorDefaults = {
    fontSize: 13,
    tabSize: 4,
    fontFamily: '',
    rulers: [],
    fontLigatures: false,
    wordWrap: false,
    minimap: true,
    stickyScroll: true,
    inlayHints: false,
    breadcrumbs: true,
    bracketPairs: true,
    diffSideBySide: true,
    previewTabs: true,
    revealIfOpen: false,
    mouseWheelZoom: false,
    vim: false,
    autoSave: 'off',
    autoSaveDelay: 1000,
    formatOnSave: false,
    formatOnPaste: false,
    trimTrailingWhitespace: false,
    insertFinalNewline: false,
    acceptSuggestionOnEnter: 'on',
    autoClosingBrackets: 'languageDefined',
    cursorBlinking: 'blink',
    cursorStyle: 'line',
    detectIndentation: true,
    insertSpaces: true,
    letterSpacing: 0,
    lineHeight: 0,
    lineNumbers: 'on',
    renderWhitespace: 'selection',
    scrollBeyondLastLine: false,
    smoothScrolling: false,
  }

  it('get the defaults of the table for missing keys', () => {
    expect(settingsSchema.parse({})).toEqual({
      commands: { sandbox: true, maxProcesses: 1000, maxMemoryMegabytes: null, environment: '' },
      files: {
        encoding: 'utf8',
        exclude: { '**/.git': true, '**/.svn': true, '**/.hg': true, '**/.DS_Store': true },
        associations: {},
      },
      emmet: { showExpandedAbbreviation: 'always', triggerExpansionOnTab: false },
      localHistory: { enabled: true, maxFileEntries: 50, maxFileSize: 256, mergeWindow: 10 },
      sessions: { folder: '', keepRunning: false },
      languageServers: {
        enabled: true,
        maxMemoryMegabytes: 3072,
        registry: 'https://registry.npmjs.org',
        outsideSandbox: '',
        updateImportsOnFileMove: 'prompt',
      },
      theme: 'system',
      iconTheme: '',
      firstSteps: 'show',
      importedTheme: '',
      keymap: 'vscode',
      restoreWindows: 'all',
      mode: 'safe',
      toolset: 'blade',
      suggestToolset: true,
      completion: { enabled: false, inComments: true, model: null, nextEditModel: null, maxTokens: 128 },
      debug: { jsDebugPath: '' },
      disabledTools: {},
      endpoints: [],
      smallModel: null,
      subAgentModel: null,
      embeddings: null,
      warmUp: 'local',
      temperature: 0.2,
      systemPrompt: '',
      profile: 'auto',
      compactAt: 0.8,
      maxTurns: 50,
      editor: editorDefaults,
      approval: { rules: [], notify: true, protectedPaths: '', secretPaths: '' },
      web: { enabled: true, search: 'duckduckgo', searxngUrl: '', hasBraveKey: false, localOrigins: [] },
      updateFeed: '',
      history: { maxAgeDays: null, maxMegabytes: null },
      mcp: { servers: {}, choices: {} },
      agents: [],
    })
    expect(settingsSchema.parse({ editor: { tabSize: 2 } }).editor).toEqual({ ...editorDefaults, tabSize: 2 })
  })

  it('do not share a default between two parses', () => {
    settingsSchema.parse({}).endpoints.push({ id: 'a', name: 'A', kind: 'openai', baseUrl: 'http://a', hasKey: false })
    expect(settingsSchema.parse({}).endpoints).toEqual([])
  })
})

describe('a change of settings', () => {
  it('names only what it changes', () => {
    expect(settingsChangeSchema().parse({})).toEqual({})
    expect(settingsChangeSchema().parse({ theme: 'dark' })).toEqual({ theme: 'dark' })
  })

  it.each([
    { theme: 'purple' },
    { mode: 'Safe' },
    { temperature: 2.1 },
    { compactAt: 0.2 },
    { maxTurns: 1.5 },
    { maxTurns: 501 },
    { systemPrompt: 'x'.repeat(100_001) },
    { editor: { fontSize: 13, tabSize: 4, wordWrap: false } },
    { web: { enabled: false } },
    { web: { ...settingsSchema.parse({}).web, searxngUrl: 'ftp://box' } },
    { web: { ...settingsSchema.parse({}).web, localOrigins: ['http://box/path'] } },
    { history: { maxAgeDays: 0, maxMegabytes: null } },
    { endpoints: [{ id: '' }] },
  ])('is refused if a value is invalid or a section is incomplete: %j', (change) => {
    expect(settingsChangeSchema().safeParse(change).success).toBe(false)
  })
})

it('every setting has a title, and every choice a text for each option', () => {
  expect(Object.keys(settingsTable)).toHaveLength(36)
  for (const { path, declaration } of settingRows) {
    expect(declaration.title, path).not.toBe('')
    if (declaration.type === 'choice')
      expect(Object.keys(declaration.texts).toSorted(), path).toEqual([...declaration.options].toSorted())
  }
})
