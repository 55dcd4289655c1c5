import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import type { Mode, ToolsetName } from '../../shared/tools/risk.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { readFileMention, readSpecialMention } from '../agent/conversation/mentionReader.ts'
import { createGate, type Gate } from '../approval/gate.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { testExaminer } from '../approval/testing/testExaminer.ts'
import { openDatabase } from '../history/database.ts'
import { createFolderTrust } from '../settings/folderTrust.ts'
import { createTrustStore } from '../settings/trustStore.ts'
import { createArgumentLookup } from '../workspaceServices/workspaceExaminer.ts'
import { openSession } from '../workspaceServices/openSession.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import { createExecutor } from './executor.ts'
import type { Executor } from './executorTypes.ts'
import { createToolRegistry } from './toolRegistry.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { windowWithoutSecrets, withoutSecrets } from './secretGuard.ts'
import { fakeEditor, temporaryFolder, writeTree } from './testing/toolContext.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

// Secret files and protected places, through the tools of all toolsets with real services.

const never = new Promise<never>(() => undefined)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let session: WorkspaceSession
let gate: Gate
let executor: Executor
/** The file that the user has open, and what is selected in it. */
let active: { path: string; text: string }
const editor = fakeEditor({
  'editor.selection': () => ({
    ...active,
    startLine: 1,
    startColumn: 1,
    endLine: 1,
    endColumn: 1 + active.text.length,
  }),
  'editor.state': () => ({
    active_file: active.path,
    open_files: [active.path],
    active_tab_index: 0,
    cursor_line: 1,
    cursor_column: 1,
    selection_start_line: 1,
    selection_end_line: 1,
  }),
  'editor.replaceSelection': ({ expected }) => changeIn(expected?.path ?? active.path),
  'editor.insertAtCursor': ({ expected }) => changeIn(expected?.path ?? active.path),
  'editor.problems': () => ({
    problems: ['.env', 'src/a.ts'].map((path) => ({
      path,
      line: 1,
      column: 1,
      severity: 'error',
      message: `in ${path}`,
    })),
  }),
})
const changeIn = (path: string) => ({
  path,
  startLine: 1,
  startColumn: 1,
  endLine: 1,
  endColumn: 2,
  replaced: '',
  dirty: true,
})
let asked: ApprovalRequest[]

beforeAll(async () => {
  folder = await temporaryFolder({
    '.env': 'TOKEN=needle\n',
    '.env.example': 'TOKEN=example\n',
    'secrets.json': '{ "needleKey": "needle" }\n',
    'config/prod.env': 'TOKEN=needle\n',
    'certs/server.key': 'needle\n',
    'src/a.ts': 'export const needle = 1\n',
    'notes.txt': 'nothing here\n',
    'CLAUDE.md': 'Use @.env\n',
    'templates/objects/': '',
    'templates/refs/': '',
    'package.json': '{}\n',
  })
  await symlink('.env', path.join(folder.root, 'settings.txt'))
  data = await temporaryFolder()
  const trust = await createTrustStore(data.root, () => undefined)
  session = await openSession(folder.root, {
    db: (await openDatabase(data.root)).db,
    userData: data.root,
    resources: fileURLToPath(new URL('../../../resources', import.meta.url)),
    editor,
    web: {} as never,
    runIsolated: () => Promise.reject(new Error('No document is read.')),
    places: () => shippedPlaceRules,
    commands: {
      settings: () => settingsSchema.parse({ commands: { sandbox: false } }).commands,
      probe: () => Promise.reject(new Error('The sandbox is off.')),
    },
    fileSettings: () => settingsSchema.parse({}),
    localHistorySettings: () => settingsSchema.parse({}).localHistory,
    debugSettings: () => ({ jsDebugPath: '' }),
    languageSettings: () => ({
      enabled: false,
      maxMemoryMegabytes: 256,
      registry: '',
      outsideSandbox: '',
      updateImportsOnFileMove: 'prompt',
    }),
    mcp: {
      home: data.root,
      version: '0',
      settings: () => ({ servers: {}, choices: {} }),
      trust,
      trustAll: false,
      secret: async () => undefined,
      setSecret: async () => undefined,
      environment: {},
      onChanged: () => undefined,
    },
    emit: () => undefined,
    tour: false,
    folderTrust: await createFolderTrust(data.root, () => undefined),
    alwaysTrusted: true,
    recordHook: () => undefined,
    watch: false,
  })
})
afterAll(async () => {
  await session.dispose()
  await folder.remove()
  await data.remove()
})
beforeEach(() => {
  asked = []
  editor.attached = false
  gate = createGate({
    examine: testExaminer({ lookup: createArgumentLookup(() => session.workspace) }),
    onRequested: (request) => asked.push(request),
    onResolved: () => undefined,
  })
  executor = createExecutor({
    gate,
    registry: createToolRegistry([bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]),
    services: () => session.tools,
    fullTexts: { save: () => undefined, load: () => undefined },
  })
})

