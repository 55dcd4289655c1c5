import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { ConversationInfo, ConversationSnapshot } from '../../../shared/agent/conversation.ts'
import type { WorkspaceInfo } from '../../../shared/bridge/appState.ts'
import type { McpDefinition, McpState } from '../../../shared/tools/mcp.ts'
import type { ReviewFile, ReviewHunk } from '../../../shared/review/review.ts'
import { completionFiguresSchema } from '../../../shared/editor/inlineCompletion.ts'
import { settingsSchema, type EndpointStatus } from '../../../shared/settings/settings.ts'
import type { JobInfo, ToolInfo, ToolResult } from '../../../shared/tools/tool.ts'
import type { EditorRequestRows, EventRows, RequestRows } from './sampleTypes.ts'
import { gitEventRows, gitRequestRows } from './gitSamples.ts'
import { languageEventRows, languageRequestRows } from './languageSamples.ts'

const callItem = {
  name: 'ñ',
  kind: 'method',
  detail: 'C',
  path: 'a',
  range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 },
}
const colorTheme = { id: 'a.json', label: 'A', base: 'dark' as const, colors: { foreground: '#ffffff' }, tokens: [] }
const stored = { count: 2, bytes: 2048 }
const storageSizes = { conversations: stored, checkpoints: stored, codeIndex: stored, unsaved: stored }
const cleanUpSummary = { conversations: stored, checkpoints: 2, codeIndex: stored, sharedFilesKept: false }
const settings = settingsSchema.parse({})
const workspace: WorkspaceInfo = { root: '/home/ana/señal', name: 'señal', branch: 'main' }
const endpoint = { name: 'Local', kind: 'ollama', baseUrl: 'http://127.0.0.1:11434' } as const
const endpointStatus: EndpointStatus = {
  endpoint: { id: 'e1', hasKey: false, ...endpoint },
  reachable: true,
  models: [{ id: 'qwen', tools: true }],
  discovered: false,
}
const info: ConversationInfo = {
  id: 'c1',
  title: 'Größe',
  createdAt: 1,
  updatedAt: 2,
  workspace: '/w',
  mode: 'safe',
  toolset: 'blade',
}
const snapshot: ConversationSnapshot = {
  info,
  items: [{ id: 'i1', kind: 'user', at: 1, text: 'hola\u0000\u001b[31m' }],
  running: false,
  queue: [],
}
const reviewHunk: ReviewHunk = {
  id: 'h1',
  base: { start: 1, count: 0 },
  current: { start: 1, count: 1 },
  turn: 'i1',
}
const reviewFile: ReviewFile = {
  path: 'a',
  change: 'changed',
  content: 'text',
  added: 1,
  removed: 0,
  hunks: 1,
  revision: 1,
}
const job: JobInfo = { id: 'j1', kind: 'command', command: 'npm test', cwd: '.', state: 'running', startedAt: 1 }
const approval: ApprovalRequest = {
  id: 'a1',
  callId: 'k1',
  tool: 'run_command',
  title: 'Run',
  risk: 'execute',
  mode: 'safe',
  reason: 'It runs a program.',
  destructive: [],
  arguments: { command: 'ls' },
  grantable: { exact: true, prefix: true },
  requestedAt: 1,
}
const result: ToolResult = {
  ok: true,
  text: '1: x',
  view: { kind: 'text' },
  elapsedMs: 1.5,
  arguments: { path: 'a' },
  truncated: false,
}
const tool: ToolInfo = {
  name: 'read_file',
  aliases: [],
  title: 'Read file',
  description: 'Reads.',
  risk: 'read',
  schema: { type: 'object' },
  parameterAliases: {},
}
const server: McpDefinition = { type: 'stdio', command: 'npx', args: [], env: {} }
const servers: McpState = {
  servers: [
    {
      key: 'h1',
      name: 'fs',
      origin: 'workspace',
      file: '.mcp.json',
      definition: server,
      state: 'untrusted',
      log: ['é\u001b[1m'],
      inputs: [{ name: 'token', stored: false }],
      tools: [],
    },
  ],
  problems: ['x'],
}
const format = { encoding: 'utf8', eol: '\n' } as const
const nextEdit = {
  id: 'k2',
  path: 'a.ts',
  above: [],
  lines: ['a'],
  below: [],
  firstLine: 1,
  cursor: { line: 0, character: 1 },
  edits: [{ path: 'a.ts', line: 1, before: [''], after: ['a'] }],
}
const completion = { id: 'k1', path: 'a.ts', line: 1, before: 'const a = ', after: '' }
const inlineEdit = {
  id: 'e1',
  path: 'a.ts',
  language: 'typescript',
  selection: ['one'],
  line: 2,
  before: 'zero',
  after: '',
  indentation: { tabs: false, size: 2 },
  conversationId: 'c1',
  instruction: 'two lines',
  earlier: [{ instruction: 'one line', lines: ['uno'] }],
}
const placeBlock = {
  path: 'a.ts',
  text: 'one\n',
  code: 'two',
  language: 'ts',
  selection: null,
  cursor: { start: 1, count: 0 },
  indentation: { tabs: true, size: 4 },
}

