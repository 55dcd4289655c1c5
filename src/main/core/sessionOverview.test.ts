import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Events } from '../../shared/bridge/protocol.ts'
import { createCore, type Core } from '../core.ts'
import { answer, call, say } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'
import { createOpenCores } from './openCores.ts'

// Two cores of one process, as two windows have them: a repository and a worktree of it.

const never = new AbortController().signal
const exec = promisify(execFile)
let base: string
let main: string
let endpoint: ScriptedEndpoint
let cores: Core[] = []
let openCores = createOpenCores()

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-overview-')))
  main = path.join(base, 'project')
  await exec('git', ['init', '-q', '-b', 'main', main])
  for (const [key, value] of Object.entries({ 'user.name': 'Ana', 'user.email': 'ana@example.org' }))
    await exec('git', ['-C', main, 'config', key, value])
  await writeFile(path.join(main, 'a.txt'), 'one\n')
  await exec('git', ['-C', main, 'add', '-A'])
  await exec('git', ['-C', main, 'commit', '-qm', 'first'])
  openCores = createOpenCores()
  endpoint = await startScriptedEndpoint({
    name: 'overview',
    turns: [],
    respond: ({ messages }) => {
      const { role, content } = messages.at(-1) ?? {}
      if (role === 'user' && content === 'ask') {
        const command = 'read -p "Continue? " answer'
        return answer(say('I ask.'), call('run_command', { command, blocking: false, wait_ms_before_async: 1500 }))
      }
      return role === 'user' && String(content).startsWith('write')
        ? answer(say('I write.'), call('write_file', { path: 'new.txt', content: 'new\n' }))
        : answer(say('Done.'))
    },
  })
})
afterEach(async () => {
  for (const core of cores) await core.dispose()
  cores = []
  await endpoint.close()
  await rm(base, { recursive: true, force: true })
})

async function open(folder: string, mode: 'paranoid' | 'yolo' = 'paranoid'): Promise<Core> {
  const core = await createCore({
    openCores,
    attended: true,
    trustWorkspace: true,
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: path.join(base, 'data'),
      resources: path.join(import.meta.dirname, '..', '..', '..', 'resources'),
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode,
    },
  })
  cores.push(core)
  await core.openWorkspace(folder)
  return core
}

const until: typeof vi.waitUntil = (check) => vi.waitUntil(check, { timeout: 20_000 })
const rows = (core: Core) => core.handlers['sessions.overview']({ refresh: false }, never)

async function send(core: Core, text: string): Promise<string> {
  const { id } = (await core.handlers['conversations.create']({}, never)).info
  await core.handlers['conversations.send']({ id, text }, never)
  return id
}

it('lists and answers a call of the core that has another folder', async () => {
  const window = await open(main)
  const { session } = await window.sessions.create({ folder: main, name: 'feature' })
  expect(await rows(window)).toMatchObject([{ title: 'feature', state: 'idle', place: 'closed', conversation: null }])
  const other = await open(session.worktree)
  const waiting: number[] = []
  window.subscribe((name, payload) => {
    if (name === 'sessions.changed' && payload !== null && 'waiting' in payload) waiting.push(payload.waiting)
  })
  const conversation = await send(other, 'write a file')
  const [row] = await until(async () => {
    const listed = await rows(window)
    return listed[0]?.state === 'approval' && listed
  })
  expect(row).toMatchObject({ conversation, title: 'write a file', place: 'window', branch: 'tizona/feature' })
  expect(row?.worktree).toMatchObject({ name: 'feature', origin: main })
  await until(() => waiting.at(-1) === 1)
  expect(other.isWorking()).toBe(true)
  expect(window.isWorking()).toBe(false)

  const requestId = row?.approvals[0]?.id ?? ''
  await window.handlers['approvals.decide']({ requestId, decision: { kind: 'once' } }, never)
  await until(async () => (await rows(window))[0]?.state === 'done')
  expect(await readFile(path.join(session.worktree, 'new.txt'), 'utf8')).toBe('new\n')
  await until(() => waiting.at(-1) === 0)
  expect(() => window.handlers['approvals.decide']({ requestId, decision: { kind: 'once' } }, never)).toThrow(
    expect.objectContaining({ code: 'conflict' }),
  )
})

it('renames, pins and archives the conversation of another core, and of a closed worktree', async () => {
  const window = await open(main)
  const { session } = await window.sessions.create({ folder: main, name: 'feature' })
  const other = await open(session.worktree)
  const conversation = await send(other, 'hello')
  await until(async () => (await rows(window))[0]?.state === 'done')
  await window.handlers['sessions.update']({ conversation, title: 'Renamed' }, never)
  expect((await other.handlers['conversations.open']({ id: conversation }, never)).info.title).toBe('Renamed')

  await other.dispose()
  cores = [window]
  await window.handlers['sessions.update']({ conversation, pinned: true, archived: true }, never)
  expect(await rows(window)).toMatchObject([
    { title: 'Renamed', pinned: true, archived: true, place: 'closed', state: 'done' },
  ])
})

it('a session is no longer archived, nor is its worktree, once a message is sent', async () => {
  const window = await open(main)
  const { session } = await window.sessions.create({ folder: main })
  const other = await open(session.worktree)
  const conversation = await send(other, 'hello')
  await until(async () => (await rows(window))[0]?.state === 'done')
  await window.handlers['sessions.update']({ conversation, archived: true }, never)
  await window.sessions.archive(session.id, true)
  expect((await rows(window))[0]).toMatchObject({ archived: true, worktree: { archived: true } })
  await other.handlers['conversations.send']({ id: conversation, text: 'again' }, never)
  await until(async () => (await rows(window))[0]?.archived === false)
})