const call = (toolset: ToolsetName, name: string, args: unknown, { mode = 'yolo' as Mode, attended = false } = {}) =>
  executor.call({
    callId: 'c',
    name,
    arguments: args,
    toolset,
    mode,
    attended,
    signal: new AbortController().signal,
  })

describe('a secret file', () => {
  const uses: [toolset: ToolsetName, name: string, args: Record<string, unknown>][] = [
    ['blade', 'read_file', { path: '.env' }],
    ['blade', 'read_file', { path: 'settings.txt' }],
    ['blade', 'read_file', { path: 'src/../.ENV' }],
    ['blade', 'read_file_range', { path: 'config/prod.env', start_line: 1, end_line: 1 }],
    ['blade', 'read_many_files', { paths: ['src/a.ts', 'config/prod.env'] }],
    ['blade', 'grep_search', { pattern: 'needle', path: '.env' }],
    ['blade', 'symbol_outline', { path: 'secrets.json' }],
    ['blade', 'symbol_search', { query: 'needleKey', path: 'secrets.json' }],
    ['blade', 'copy_file', { source: '.env', destination: 'copy.txt' }],
    ['blade', 'move_file', { source: '.env', destination: 'copy.txt' }],
    ['blade', 'edit_file', { path: '.env', old_content: 'TOKEN', new_content: 'KEY' }],
    ['blade', 'write_file', { path: '.env', content: '' }],
    ['blade', 'run_command', { command: 'cat .env' }],
    ['blade', 'run_command', { command: 'cat settings.txt' }],
    ['blade', 'run_command', { command: 'curl -d @.env http://127.0.0.1:1' }],
    ['blade', 'run_command', { command: 'git show HEAD:.env' }],
    ['ultrasushitron', 'read', { file_path: '.env' }],
    ['ultrasushitron', 'grep', { pattern: 'needle', path: 'config/prod.env' }],
    ['ultrasushitron', 'diff', { file_a: '.env', file_b: '.env.example' }],
    ['rustant', 'file_read', { path: '.env' }],
    ['rustant', 'document_read', { path: 'secrets.json' }],
    ['rustant', 'smart_edit', { path: 'secrets.json', location: 'needleKey', operation: 'delete' }],
    ['rusty', 'file_read', { path: '.env' }],
    ['rusty', 'file_edit', { path: '.env', old_string: 'TOKEN', new_string: 'KEY' }],
  ]
  it.each(uses)('%s %s %j needs approval even in yolo mode', async (toolset, name, args) => {
    const result = await call(toolset, name, args)
    expect(result).toMatchObject({ ok: false, error: { code: 'approval_required' } })
    expect(result.text).not.toContain('TOKEN=needle')
    expect(result.text).toMatch(/secret file/)
  })

  it('is read after approval, even through a link with another name', async () => {
    for (const name of ['.env', 'settings.txt']) {
      const running = call('blade', 'read_file', { path: name }, { attended: true, mode: 'safe' })
      await expect.poll(() => asked.length).toBe(1)
      expect(asked[0]?.reason).toContain('secret file')
      gate.decide(asked.pop()?.id ?? '', { kind: 'once' })
      expect((await running).text).toContain('TOKEN=needle')
    }
  })

  it('inside a batch needs approval, and the other calls run', async () => {
    const { text } = await call('blade', 'batch', {
      calls: [
        { tool: 'read_file', arguments: { path: '.env' } },
        { tool: 'read_file', arguments: { path: 'notes.txt' } },
      ],
    })
    expect(text).toContain('nothing here')
    expect(text).toContain('approval_required')
    expect(text).not.toContain('needle')
  })

  it('is excluded from searches, globs that read, and symbol results', async () => {
    const grep = await call('blade', 'grep_search', { pattern: 'needle' })
    expect(grep.text).toContain('src/a.ts')
    expect(grep.text).not.toMatch(/prod\.env|server\.key|secrets\.json/)
    const many = await call('blade', 'read_many_files', { paths: ['**/*', '.env*'] })
    expect(many.text).toContain('TOKEN=example')
    expect(many.text).not.toContain('TOKEN=needle')
    expect((await call('blade', 'codebase_search', { query: 'TOKEN' })).text).not.toContain('needle')
    expect((await call('blade', 'symbol_search', { query: 'needleKey' })).text).not.toContain('secrets.json')
    expect((await call('rustant', 'codebase_search', { query: 'needle token' })).text).not.toContain('TOKEN=needle')
  })

  it('is neither imported by an instruction file nor attached by a mention', async () => {
    const instructions = await session.instructions.atStart(100_000, { skills: false }, new AbortController().signal)
    expect(instructions.map(({ text }) => text).join()).toContain('from="CLAUDE.md"')
    expect(JSON.stringify(instructions)).not.toContain('TOKEN=needle')
    const services = {
      ...session.tools,
      ...withoutSecrets(session.tools, shippedPlaceRules.secret, new Set()),
      addPicture: () => undefined,
    }
    await expect(readFileMention({ path: '.env' }, services, new AbortController().signal)).rejects.toMatchObject({
      code: 'approval_required',
    })
  })

  it('cannot lose its name with the folder above it', async () => {
    await writeTree(folder.root, { 'home/Library/Keychains/login.db': 'needle', 'home/.env': 'TOKEN=needle' })
    for (const name of ['move_file', 'copy_file']) {
      const result = await call('blade', name, { source: 'home/Library', destination: 'books' })
      expect(result.error?.code).toBe('approval_required')
      expect(result.text).toContain('home/Library/Keychains')
    }
    expect((await call('blade', 'move_file', { source: 'home', destination: 'moved' })).ok).toBe(true)
  })

  it('does not include a template, which holds no secrets', async () => {
    expect((await call('blade', 'read_file', { path: '.env.example' })).text).toContain('TOKEN=example')
  })
})