export const requestRows: RequestRows = {
  'app.state': {
    send: {},
    handled: {},
    result: {
      version: '1',
      shell: 'browser',
      platform: 'linux',
      home: '/home/ana',
      workspace,
      recents: ['/a'],
      hostFeatures: { revealFile: false, trash: false },
      settings,
      keybindings: [],
      conversation: snapshot,
      approvals: [approval],
      jobs: [job],
      sandbox: { kind: 'available', program: 'bubblewrap' },
    },
  },
  'app.diagnostics': { send: {}, handled: {}, result: 'Tizona 1' },
  'log.read': { send: {}, handled: {}, result: { path: '/logs/tizona.log', text: 'é', truncated: false } },
  'log.write': {
    send: { level: 'error', message: 'x' },
    handled: { level: 'error', message: 'x' },
    result: undefined,
  },
  'workspace.open': { send: { path: '/w' }, handled: { path: '/w' }, result: workspace },
  'audit.read': {
    send: {},
    handled: {},
    result: {
      path: '/logs/audit.jsonl',
      entries: [
        { at: 1, verdict: 'allowed', by: 'mode', tool: 'x', risk: 'read', mode: 'safe', callId: 'c', client: 'window' },
      ],
      truncated: false,
    },
  },
  'trust.effects': {
    send: {},
    handled: {},
    result: { effects: [{ kind: 'server', name: 'tools', detail: 'node x.js' }], more: false, parent: '/home' },
  },
  'trust.decide': { send: { choice: 'folder' }, handled: { choice: 'folder' }, result: workspace },
  'workspace.close': { send: {}, handled: {}, result: undefined },
  'window.open': { send: { path: '/a' }, handled: { path: '/a' }, result: undefined },
  'window.focusFolder': { send: { path: '/a' }, handled: { path: '/a' }, result: false },
  'workspace.pick': { send: {}, handled: {}, result: null },
  'workspace.forgetRecent': { send: { path: '/w' }, handled: { path: '/w' }, result: undefined },
  'workspace.clearRecents': { send: {}, handled: {}, result: undefined },
  'folders.list': { send: {}, handled: {}, result: { path: '/', folders: [{ name: 'home', path: '/home' }] } },
  'files.list': {
    send: { path: '.' },
    handled: { path: '.' },
    result: [{ name: 'a', path: 'a', type: 'file', directory: false, ignored: false }],
  },
  'files.read': {
    send: { path: 'a' },
    handled: { path: 'a' },
    result: { path: 'a', text: 'é\n', format, stamp: 's', readonly: false },
  },
  'files.write': {
    send: { path: 'a', text: 'b', format },
    handled: { path: 'a', text: 'b', format, force: false },
    result: { stamp: 't' },
  },
  'files.readBatch': {
    send: { paths: ['a', 'b'] },
    handled: { paths: ['a', 'b'] },
    result: [
      { ok: true, file: { path: 'a', text: 'é\n', format, stamp: 's', readonly: false } },
      { ok: false, error: { code: 'not_found', message: 'm', next: 'n' } },
    ],
  },
  'files.writeBatch': {
    send: { files: [{ path: 'a', text: 'b', format }] },
    handled: { files: [{ path: 'a', text: 'b', format }] },
    result: [{ ok: true, file: { stamp: 't' } }],
  },
  'files.makeWritable': { send: { path: 'a' }, handled: { path: 'a' }, result: undefined },
  'files.create': { send: { path: 'a' }, handled: { path: 'a', directory: false }, result: undefined },
  'files.move': { send: { from: 'a', to: 'b' }, handled: { from: 'a', to: 'b' }, result: undefined },
  'files.copy': { send: { from: 'a', to: 'b' }, handled: { from: 'a', to: 'b' }, result: undefined },
  'files.beginUpload': { send: { path: 'a' }, handled: { path: 'a', overwrite: false }, result: '1' },
  'files.uploadPiece': { send: { id: '1', base64: 'AAE=' }, handled: { id: '1', base64: 'AAE=' }, result: undefined },
  'files.finishUpload': { send: { id: '1' }, handled: { id: '1' }, result: undefined },
  'files.cancelUpload': { send: { id: '1' }, handled: { id: '1' }, result: undefined },
  'files.delete': { send: { path: 'a' }, handled: { path: 'a', keep: false }, result: { id: '1' } },
  'files.trash': { send: { path: 'a' }, handled: { path: 'a' }, result: { trashed: false, reason: 'full' } },
  'files.restoreDeleted': { send: { id: '1' }, handled: { id: '1' }, result: 'a' },
  'files.reveal': { send: { path: 'a' }, handled: { path: 'a' }, result: undefined },
  'files.locate': {
    send: { paths: ['/w/a'] },
    handled: { paths: ['/w/a'] },
    result: [{ path: '/w/a', kind: 'file', inWorkspace: 'a' }],
  },
  'links.locate': {
    send: { paths: ['a'], names: ['f'] },
    handled: { paths: ['a'], names: ['f'] },
    result: { files: ['a'], symbols: [{ name: 'f', path: 'a', line: 1, column: 2, several: false }] },
  },
  'files.bytes': {
    send: { path: 'a', length: 2 },
    handled: { path: 'a', offset: 0, length: 2 },
    result: { base64: 'AAE=', size: 3 },
  },
  'files.textPart': {
    send: { path: 'a' },
    handled: { path: 'a', part: 0 },
    result: { text: 'a\n', encoding: 'utf8', size: 2, parts: 1 },
  },
  'files.editorConfig': {
    send: { path: 'a' },
    handled: { path: 'a' },
    result: { indentStyle: 'space', indentSize: 2 },
  },
  'files.format': {
    send: { path: 'a.ts', text: 'a' },
    handled: { path: 'a.ts', text: 'a' },
    result: { text: 'a', formatter: 'Prettier' },
  },
  'files.find': { send: { query: 'a' }, handled: { query: 'a', limit: 50 }, result: ['a'] },
  'search.text': {
    send: { query: 'a' },
    handled: {
      query: 'a',
      regex: false,
      caseSensitive: false,
      wholeWord: false,
      include: '',
      exclude: '',
      limit: 1000,
    },
    result: { matches: [], total: 0, truncated: false },
  },
  'code.definition': {
    send: { path: 'a', line: 1, column: 2 },
    handled: { path: 'a', line: 1, column: 2 },
    result: { places: [{ path: 'b', line: 3, column: 1, name: 'x' }], resolved: true, name: 'x', column: 1 },
  },
  'code.references': {
    send: { path: 'a', line: 1, column: 2 },
    handled: { path: 'a', line: 1, column: 2, limit: 1000 },
    result: { places: [], total: 0 },
  },
  'code.rename': {
    send: { path: 'a', line: 1, column: 2, newName: 'b' },
    handled: { path: 'a', line: 1, column: 2, newName: 'b' },
    result: { name: 'a', newName: 'b', files: [], taken: [], moreMentions: 0 },
  },
  'inlineEdit.run': {
    send: inlineEdit,
    handled: { ...inlineEdit, cursorIndent: '' },
    result: { lines: ['one', 'two'], warning: 'The prompt was cut.' },
  },
  'inlineEdit.place': {
    send: placeBlock,
    handled: placeBlock,
    result: { start: 1, count: 1, lines: ['two'] },
  },
  'completion.suggest': { send: completion, handled: completion, result: { text: 'b', replaces: 0, cached: false } },
  'completion.nextEdit': { send: nextEdit, handled: nextEdit, result: { line: 1, count: 1, lines: ['b'] } },
  'completion.cancel': { send: { id: 'k1' }, handled: { id: 'k1' }, result: undefined },
  'completion.seen': { send: { path: 'a', text: 'b' }, handled: { path: 'a', text: 'b' }, result: undefined },
  'completion.outcome': {
    send: { shown: 1 },
    handled: { shown: 1, accepted: 0, acceptedCharacters: 0, checkedCharacters: 0, keptCharacters: 0 },
    result: undefined,
  },
  'completion.figures': { send: {}, handled: {}, result: completionFiguresSchema.parse({}) },
  'completion.resetFigures': { send: {}, handled: {}, result: completionFiguresSchema.parse({}) },
  'completion.testNextEdit': {
    send: { endpointId: 'e', model: 'm' },
    handled: { endpointId: 'e', model: 'm' },
    result: { form: 'Zeta 2.1', ms: 12, sample: 'a' },
  },
  'completion.test': {
    send: { endpointId: 'e', model: 'm' },
    handled: { endpointId: 'e', model: 'm' },
    result: { form: '/infill of llama.cpp', ms: 12, sample: 'return 1' },
  },
  'inlineEdit.cancel': { send: { id: 'e1' }, handled: { id: 'e1' }, result: undefined },
  'code.hover': { send: { path: 'a', line: 1, column: 2 }, handled: { path: 'a', line: 1, column: 2 }, result: null },
  'code.callHierarchy': {
    send: { path: 'a', line: 1, column: 2, direction: 'incoming' },
    handled: { path: 'a', line: 1, column: 2, direction: 'incoming' },
    result: {
      item: callItem,
      calls: [{ item: { ...callItem, library: 'i1' }, ranges: [callItem.range], certain: true }],
      more: 0,
    },
  },
  'code.outline': {
    send: { path: 'a' },
    handled: { path: 'a', indexOnly: false },
    result: { path: 'a', language: null, supported: false, problem: '', symbols: [] },
  },
  'code.symbols': {
    send: { query: 'a' },
    handled: { query: 'a', limit: 100, indexOnly: false },
    result: { symbols: [], building: { done: 1, total: 2 } },
  },
  'buffers.sync': {
    send: { path: 'a', open: true, dirty: false, text: null },
    handled: { path: 'a', open: true, dirty: false, text: null },
    result: undefined,
  },
  'buffers.edit': {
    send: { path: 'a', base: 1, version: 2, changes: [{ offset: 0, length: 1, text: 'x' }], length: 1 },
    handled: { path: 'a', base: 1, version: 2, changes: [{ offset: 0, length: 1, text: 'x' }], length: 1 },
    result: true,
  },
  'buffers.discard': { send: { paths: ['a'] }, handled: { paths: ['a'] }, result: undefined },
  'buffers.list': { send: {}, handled: {}, result: [{ path: 'a', dirty: true, text: 'x' }] },
  'layout.save': { send: { layout: '{}' }, handled: { layout: '{}' }, result: undefined },
  'layout.load': { send: {}, handled: {}, result: '{}' },
  'keybindings.set': {
    send: { bindings: [{ key: 'f9', command: 'file.save' }] },
    handled: { bindings: [{ key: 'f9', command: 'file.save' }] },
    result: undefined,
  },
  'settings.document': { send: {}, handled: {}, result: { text: '{}', schema: {}, folderSchema: {} } },
  'settings.setDocument': { send: { text: '{}' }, handled: { text: '{}' }, result: settings },
  'settings.folder': { send: {}, handled: {}, result: { settings: { editor: { tabSize: 2 } }, problem: '' } },
  'settings.setFolder': {
    send: { name: 'tabSize', value: 2 },
    handled: { name: 'tabSize', value: 2 },
    result: { settings: { editor: { tabSize: 2 } }, problem: '' },
  },
  'userFiles.snippets': { send: {}, handled: {}, result: ['snippets/ñ.json'] },
  'userFiles.read': {
    send: { file: 'keybindings.json' },
    handled: { file: 'keybindings.json' },
    result: { text: '[]', exists: true },
  },
  'userFiles.write': {
    send: { file: 'snippets/python.json', text: '{}' },
    handled: { file: 'snippets/python.json', text: '{}' },
    result: undefined,
  },
  'snippets.list': {
    send: {},
    handled: {},
    result: [{ name: 'Log', prefixes: ['log'], body: 'log($0)', description: '', languages: null }],
  },
  'themes.list': { send: {}, handled: {}, result: [colorTheme] },
  'themes.add': {
    send: { name: 'a.json', text: '{}' },
    handled: { name: 'a.json', text: '{}', included: [] },
    result: colorTheme,
  },
  'themes.addPackage': {
    send: { name: 'a.vsix', data: 'AAAA' },
    handled: { name: 'a.vsix', data: 'AAAA' },
    result: [colorTheme],
  },
  'themes.remove': { send: { id: 'a.json' }, handled: { id: 'a.json' }, result: undefined },
  'settings.set': { send: { theme: 'light' }, handled: { theme: 'light' }, result: settings },
  'storage.sizes': { send: {}, handled: {}, result: storageSizes },
  'storage.planCleanUp': { send: {}, handled: {}, result: cleanUpSummary },
  'storage.cleanUp': { send: {}, handled: {}, result: cleanUpSummary },
  'web.setBraveKey': { send: { key: null }, handled: { key: null }, result: settings },
  'endpoints.list': { send: {}, handled: { probe: false }, result: [endpointStatus] },
  'machine.get': { send: {}, handled: {}, result: { memory: 17_179_869_184, platform: 'linux' } },
  'models.download': {
    send: { endpointId: 'local-11434', model: 'qwen3:4b' },
    handled: { endpointId: 'local-11434', model: 'qwen3:4b' },
    result: undefined,
  },
  'models.cancelDownload': {
    send: { endpointId: 'local-11434', model: 'qwen3:4b' },
    handled: { endpointId: 'local-11434', model: 'qwen3:4b' },
    result: undefined,
  },
  'modelCheck.start': {
    send: { endpointId: 'e1', model: 'qwen', steps: ['read'] },
    handled: { endpointId: 'e1', model: 'qwen', steps: ['read'] },
    result: undefined,
  },
  'modelCheck.cancel': { send: {}, handled: {}, result: undefined },
  'modelCheck.state': { send: {}, handled: {}, result: { running: null, problem: 'Größe', reports: [] } },
  'modelCheck.apply': { send: { id: 'r1' }, handled: { id: 'r1' }, result: undefined },
  'modelCheck.export': {
    send: { id: 'r1', format: 'markdown' },
    handled: { id: 'r1', format: 'markdown' },
    result: { name: 'a.md', text: '# señal' },
  },
  'modelCheck.remove': { send: { id: 'r1' }, handled: { id: 'r1' }, result: undefined },
  'models.check': {
    send: { endpointId: 'local-11434', model: 'qwen3:4b' },
    handled: { endpointId: 'local-11434', model: 'qwen3:4b' },
    result: { calls: 'native', contextWindow: 16_384, firstAnswerMs: 800, totalMs: 1200 },
  },
  'tasks.list': { send: {}, handled: {}, result: [{ name: 'test', command: 'npm run test', source: 'package.json' }] },
  'tests.find': {
    send: { path: 'a.test.ts', text: "it('adds')" },
    handled: { path: 'a.test.ts', text: "it('adds')" },
    result: [{ name: 'adds', line: 1, command: 'npx vitest run a.test.ts -t adds' }],
  },
  'messages.suggest': { send: {}, handled: {}, result: [{ icon: 'beaker', text: 'Run the tests' }] },
  'endpoints.look': { send: {}, handled: {}, result: undefined },
  'endpoints.save': {
    send: { endpoint, key: null },
    handled: { endpoint: { ...endpoint, hasKey: false }, key: null },
    result: endpointStatus,
  },
  'endpoints.remove': { send: { id: 'e1' }, handled: { id: 'e1' }, result: undefined },
  'endpoints.pickFile': { send: {}, handled: {}, result: '/models/a.gguf' },
  'endpoints.test': {
    send: { endpoint },
    handled: { endpoint: { ...endpoint, hasKey: false } },
    result: endpointStatus,
  },
  'mcp.state': { send: {}, handled: {}, result: servers },
  'mcp.save': {
    send: { name: 'fs', definition: { command: 'npx' } },
    handled: { name: 'fs', definition: server, secrets: {} },
    result: servers,
  },
  'mcp.remove': { send: { name: 'fs' }, handled: { name: 'fs' }, result: servers },
  'mcp.trust': { send: { key: 'h1', trusted: true }, handled: { key: 'h1', trusted: true }, result: servers },
  'mcp.setSecrets': {
    send: { key: 'h1', secrets: { token: null } },
    handled: { key: 'h1', secrets: { token: null } },
    result: servers,
  },
  'mcp.setOff': { send: { key: 'h1', off: true }, handled: { key: 'h1', off: true }, result: servers },
  'mcp.setTool': {
    send: { key: 'h1', tool: 'read', risk: null, fingerprint: 'f' },
    handled: { key: 'h1', tool: 'read', risk: null, fingerprint: 'f' },
    result: servers,
  },
  'mcp.restart': { send: { key: 'h1' }, handled: { key: 'h1' }, result: servers },
  'mcp.findSignIn': {
    send: { key: 'h1' },
    handled: { key: 'h1' },
    result: { host: 'auth.example.org', server: 'mcp.example.org', scopes: ['read'] },
  },
  'mcp.signIn': {
    send: { key: 'h1', host: 'auth.example.org' },
    handled: { key: 'h1', host: 'auth.example.org' },
    result: servers,
  },
  'mcp.cancelSignIn': { send: { key: 'h1' }, handled: { key: 'h1' }, result: servers },
  'mcp.prompt': {
    send: { command: 'fs__review', args: { file: 'é' } },
    handled: { command: 'fs__review', args: { file: 'é' } },
    result: 'Review é.',
  },
  'mcp.signOut': { send: { key: 'h1' }, handled: { key: 'h1' }, result: servers },
  'conversations.list': { send: {}, handled: {}, result: [info] },
  'conversations.create': { send: {}, handled: {}, result: snapshot },
  'conversations.open': { send: { id: 'c1' }, handled: { id: 'c1' }, result: snapshot },
  'conversations.earlier': {
    send: { id: 'c1', before: 'i1', count: 50 },
    handled: { id: 'c1', before: 'i1', count: 50 },
    result: { items: snapshot.items, earlier: 0 },
  },
  'conversations.update': { send: { id: 'c1', mode: 'yolo' }, handled: { id: 'c1', mode: 'yolo' }, result: info },
  'conversations.delete': { send: { id: 'c1' }, handled: { id: 'c1' }, result: undefined },
  'conversations.send': {
    send: { id: 'c1', text: 'go @a @b', chosen: ['@a'], mentions: ['@a'], steer: true },
    handled: { id: 'c1', text: 'go @a @b', chosen: ['@a'], mentions: ['@a'], steer: true },
    result: { queued: true },
  },
  'conversations.changeQueued': {
    send: { id: 'c1', messageId: 'm1', steer: true },
    handled: { id: 'c1', messageId: 'm1', steer: true },
    result: undefined,
  },
  'conversations.unqueue': {
    send: { id: 'c1', messageId: 'm1' },
    handled: { id: 'c1', messageId: 'm1' },
    result: undefined,
  },
  'conversations.prepareCheckpoint': { send: {}, handled: {}, result: undefined },
  'conversations.stop': { send: { id: 'c1' }, handled: { id: 'c1' }, result: undefined },
  'conversations.stopCall': {
    send: { id: 'c1', itemId: 'i1' },
    handled: { id: 'c1', itemId: 'i1' },
    result: undefined,
  },
  'conversations.retry': { send: { id: 'c1' }, handled: { id: 'c1' }, result: undefined },
  'conversations.resend': {
    send: { id: 'c1', itemId: 'i1', text: 'x' },
    handled: { id: 'c1', itemId: 'i1', text: 'x' },
    result: undefined,
  },
  'images.add': {
    send: { label: 'a.png', data: 'iVBORw0KGgo=' },
    handled: { label: 'a.png', data: 'iVBORw0KGgo=' },
    result: { kind: 'image', id: 'h1', label: 'a.png', mimeType: 'image/png', width: 1, height: 1, size: 8 },
  },
  'images.read': {
    send: { id: 'h1' },
    handled: { id: 'h1' },
    result: { mimeType: 'image/png', base64: 'iVBORw0KGgo=' },
  },
  'prompts.list': {
    send: {},
    handled: {},
    result: [{ name: 'fix', description: 'Fix an issue', hint: 'number', source: 'workspace' }],
  },
  'prompts.expand': {
    send: { name: 'fix', args: '12' },
    handled: { name: 'fix', args: '12' },
    result: 'Fix issue 12.',
  },
  'conversations.compact': { send: { id: 'c1' }, handled: { id: 'c1' }, result: undefined },
  'conversations.continue': { send: { id: 'c1' }, handled: { id: 'c1' }, result: undefined },
  'conversations.restorePreview': {
    send: { id: 'c1', itemId: 'i1' },
    handled: { id: 'c1', itemId: 'i1' },
    result: {
      checkpoint: { id: 3, at: 1 },
      changes: [{ path: 'a', change: 'changed' }],
      unsaved: ['a'],
      jobs: [job],
      items: 2,
    },
  },
  'conversations.restoreDiff': {
    send: { checkpoint: 3, path: 'a' },
    handled: { checkpoint: 3, path: 'a' },
    result: { path: 'a', change: 'modified', diff: '', added: 0, removed: 0 },
  },
  'conversations.restore': {
    send: { id: 'c1', itemId: 'i1', files: true, conversation: false },
    handled: { id: 'c1', itemId: 'i1', files: true, conversation: false },
    result: { text: null, changed: 1, skipped: [{ path: 'a', why: 'unsaved' }] },
  },
  'conversations.undoRestore': {
    send: { id: 'c1', itemId: 'i1' },
    handled: { id: 'c1', itemId: 'i1' },
    result: { text: null, changed: 1, skipped: [] },
  },
  'conversations.fork': { send: { id: 'c1' }, handled: { id: 'c1' }, result: { conversation: snapshot, text: 'x' } },
  'conversations.export': {
    send: { id: 'c1', format: 'json' },
    handled: { id: 'c1', format: 'json' },
    result: { name: 'a.json', text: '{}' },
  },
  'conversations.import': { send: { text: '{}' }, handled: { text: '{}' }, result: snapshot },
  'tour.start': {
    send: {},
    handled: {},
    result: { workspace, conversation: snapshot, prompt: 'Look', selection: { path: 'a', text: 'x' } },
  },
  'approvals.decide': {
    send: { requestId: 'a1', decision: { kind: 'once' } },
    handled: { requestId: 'a1', decision: { kind: 'once' } },
    result: undefined,
  },
  'approvals.explain': {
    send: { command: 'ls', mode: 'safe' },
    handled: { command: 'ls', mode: 'safe' },
    result: { verdict: 'allow', mode: 'safe', source: 'readOnly', reason: 'Only read-only commands.', commands: [] },
  },
  'approvals.builtIn': { send: {}, handled: {}, result: ['ls'] },
  'review.list': {
    send: { scope: { kind: 'pending' } },
    handled: { scope: { kind: 'pending' } },
    result: { files: [reviewFile], added: 1, removed: 0, canUndo: true, canRedo: false, lastAction: 'Keep 1 file' },
  },
  'review.hunks': {
    send: { scope: { kind: 'turn', conversation: 'c1', message: 'i1' }, path: 'a' },
    handled: { scope: { kind: 'turn', conversation: 'c1', message: 'i1' }, path: 'a' },
    result: { ...reviewFile, revision: 2, hunkList: [{ ...reviewHunk, baseLines: [] }] },
  },
  'review.excerpts': {
    send: { scope: { kind: 'pending' }, path: 'a' },
    handled: { scope: { kind: 'pending' }, path: 'a' },
    result: {
      ...reviewFile,
      revision: 2,
      excerpts: [{ ...reviewHunk, lines: { oldStart: 1, newStart: 1, section: '', lines: [] }, hidden: 0 }],
    },
  },
  'review.file': {
    send: { scope: { kind: 'checkpoint', checkpoint: 3 }, path: 'a' },
    handled: { scope: { kind: 'checkpoint', checkpoint: 3 }, path: 'a' },
    result: { ...reviewFile, revision: 2, baseText: '', currentText: 'ñ\n', hunkList: [reviewHunk] },
  },
  'review.keep': {
    send: { scope: { kind: 'conversation', conversation: 'c1' }, targets: 'all' },
    handled: { scope: { kind: 'conversation', conversation: 'c1' }, targets: 'all' },
    result: { changed: ['a'], skipped: [] },
  },
  'review.undo': {
    send: { scope: { kind: 'pending' }, targets: [{ path: 'a', hunks: ['h1'], revision: 2 }] },
    handled: { scope: { kind: 'pending' }, targets: [{ path: 'a', hunks: ['h1'], revision: 2 }] },
    result: { changed: [], skipped: [{ path: 'a', why: 'It has changed.' }], queued: true },
  },
  'review.revert': { send: {}, handled: {}, result: { changed: ['a'], skipped: [] } },
  'review.redo': { send: {}, handled: {}, result: { changed: ['a'], skipped: [] } },
  'review.comment': {
    send: { conversation: 'c1', comments: [{ path: 'a', line: 1, text: '¿por qué?' }] },
    handled: { conversation: 'c1', comments: [{ path: 'a', line: 1, text: '¿por qué?' }] },
    result: { queued: false },
  },
  'edits.undo': { send: { editId: 'd1' }, handled: { editId: 'd1' }, result: { paths: ['a'] } },
  'results.full': { send: { callId: 'k1' }, handled: { callId: 'k1' }, result: 'whole' },
  'tools.list': { send: { toolset: 'blade' }, handled: { toolset: 'blade' }, result: [tool] },
  'tools.call': {
    send: { callId: 'k1', name: 'read_file', arguments: { path: 'a' }, toolset: 'blade', mode: 'safe' },
    handled: { callId: 'k1', name: 'read_file', arguments: { path: 'a' }, toolset: 'blade', mode: 'safe' },
    result,
  },
  'tools.cancel': { send: { callId: 'k1' }, handled: { callId: 'k1' }, result: undefined },
  'jobs.list': { send: {}, handled: {}, result: [job] },
  'jobs.output': { send: { id: 'j1' }, handled: { id: 'j1' }, result: '\u001b[1mok' },
  'jobs.input': { send: { id: 'j1', data: 'y\r' }, handled: { id: 'j1', data: 'y\r' }, result: undefined },
  'jobs.resize': {
    send: { id: 'j1', columns: 80, rows: 24 },
    handled: { id: 'j1', columns: 80, rows: 24 },
    result: undefined,
  },
  'jobs.stop': { send: { id: 'j1' }, handled: { id: 'j1' }, result: undefined },
  'jobs.rename': {
    send: { id: 'j1', name: 'café' },
    handled: { id: 'j1', name: 'café' },
    result: undefined,
  },
  'jobs.forget': { send: { id: 'j1' }, handled: { id: 'j1' }, result: undefined },
  'terminal.open': {
    send: { columns: 80, rows: 24 },
    handled: { columns: 80, rows: 24 },
    result: { ...job, kind: 'terminal' },
  },
  ...gitRequestRows,
  ...languageRequestRows,
  'app.openExternal': {
    send: { url: 'https://example.org/' },
    handled: { url: 'https://example.org/' },
    result: undefined,
  },
}