it('counts the questions that its rows show, also of a conversation that is no longer in memory', async () => {
  const window = await open(main)
  const { session } = await window.sessions.create({ folder: main })
  const other = await open(session.worktree, 'yolo')
  let last: Events['sessions.changed'] | undefined
  window.subscribe((name, payload) => {
    if (name === 'sessions.changed') last = payload as Events['sessions.changed']
  })
  const conversation = await send(other, 'ask')
  await until(() => last?.waiting === 1)
  expect(last).toEqual({ waiting: 1, latest: conversation })
  await until(async () => (await rows(window))[0]?.state === 'asking')
  for (let index = 0; index < 11; index += 1) {
    const id = await send(other, `hello ${index}`)
    await until(async () => (await rows(window)).find((row) => row.conversation === id)?.state === 'done')
  }
  const row = (await rows(window)).find((each) => each.conversation === conversation)
  expect(row).toMatchObject({ state: 'asking', questions: [{ output: 'Continue?' }] })
  expect(last).toEqual({ waiting: 1, latest: conversation })
  await window.handlers['sessions.answer']({ jobId: row?.questions[0]?.jobId ?? '', text: 'y' }, never)
  await until(() => last?.waiting === 0)
  expect(last?.latest).toBeNull()
})

it('lists the other sessions if git cannot read one', async () => {
  const window = await open(main)
  const good = (await window.sessions.create({ folder: main, name: 'good' })).session
  const bad = (await window.sessions.create({ folder: main, name: 'bad' })).session
  await writeFile(path.join(good.worktree, 'a.txt'), 'two\n')
  const link = await readFile(path.join(bad.worktree, '.git'), 'utf8')
  await writeFile(path.join(link.replace('gitdir: ', '').trim(), 'index'), 'garbage')
  await window.handlers['sessions.overview']({ refresh: true }, never)
  const found = async () =>
    (await rows(window)).map(({ title, changedFiles, worktree }) => [title, changedFiles, worktree?.broken])
  await until(async () => (await found()).every(([, files]) => files !== null))
  expect(new Set(await found())).toEqual(
    new Set([
      ['bad', 0, true],
      ['good', 1, false],
    ]),
  )
  expect(await window.sessions.list(main)).toMatchObject([{ state: 'ready' }, { state: 'damaged', hasWork: true }])
})

it('shows and archives no session of a repository that is not open', async () => {
  const window = await open(main)
  const { session } = await window.sessions.create({ folder: main })
  await window.dispose()
  cores = []
  const folder = path.join(base, 'other')
  await exec('git', ['init', '-q', '-b', 'main', folder])
  const other = await open(folder)
  const { id } = session
  const refused = expect.objectContaining({ code: 'not_found' })
  await expect(other.handlers['sessions.changes']({ id }, never)).rejects.toEqual(refused)
  await expect(other.handlers['sessions.archive']({ id, archived: true }, never)).rejects.toEqual(refused)
  const again = await open(main)
  await other.handlers['sessions.archive']({ id, archived: true }, never)
  expect(await again.sessions.records([main])).toMatchObject([{ archived: true }])
})

it('stops the turn of another core', async () => {
  const window = await open(main)
  const { session } = await window.sessions.create({ folder: main })
  const other = await open(session.worktree)
  const conversation = await send(other, 'write a file')
  await until(async () => (await rows(window))[0]?.state === 'approval')
  await window.handlers['sessions.stop']({ conversation }, never)
  expect((await rows(window))[0]).toMatchObject({ state: 'stopped', approvals: [] })
})

it('a conversation begins in another folder under its id once it was deleted here', async () => {
  const window = await open(main)
  const { session } = await window.sessions.create({ folder: main, name: 'feature' })
  const other = await open(session.worktree)
  const { id } = (await window.handlers['conversations.create']({}, never)).info
  await expect(other.handlers['conversations.create']({ id }, never)).rejects.toMatchObject({ code: 'already_exists' })
  await window.handlers['conversations.delete']({ id }, never)
  const { info } = await other.handlers['conversations.create']({ id }, never)
  expect(info).toMatchObject({ id, workspace: session.worktree })
})

it('removes the code index of a worktree with its session', async () => {
  await writeFile(path.join(main, 'a.ts'), 'export function first() {}\n')
  await exec('git', ['-C', main, 'add', '-A'])
  await exec('git', ['-C', main, 'commit', '-qm', 'code'])
  const window = await open(main)
  const names = async (core: Core, query: string) =>
    (await core.handlers['code.symbols']({ query, limit: 5, indexOnly: false }, never)).symbols.map(({ name }) => name)
  expect(await names(window, 'first')).toEqual(['first'])
  const indexes = async () =>
    (await readdir(path.join(base, 'data', 'code-index'))).filter((name) => name.endsWith('.db'))
  const ofRepository = await indexes()

  const { session } = await window.sessions.create({ folder: main, name: 'feature' })
  const other = await open(session.worktree)
  await writeFile(path.join(session.worktree, 'a.ts'), 'export function second() {}\n')
  expect(await names(other, 'second')).toEqual(['second'])
  expect(await names(other, 'first')).toEqual([])
  expect(await indexes()).toHaveLength(2)

  await other.dispose()
  cores = cores.filter((core) => core !== other)
  await window.handlers['sessions.remove']({ id: session.id, confirmed: true }, never)
  expect(await indexes()).toEqual(ofRepository)
})