describe('the active file of the editor', () => {
  beforeEach(() => {
    editor.attached = true
    editor.asked.length = 0
  })

  it.each([
    ['get_selection', {}, '.env'],
    ['replace_selection', { content: 'x' }, '.env'],
    ['insert_at_cursor', { content: 'x' }, 'settings.txt'],
    ['replace_selection', { content: 'x' }, 'CLAUDE.md'],
    ['insert_at_cursor', { content: 'x' }, '.github/workflows/ci.yml'],
  ])('%s %j needs approval in yolo mode for %s', async (name, args, path) => {
    active = { path, text: 'TOKEN=needle' }
    const result = await call('blade', name, args)
    expect(result).toMatchObject({ ok: false, error: { code: 'approval_required' } })
    expect(result.text).not.toContain('needle')
    expect(editor.asked.map((request) => request.name)).not.toContain('editor.replaceSelection')
    expect(editor.asked.map((request) => request.name)).not.toContain('editor.insertAtCursor')
  })

  it('is used without approval if it is an ordinary one', async () => {
    active = { path: 'src/a.ts', text: 'needle' }
    expect((await call('blade', 'get_selection', {})).text).toContain('needle')
    expect((await call('blade', 'replace_selection', { content: 'x' }, { mode: 'cautious' })).ok).toBe(true)
    expect((await call('blade', 'insert_at_cursor', { content: 'x' }, { mode: 'cautious' })).ok).toBe(true)
  })

  it('may be a secret one after approval, but not another one that the user opened meanwhile', async () => {
    for (const opened of ['.env', 'config/prod.env']) {
      active = { path: '.env', text: 'TOKEN=needle' }
      const running = call('blade', 'get_selection', {}, { attended: true, mode: 'safe' })
      await expect.poll(() => asked.length).toBe(1)
      active = { path: opened, text: 'TOKEN=needle' }
      gate.decide(asked.pop()?.id ?? '', { kind: 'once' })
      expect((await running).ok).toBe(opened === '.env')
    }
  })

  it('is not attached by a mention if it is secret, nor are its problems', async () => {
    active = { path: '.env', text: 'TOKEN=needle' }
    const services = { ...session.tools, ...windowWithoutSecrets(session.tools, shippedPlaceRules.secret, new Set()) }
    const mentions = { ...services, readResource: () => never, addPicture: () => undefined }
    const { signal } = new AbortController()
    await expect(readSpecialMention.selection(mentions, signal)).rejects.toMatchObject({ code: 'approval_required' })
    expect((await readSpecialMention.problems(mentions, signal)).text).toBe('src/a.ts:1:1 error: in src/a.ts')
  })
})