export const eventRows: EventRows = {
  ...gitEventRows,
  ...languageEventRows,
  'workspace.changed': null,
  'recents.changed': ['/a'],
  'files.changed': { changes: [{ path: 'a', change: 'changed', directory: false }], overflow: false },
  'review.changed': { paths: ['a'] },
  'settings.changed': settings,
  'snippets.changed': { file: 'snippets/ñ.json' },
  'keybindings.changed': { keybindings: [{ key: 'f9', command: 'file.save' }] },
  'modelCheck.changed': {
    running: {
      endpointId: 'e1',
      model: 'qwen',
      startedAt: 1,
      steps: [{ step: 'read', state: 'running' }],
      cancelling: false,
    },
    problem: null,
    reports: [],
  },
  'models.downloadProgress': {
    endpointId: 'local-11434',
    model: 'qwen3:4b',
    status: 'pulling manifest',
    completed: 0,
    total: 0,
  },
  'endpoints.changed': [endpointStatus],
  'mcp.changed': servers,
  'conversation.info': info,
  'conversation.item': { conversationId: 'c1', item: { id: 'i1', kind: 'user', at: 1, text: 'hola' }, isNew: true },
  'conversation.delta': { conversationId: 'c1', itemId: 'i2', text: '…' },
  'conversation.truncated': { conversationId: 'c1', fromItemId: 'i1' },
  'conversation.status': { conversationId: 'c1', running: true, queue: [], note: 'Loading model…' },
  'conversation.context': {
    conversationId: 'c1',
    context: {
      window: 8192,
      assumed: false,
      profile: 'compact',
      system: 200,
      tools: 900,
      files: 1500,
      conversation: 700,
      answer: 1024,
      compactAt: 6144,
      exact: true,
    },
  },
  'conversation.turnEnded': { conversationId: 'c1', outcome: 'done' },
  'approval.requested': approval,
  'approval.resolved': { requestId: 'a1' },
  'completion.problem': { problem: 'x' },
  'inlineEdit.progress': { id: 'e1', progress: { kind: 'lines', keep: 1, lines: ['two'] } },
  'tool.progress': { callId: 'k1', progress: { kind: 'text', text: '3 files' } },
  'job.changed': job,
  'job.output': { id: 'j1', data: '\u001b[32m✓' },
  'job.forgotten': { id: 'j1' },
  'sandbox.changed': { state: { kind: 'available', program: 'bubblewrap' } },
  notice: { level: 'info', message: 'Saved' },
  command: { id: 'workspace.openRecent', argument: '/a' },
  'app.detached': { reason: 'another window' },
}

