import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCore, type Core, type CoreOptions } from '../core.ts'
import type { Events } from '../../shared/bridge/protocol.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

const never = new AbortController().signal

let home: string
let cores: Core[]

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-multi-root-core-')))
  cores = []
  await write({
    'api/src/main.ts': 'export const port = 1\n',
    'api/AGENTS.md': 'Rules of the service.',
    'api/package.json': '{"scripts": {"test": "node --test"}}',
    'web/page.ts': 'import { port } from "../api/src/main.ts"\nconsole.log(port)\n',
    'web/AGENTS.md': 'Rules of the pages.',
    'web/.env': 'TOKEN=1',
    'both.code-workspace': '{"folders": [{"path": "api"}, {"path": "web"}]}',
  })
})
afterEach(async () => {
  for (const core of cores) await core.dispose()
  await rm(home, { recursive: true, force: true })
})

const at = (name: string): string => join(home, name)
const exists = async (name: string): Promise<boolean> => (await stat(at(name)).catch(() => undefined)) !== undefined

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(at(name)), { recursive: true })
    await writeFile(at(name), text)
  }
}

async function open(path: string, options: Partial<CoreOptions> = {}): Promise<Core> {
  const core = await createCore({
    platform: {
      host: 'browser',
      version: 'test',
      userData: at('user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
      fork: inProcessIndex,
    },
    trustWorkspace: true,
    ...options,
  })
  cores.push(core)
  await core.openWorkspace(at(path))
  return core
}

const call = (core: Core, name: string, args: Record<string, unknown>) =>
  core.executor.call({
    callId: 'c',
    name,
    arguments: args,
    toolset: 'blade',
    mode: 'yolo',
    attended: false,
    signal: never,
  })

async function textOf(core: Core, name: string, args: Record<string, unknown>): Promise<string> {
  const { text } = await call(core, name, args)
  return text
}

it('tools find, read and change files of every folder', async () => {
  const core = await open('both.code-workspace')

  expect(await textOf(core, 'grep_search', { pattern: 'port' })).toMatch(/^api\/src\/main.ts:1[\s\S]*^web\/page.ts:1/m)
  expect(await textOf(core, 'find_files_glob', { pattern: '**/*.ts' })).toBe('api/src/main.ts\nweb/page.ts')
  expect(await call(core, 'edit_file', { path: 'web/page.ts', old_content: 'log', new_content: 'warn' })).toMatchObject(
    {
      ok: true,
    },
  )
  expect(await readFile(at('web/page.ts'), 'utf8')).toContain('console.warn')
  expect(await call(core, 'delete_file', { path: 'web', recursive: true })).toMatchObject({ ok: false })
  expect(await call(core, 'move_file', { source: 'api', destination: 'web/api' })).toMatchObject({ ok: false })
  expect(await exists('web/page.ts')).toBe(true)
})

it('a search follows the ignore rules of each folder, not those of the others', async () => {
  execFileSync('git', ['init', '-q', 'api'], { cwd: home })
  execFileSync('git', ['init', '-q', 'repo'], { cwd: home })
  await write({
    '.gitignore': 'shown.txt\n',
    'api/.gitignore': 'src/gen/\n',
    'api/src/gen/g.txt': 'needle',
    'repo/.gitignore': 'out/\n',
    'repo/pkg/out/o.txt': 'needle',
    'repo/pkg/src/p.txt': 'needle',
    'web/.gitignore': 'hidden.txt\n/deep/dist\n/dist/\n',
    'web/dist/d.txt': 'needle',
    'web/deep/dist/d.txt': 'needle',
    'web/deep/hidden.txt': 'needle',
    'web/deep/shown.txt': 'needle',
    'web/node_modules/x/d.txt': 'needle',
    'all.code-workspace': '{"folders": [{"path": "api"}, {"path": "web"}, {"path": "repo/pkg"}]}',
  })
  const core = await open('all.code-workspace')
  const listed = async (path: string) =>
    (await textOf(core, 'find_files_glob', { path, pattern: '**/*.txt' })).split('\n')
  const found = async (path: string) =>
    (await textOf(core, 'grep_search', { pattern: 'needle', path })).match(/^\S+\.txt/gm)

  for (const list of [listed, found]) {
    expect(await list('.')).toEqual(['pkg/src/p.txt', 'web/deep/shown.txt'])
    expect(await list('web/deep')).toEqual(['web/deep/shown.txt'])
    expect(await list('pkg/src')).toEqual(['pkg/src/p.txt'])
  }
  expect(await found('api/src')).toBeNull()
  expect(await core.handlers['files.find']({ query: 'txt', limit: 50 }, never)).toEqual([
    'pkg/src/p.txt',
    'web/deep/shown.txt',
  ])
})

it('a glob without the name of a folder matches in each', async () => {
  const core = await open('both.code-workspace')

  expect(await textOf(core, 'find_files_glob', { pattern: 'src/*.ts' })).toBe('api/src/main.ts')
  expect(await textOf(core, 'find_files_glob', { pattern: 'web/*.ts' })).toBe('web/page.ts')
  const query = { query: 'port', regex: false, wholeWord: false, caseSensitive: false, exclude: '', limit: 10 }
  const found = async (include: string) =>
    (await core.handlers['search.text']({ ...query, include }, never)).matches.map(({ path }) => path)
  expect(await found('src/*.ts')).toEqual(['api/src/main.ts'])
  expect(await found('./src/*.ts')).toEqual([])
})

it('the model does not see where the links are', async () => {
  const core = await open('both.code-workspace')

  expect(await textOf(core, 'list_dir', { path: '.' })).toBe('Directory: .\napi/\nweb/')
  expect(await textOf(core, 'get_workspace_structure', {})).toMatch(/^Directory: \.\n/)
  expect(await textOf(core, 'get_project_index_chunk', {})).toContain('"workspace_root": "."')
})

it('a command that finds nothing at the root names the folders', async () => {
  const core = await open('both.code-workspace')
  const note = '[. holds only the folders api, web.'

  for (const command of ['grep -rn port .', 'grep -rn port', "find . -name '*.ts'"])
    expect(await textOf(core, 'run_command', { command })).toContain(note)
  for (const command of ['grep -rn port api web', 'true', 'cat api/none', 'ls .'])
    expect(await textOf(core, 'run_command', { command })).not.toContain(note)
  expect(await textOf(core, 'run_command', { command: 'grep -rn none .', cwd: 'api' })).not.toContain(note)
})

it('a command sees the folders by name and changes nothing beside them', async () => {
  const core = await open('both.code-workspace')

  const text = await textOf(core, 'run_command', {
    command: 'cat api/AGENTS.md web/.env; echo new > web/new.txt; touch beside',
  })

  expect(text).toContain('Rules of the service.')
  expect(await exists('web/new.txt')).toBe(true)
  expect(text).toContain('touch')
  expect(text).not.toContain('TOKEN=1')
})

it('commands run although a folder no longer exists', async () => {
  const core = await open('both.code-workspace')
  await rm(at('web'), { recursive: true })

  expect(await textOf(core, 'run_command', { command: 'cat api/AGENTS.md' })).toContain('Rules of the service.')
})

it('a restored checkpoint leaves a folder alone that was added later', async () => {
  await write({ 'more/kept.txt': 'kept' })
  const core = await open('both.code-workspace')
  const { id } = await core.checkpoints().take({ reason: 'test' })
  await write({ 'web/page.ts': 'changed' })
  await core.handlers['workspace.addFolders']({ folders: [at('more')] }, never)

  const { written, removed } = await core.checkpoints().restore(id)

  expect({ written, removed }).toEqual({ written: ['web/page.ts'], removed: [] })
  expect(await readFile(at('more/kept.txt'), 'utf8')).toBe('kept')
})

it('unsaved texts go along when a folder is added, with their new paths', async () => {
  const core = await open('api')
  await core.handlers['buffers.sync'](
    { path: 'src/main.ts', open: true, dirty: true, text: 'unsaved', version: 1 },
    never,
  )

  const info = await core.handlers['workspace.addFolders']({ folders: [at('web')] }, never)

  expect(info.multiRoot).toMatchObject({ file: null, folders: [{ name: 'api' }, { name: 'web' }] })
  expect(await textOf(core, 'read_file', { path: 'api/src/main.ts' })).toContain('unsaved')
  await core.dispose()
  cores = []
  const again = await open('api')
  expect(await textOf(again, 'read_file', { path: 'src/main.ts' })).toContain('port = 1')
})

/** Types a command line in a terminal. @returns once its output contains a text */
async function typed(core: Core, id: string, line: string, expected: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let text = ''
  const stop = core.subscribe((name, payload) => {
    if (name !== 'job.output') return
    text += (payload as Events['job.output']).data
    if (text.includes(expected)) resolve()
  })
  await core.handlers['jobs.input']({ id, data: `${line}\r` }, never)
  await promise
  stop()
}

it('terminals and ended commands stay when folders are added and removed and the workspace is saved', async () => {
  await write({ 'more/x.txt': 'x' })
  const core = await open('api')
  const { id } = await core.handlers['terminal.open']({ columns: 80, rows: 24 }, never)
  await call(core, 'run_command', { command: 'echo ended' })
  await typed(core, id, 'kept=$((40+2))', 'kept')
  const listed = async () =>
    (await core.handlers['jobs.list']({}, never)).map(({ kind, cwd, state }) => [kind, cwd, state])
  expect(await listed()).toEqual([
    ['terminal', '.', 'running'],
    ['command', '.', 'exited'],
  ])

  await core.handlers['workspace.addFolders']({ folders: [at('web')] }, never)
  await typed(core, id, 'echo "<$kept>"', '<42>')
  expect(await listed()).toEqual([
    ['terminal', 'api', 'running'],
    ['command', 'api', 'exited'],
  ])
  await core.handlers['workspace.saveAs']({ path: at('saved.code-workspace'), overwrite: false }, never)
  await core.handlers['workspace.removeFolder']({ name: 'api' }, never)
  await typed(core, id, 'pwd; echo "<$kept>"', '<42>')
  expect(await listed()).toEqual([
    ['terminal', at('api'), 'running'],
    ['command', at('api'), 'exited'],
  ])
  // It is a terminal of this workspace like any other.
  await core.handlers['jobs.stop']({ id }, never)
  await core.handlers['jobs.forget']({ id }, never)
  expect(await core.handlers['jobs.list']({}, never)).toHaveLength(1)
})

it('what is typed while the folders change reaches the terminal', async () => {
  const core = await open('api')
  const { id } = await core.handlers['terminal.open']({ columns: 80, rows: 24 }, never)
  await typed(core, id, 'echo $((40+2))', '42')
  const changed = core.handlers['workspace.addFolders']({ folders: [at('web')] }, never)
  let isDone = false
  void Promise.resolve(changed).finally(() => (isDone = true))
  let sent = 0
  while (!isDone) {
    await core.handlers['jobs.input']({ id, data: 'x' }, never)
    sent += 1
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await typed(core, id, '; echo $((50+1))', '51')
  expect((await core.handlers['jobs.output']({ id }, never)).match(/x/g)?.length).toBeGreaterThanOrEqual(sent)
})

const exported = (text: string): string => {
  const at = 1
  const view = {
    kind: 'diff',
    editId: 'e',
    files: [{ path: 'src/main.ts', change: 'modified', diff: '', added: 1, removed: 0 }],
  }
  const items = [
    {
      id: 'u',
      kind: 'user',
      at,
      text,
      attachments: [{ kind: 'file', label: 'src/main.ts', path: 'src/main.ts', text: '' }],
    },
    { id: 'a', kind: 'assistant', at, text: 'I read src/main.ts.', reasoning: '', state: 'done' },
    {
      id: 't',
      kind: 'tool',
      at,
      assistantId: 'a',
      callId: 'c',
      name: 'edit_file',
      arguments: '{"path":"src/main.ts","old_content":"path","command":"cat src"}',
      state: 'done',
      result: {
        ok: true,
        text: 'Edited src/main.ts',
        view,
        arguments: { path: 'src/main.ts' },
        truncated: false,
        elapsedMs: 1,
      },
    },
  ]
  const info = { title: text, createdAt: at, updatedAt: at, mode: 'safe', toolset: 'blade' }
  return JSON.stringify({ tizona: 'conversation', version: 1, info, items })
}
const stored = async (core: Core, title: string) =>
  core.handlers['conversations.import']({ text: exported(title) }, never)
const titles = async (core: Core, query?: string) =>
  (await core.handlers['conversations.list'](query === undefined ? {} : { query }, never))
    .map(({ title }) => title)
    .toSorted()
const shown = async (core: Core) => (await core.handlers['app.state']({}, never)).conversation

it('the conversation of a single folder goes on in the workspace, with its new paths', async () => {
  const core = await open('api')
  await stored(core, 'older')
  const { info } = await stored(core, 'current')

  await core.handlers['workspace.addFolders']({ folders: [at('web')] }, never)

  const copy = await shown(core)
  expect(copy).toMatchObject({ info: { title: 'current', forkedFrom: info.id } })
  expect(copy?.items).toMatchObject([
    { attachments: [{ path: 'api/src/main.ts' }] },
    { text: 'I read src/main.ts.' },
    {
      result: {
        text: 'Edited src/main.ts',
        view: { files: [{ path: 'api/src/main.ts' }] },
        arguments: { path: 'api/src/main.ts' },
      },
    },
    { kind: 'notice', folder: 'api' },
  ])
  const edit = copy?.items[2]
  expect(edit?.kind === 'tool' && JSON.parse(edit.arguments)).toEqual({
    path: 'api/src/main.ts',
    old_content: 'path',
    command: 'cat src',
  })
  expect(edit).not.toHaveProperty('result.view.editId')
  expect(await titles(core)).toEqual(['current', 'older'])
  expect(await titles(core, 'older')).toEqual(['older'])

  // The folder alone still has the originals.
  const single = await open('api')
  expect(await titles(single)).toEqual(['current', 'older'])
  expect((await shown(single))?.items[0]).toMatchObject({ attachments: [{ path: 'src/main.ts' }] })
})

it('a conversation of a folder is opened in the workspace as one copy, which later folders keep', async () => {
  const alone = await open('web')
  const { info } = await stored(alone, 'of web')
  await alone.dispose()
  cores = []
  const core = await open('both.code-workspace')
  expect(await shown(core)).toBeNull()
  expect(await titles(core)).toEqual(['of web'])

  const openIt = async () => core.handlers['conversations.open']({ id: info.id, latest: 100 }, never)
  const copy = await openIt()
  expect((await openIt()).info.id).toBe(copy.info.id)
  expect(await titles(core)).toEqual(['of web'])
  await write({ 'more/x.txt': 'x' })
  await core.handlers['workspace.addFolders']({ folders: [at('more')] }, never)
  expect((await shown(core))?.info.id).toBe(copy.info.id)
})

it('saving a workspace keeps its conversations, also to the file of another one', async () => {
  const core = await open('api')
  await core.handlers['workspace.addFolders']({ folders: [at('web')] }, never)
  const { info } = await stored(core, 'untitled')
  await core.handlers['workspace.saveAs']({ path: at('saved.code-workspace'), overwrite: false }, never)
  expect((await shown(core))?.info.id).toBe(info.id)

  await core.handlers['workspace.saveAs']({ path: at('copy.code-workspace'), overwrite: false }, never)
  expect(await shown(core)).toMatchObject({ info: { title: 'untitled', forkedFrom: info.id } })
  expect((await shown(core))?.items[0]).toMatchObject({ attachments: [{ path: 'src/main.ts' }] })
  const again = await open('copy.code-workspace')
  expect(await titles(again)).toEqual(['untitled'])
})

it('a change of the file by hand applies once the window asks, and a broken file keeps the folders', async () => {
  const core = await open('both.code-workspace')
  const events: string[] = []
  let reported = Promise.withResolvers<void>()
  core.attach({
    emit(name, payload) {
      if (name === 'notice') events.push((payload as Events['notice']).message)
      else if (name === 'workspace.fileChanged' || name === 'workspace.changed') events.push(name)
      else return
      reported.resolve()
    },
    ask: () => Promise.reject(new Error('No editor.')),
  })
  const change = async (text: string) => {
    reported = Promise.withResolvers()
    await writeFile(at('both.code-workspace'), text)
    await reported.promise
    return events.at(-1)
  }

  const file = await readFile(at('both.code-workspace'), 'utf8')
  // The window reads the settings in the file again.
  expect(await change(file.replace('{', '{ "settings": { "editor.tabSize": 3 },'))).toBe('workspace.changed')
  expect(await change('{"folders": [{"path": "api"}, {"path":')).toContain('The folders stay as they are.')
  expect(await change('{"folders": [{"path": "web", "name": "site"}]}')).toBe('workspace.fileChanged')
  const info = await core.handlers['workspace.reloadFolders']({}, never)
  expect(info.multiRoot?.folders).toEqual([{ name: 'site', path: at('web') }])
  // Changes by the window itself need no question.
  await core.handlers['workspace.addFolders']({ folders: [at('api')] }, never)
  await change('{"folders": [')
  expect(events.filter((each) => each === 'workspace.fileChanged')).toHaveLength(1)
})

it('breakpoints of a single folder go along when it becomes one of several', async () => {
  const core = await open('api')
  const point = { id: 'b', path: 'src/main.ts', line: 1, enabled: true }
  await core.handlers['debug.setLineBreakpoints']({ path: point.path, breakpoints: [point] }, never)
  await core.handlers['debug.setFunctionBreakpoints']({ breakpoints: [{ id: 'f', name: 'run', enabled: true }] }, never)
  await core.handlers['debug.state']({}, never)

  await core.handlers['workspace.addFolders']({ folders: [at('web')] }, never)

  await expect
    .poll(async () => (await core.handlers['debug.state']({}, never)).breakpoints)
    .toMatchObject({ lines: [{ path: 'api/src/main.ts', line: 1 }], functions: [{ name: 'run' }] })
})

it('changes under review stay listed when a folder gets another name', async () => {
  const core = await open('both.code-workspace')
  await call(core, 'edit_file', { path: 'web/page.ts', old_content: 'log', new_content: 'warn' })
  const listed = async () =>
    (await core.handlers['review.list']({ scope: { kind: 'pending' } }, never)).files.map(({ path }) => path)
  expect(await listed()).toEqual(['web/page.ts'])

  await writeFile(at('both.code-workspace'), '{"folders": [{"path": "api"}, {"path": "web", "name": "site"}]}')
  await core.handlers['workspace.reloadFolders']({}, never)
  expect(await listed()).toEqual(['site/page.ts'])
  expect(await textOf(core, 'read_file', { path: 'web/page.ts' })).toContain('warn')

  await core.handlers['review.undo']({ scope: { kind: 'pending' }, targets: 'all' }, never)
  expect(await listed()).toEqual([])
  expect(await readFile(at('web/page.ts'), 'utf8')).toContain('console.log')
})

it('nothing is written beside the links, or it is noticed', async () => {
  const core = await open('both.code-workspace')
  const { root } = (await core.handlers['app.state']({}, never)).workspace ?? { root: '' }
  const mode = async () => ((await stat(root)).mode & 0o777).toString(8)
  expect(await mode()).toBe('500')

  // What root writes all the same.
  await writeFile(join(root, 'beside.txt'), 'x')
  expect(await textOf(core, 'run_command', { command: 'true' })).toContain(
    'No folder of the workspace contains beside.txt',
  )
  await rm(join(root, 'beside.txt'))
  await write({ 'more/x.txt': 'x' })
  await core.handlers['workspace.addFolders']({ folders: [at('more')] }, never)
  expect(await textOf(core, 'read_file', { path: 'more/x.txt' })).toContain('x')
  expect(await mode()).toBe('500')
  await core.dispose()
  cores = []
  expect(await mode()).toBe('700')
})

it('each folder has its tasks and its repository', async () => {
  execFileSync('git', ['init', '-q'], { cwd: at('api') })
  const core = await open('both.code-workspace')

  expect(await core.handlers['tasks.list']({}, never)).toEqual([
    { name: 'test', command: 'npm run test', source: 'api/package.json', folder: 'api' },
  ])
  const file = JSON.parse(await readFile(at('both.code-workspace'), 'utf8')) as object
  const tasks = {
    version: '2.0.0',
    tasks: [{ label: 'all', type: 'shell', command: 'make -C ${workspaceFolder:web}' }],
  }
  await write({ 'both.code-workspace': JSON.stringify({ ...file, tasks }) })
  expect((await core.handlers['tasks.list']({}, never)).at(-1)).toEqual({
    name: 'all',
    command: `make -C ${at('web')}`,
    source: 'both.code-workspace',
    folder: 'api',
  })
  expect(await core.handlers['git.repositories']({ again: true }, never)).toMatchObject([{ folder: 'api' }])
})

it('the workspace is restricted as long as one folder is', async () => {
  const core = await open('both.code-workspace', { trustWorkspace: false })
  const restricted = async () => (await core.handlers['app.state']({}, never)).workspace?.restricted
  expect(await restricted()).toEqual({ decided: false })

  await core.handlers['trust.decide']({ choice: 'folder' }, never)

  expect(await restricted()).toBeUndefined()
  await write({ 'more/x.txt': 'x' })
  await core.handlers['workspace.addFolders']({ folders: [at('more')] }, never)
  expect(await restricted()).toEqual({ decided: false })
})

it('hooks of git run in the git view only if the whole workspace is trusted', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: at('api') })
  git('init', '-q')
  git('config', 'user.name', 'Ana')
  git('config', 'user.email', 'ana@example.org')
  await write({ 'api/.git/hooks/pre-commit': `#!/bin/sh\ntouch '${at('ran')}'\n` })
  await chmod(at('api/.git/hooks/pre-commit'), 0o755)
  const alone = await open('api', { trustWorkspace: false })
  await alone.handlers['trust.decide']({ choice: 'folder' }, never)
  const core = await open('both.code-workspace', { trustWorkspace: false })
  const [repository] = await core.handlers['git.repositories']({ again: true }, never)
  const commit = async (file: string) => {
    await write({ [`api/${file}`]: 'x' })
    git('add', file)
    const request = { repository: repository?.id ?? '', operation: file, message: file }
    await core.handlers['git.commit']({ ...request, amend: false, signOff: false, all: false, skipHooks: false }, never)
  }

  await commit('one')
  expect(await exists('ran')).toBe(false)

  await core.handlers['trust.decide']({ choice: 'folder' }, never)
  await commit('two')
  expect(await exists('ran')).toBe(true)
  expect(String(git('log', '--format=%s'))).toBe('two\none\n')
})