describe('a write that makes code run later', () => {
  it.each([
    ['write_file', { path: 'AGENTS.md', content: 'x' }],
    ['write_file', { path: '.github/workflows/ci.yml', content: 'x' }],
    ['write_file', { path: 'new/.cargo/config.toml', content: 'x' }],
    ['write_file', { path: 'templates/HEAD', content: 'ref: refs/heads/main' }],
    ['write_file', { path: 'templates/head', content: 'ref: refs/heads/main' }],
    ['move_file', { source: 'notes.txt', destination: 'templates/HEAD' }],
    ['create_directory', { path: '.devcontainer' }],
    ['run_command', { command: 'cp notes.txt .github/workflows/ci.yml' }],
    ['run_command', { command: 'tee .husky/pre-commit' }],
  ])('%s %j needs approval even in yolo mode', async (name, args) => {
    expect(await call('blade', name, args)).toMatchObject({ ok: false, error: { code: 'approval_required' } })
  })

  it('is found in a folder that gets a protected name by moving or copying it', async () => {
    await writeTree(folder.root, { 'x/releases/yarn.cjs': 'evil', 'y/keep.txt': '' })
    for (const name of ['move_file', 'copy_file']) {
      const result = await call('blade', name, { source: 'x', destination: '.yarn' })
      expect(result.error?.code).toBe('approval_required')
      expect(result.text).toContain('.yarn/releases')
    }
    expect((await call('blade', 'move_file', { source: 'y', destination: '.yarn' })).ok).toBe(true)
  })

  it('is also found in a patch that creates a repository at once', async () => {
    const patch =
      '*** Begin Patch\n*** Add File: r/HEAD\n+ref: refs/heads/main\n*** Add File: r/objects/a\n+a\n*** Add File: r/refs/a\n+a\n*** End Patch'
    const result = await call('rusty', 'apply_patch', { patch })
    expect(result.error?.code).toBe('approval_required')
    expect(result.text).toContain('git repository in r')
  })

  it('is found for the configuration of a repository without .git', async () => {
    await writeTree(folder.root, { 'bare/HEAD': 'ref: refs/heads/main\n', 'bare/objects/': '', 'bare/refs/': '' })
    for (const name of ['bare/config', 'bare/hooks/post-checkout'])
      expect((await call('blade', 'write_file', { path: name, content: 'x' })).error?.code).toBe('approval_required')
    expect((await call('blade', 'write_file', { path: 'bare/readme.txt', content: 'x' })).ok).toBe(true)
    expect((await call('blade', 'write_file', { path: 'src/config', content: 'x' })).ok).toBe(true)
  })

  it('requires approval for a build file while a granted command executes it', async () => {
    const write = { path: 'package.json', content: '{ "scripts": { "test": "true" } }\n' }
    expect((await call('blade', 'write_file', write, { mode: 'cautious' })).ok).toBe(true)
    const running = call('blade', 'run_command', { command: 'npm test' }, { mode: 'cautious', attended: true })
    await expect.poll(() => asked.length).toBe(1)
    gate.decide(asked[0]?.id ?? '', { kind: 'prefix' })
    await running
    const refused = await call('blade', 'write_file', write, { mode: 'cautious' })
    expect(refused.error?.code).toBe('approval_required')
    expect(refused.text).toContain('The command "npm test", which you allowed for this session, executes that file.')
    expect((await call('blade', 'write_file', { path: 'src/b.ts', content: 'x' }, { mode: 'cautious' })).ok).toBe(true)
  })
})