const range = { path: 'a', startLine: 1, startColumn: 1, endLine: 2, endColumn: 3 }
export const editorRequestRows: EditorRequestRows = {
  'editor.state': {
    params: {},
    result: {
      active_file: null,
      open_files: [],
      active_tab_index: null,
      cursor_line: null,
      cursor_column: null,
      selection_start_line: null,
      selection_end_line: null,
    },
  },
  'editor.open': { params: { path: 'a', line: 3 }, result: { path: 'a', line: 3, column: 1 } },
  'editor.goto': { params: { line: 3 }, result: { path: 'a', line: 3, column: 1 } },
  'editor.selection': { params: {}, result: { ...range, text: 'é' } },
  'editor.problems': {
    params: {},
    result: { problems: [{ path: 'a', line: 1, column: 2, severity: 'error', message: 'x' }] },
  },
  'editor.replaceSelection': { params: { content: 'x' }, result: { ...range, replaced: 'é', dirty: true } },
  'editor.insertAtCursor': { params: { content: 'x' }, result: { ...range, replaced: '', dirty: true } },
  'editor.buffer': { params: { path: 'a' }, result: { text: 'x', dirty: true } },
  'editor.applyText': { params: { path: 'a', expected: 'x', text: 'y', saved: false }, result: { applied: true } },
}