it('a rule that denies a command in one folder holds in the workspace', async () => {
  const core = await open('both.code-workspace')
  const rule = { decision: 'deny', match: 'prefix', pattern: 'git push', folder: at('api') } as const
  const settings = (await core.handlers['app.state']({}, never)).settings
  await core.handlers['settings.set']({ approval: { ...settings.approval, rules: [rule] } }, never)

  expect(await call(core, 'run_command', { command: 'cd web && git push' })).toMatchObject({ ok: false })
})

it('a folder with the name of generated files is recorded like the others', async () => {
  await write({ 'dist/kept.txt': 'one', 'odd.code-workspace': '{"folders": [{"path": "dist"}, {"path": "api"}]}' })
  const core = await open('odd.code-workspace')
  const { id } = await core.checkpoints().take({ reason: 'test' })
  await write({ 'dist/kept.txt': 'two' })

  expect(await core.checkpoints().restore(id)).toMatchObject({ written: ['dist/kept.txt'], skipped: [] })
})

it('files of a removed folder are no deleted files', async () => {
  const core = await open('both.code-workspace')
  const { id } = await core.checkpoints().take({ reason: 'test' })
  await core.handlers['workspace.removeFolder']({ name: 'web' }, never)

  expect(await core.checkpoints().changes(id)).toEqual([])
})

it('a restricted workspace leaves the trust of its trusted folders', async () => {
  const single = await open('api', { trustWorkspace: false })
  await single.handlers['trust.decide']({ choice: 'folder' }, never)
  const core = await open('both.code-workspace', { trustWorkspace: false })

  await core.handlers['trust.decide']({ choice: 'restricted' }, never)

  expect((await core.handlers['app.state']({}, never)).workspace?.restricted).toEqual({ decided: true })
  const again = await open('api', { trustWorkspace: false })
  expect((await again.handlers['app.state']({}, never)).workspace?.restricted).toBeUndefined()
})
