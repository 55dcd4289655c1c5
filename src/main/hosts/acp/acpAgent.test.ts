import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import {
  client,
  methods,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionConfigOption,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createCore, type Core } from '../../core.ts'
import { call, disconnect, say, step, think, waitForGate, type ScenarioTurn } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { runTurn } from '../../core/runTurn.ts'
import { findInstallation } from '../installation.ts'
import { createAcpAgent, type AcpAgent } from './acpAgent.ts'
import { maxSessions } from './openSessions.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

let home: string
let workspace: string
let endpoint: ScriptedEndpoint
let agent: AcpAgent
let connection: ClientConnection
let updates: SessionUpdate[]
let asked: RequestPermissionRequest[]
let answer: (request: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>

const exec = promisify(execFile)

const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } })
const write = call('write_file', { path: 'b.txt', content: 'new\nlines\n' })

const turns: ScenarioTurn[] = [
  {
    prompt: /read a\.txt/,
    steps: [
      step('think and read', think('I should look.'), say('Reading. '), call('read_file', { path: 'a.txt' })),
      step('answer', say('It says hola.')),
    ],
  },
  { prompt: /^write/, steps: [step('write', write), step('answer', say('Done.'))] },
  {
    prompt: /change a/,
    steps: [
      step('edit', call('apply_patch', { path: 'a.txt', old_text: 'hola', new_text: 'adios' })),
      step('answer', say('Changed.')),
    ],
  },
  {
    prompt: /^run/,
    steps: [
      step('run', call('run_command', { command: 'echo one; touch t.txt; echo two' })),
      step('answer', say('Ran.')),
    ],
  },
  {
    prompt: /plan it/,
    steps: [
      step('plan', call('todo_write', { todos: [{ content: 'Look', status: 'in_progress' }] })),
      step('answer', say('Planned.')),
    ],
  },
  { prompt: /^wait/, steps: [step('wait', say('Waiting'), waitForGate('never'))] },
  { prompt: /^fail now$/, steps: [step('fail', disconnect)] },
  { prompt: /./, steps: [step('echo', say('Hello.'))] },
]

const model = { endpointId: 'e', model: 'scripted' }

const createTestCore = (): Promise<Core> =>
  createCore({
    platform: {
      host: 'headless',
      version: '1.0.0',
      userData: join(home, 'user'),
      resources: findInstallation().resources,
      fork: inProcessIndex,
    },
    settings: {
      endpoints: [{ id: 'e', name: 'Scripted', kind: 'openai', baseUrl: endpoint.url, hasKey: false }],
      model,
    },
    attended: true,
  })

function start({ worktree = false } = {}): AcpAgent {
  return createAcpAgent({
    createCore: createTestCore,
    mode: 'safe',
    toolset: 'blade',
    model,
    worktree,
    version: '1.0.0',
  })
}

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-acp-')))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  await writeFile(join(workspace, 'a.txt'), 'hola\n')
  endpoint = await startScriptedEndpoint({ name: 'acp', contextWindow: 65_536, turns })
  agent = start()
  updates = []
  asked = []
  answer = () => choose('once')
})
afterEach(async () => {
  connection.close()
  await agent.close()
  await endpoint.close()
  await rm(home, { recursive: true, force: true })
})

/** The SDK's client, connected to the agent in this process. */
async function connect(clientCapabilities: ClientCapabilities = {}): Promise<ClientConnection['agent']> {
  connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params)
      return answer(params)
    })
    .connect(agent.app)
  const { protocolVersion, agentCapabilities } = await connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities,
  })
  expect(protocolVersion).toBe(PROTOCOL_VERSION)
  expect(agentCapabilities?.loadSession).toBe(true)
  return connection.agent
}

async function newSession(peer: ClientConnection['agent'], cwd = workspace): Promise<string> {
  const { sessionId, modes } = await peer.request(methods.agent.session.new, { cwd, mcpServers: [] })
  expect(modes?.currentModeId).toBe('safe')
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(['safe', 'cautious', 'paranoid', 'yolo', 'plan'])
  return sessionId
}

const prompt = (peer: ClientConnection['agent'], sessionId: string, text: string) =>
  peer.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })

function textOf(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'): string {
  return updates
    .map((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : ''))
    .join('')
}
const calls = () =>
  updates.filter((update) => update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
const lastCall = () => calls().at(-1)

async function makeRepository(): Promise<void> {
  const git = (...args: string[]) => exec('git', ['-C', workspace, ...args])
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Ana')
  await git('config', 'user.email', 'ana@example.org')
  await git('add', '-A')
  await git('commit', '-qm', 'first')
}

const placesOf = (options: readonly SessionConfigOption[] | null | undefined) =>
  options?.flatMap((option) =>
    option.id === 'place' && option.type === 'select'
      ? [option.currentValue, ...option.options.flatMap((each) => ('value' in each ? each.value : []))]
      : [],
  )

it('a session begins in a worktree of its own if the client chooses it, and is loaded there again', async () => {
  await makeRepository()
  let peer = await connect()
  const { sessionId, configOptions } = await peer.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] })
  expect(configOptions?.map(({ id, category }) => [id, category])).toEqual([
    ['mode', 'mode'],
    ['place', undefined],
  ])
  expect(placesOf(configOptions)).toEqual(['folder', 'folder', 'worktree'])
  await peer.request(methods.agent.session.setConfigOption, { sessionId, configId: 'mode', value: 'yolo' })
  const chosen = await peer.request(methods.agent.session.setConfigOption, {
    sessionId,
    configId: 'place',
    value: 'worktree',
  })
  expect(placesOf(chosen.configOptions)).toEqual(['worktree', 'worktree'])
  const link = { type: 'resource_link' as const, uri: pathToFileURL(join(workspace, 'a.txt')).href, name: 'a.txt' }
  await peer.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'write ' }, link] })
  expect(textOf('agent_message_chunk')).toBe('Done.')
  const [, worktree = ''] = await worktrees()
  expect(await readFile(join(worktree, 'b.txt'), 'utf8')).toBe('new\nlines\n')
  await expect(readFile(join(workspace, 'b.txt'))).rejects.toThrow('ENOENT')
  expect(JSON.stringify(endpoint.requests.at(-1)?.body)).toContain('@a.txt')

  const { sessions } = await peer.request(methods.agent.session.list, { cwd: workspace })
  expect(sessions).toMatchObject([{ sessionId, cwd: workspace }])
  await expect(
    peer.request(methods.agent.session.setConfigOption, { sessionId, configId: 'place', value: 'folder' }),
  ).rejects.toThrow('before its first message')

  peer = await reconnect()
  updates = []
  const loaded = await peer.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })
  expect(placesOf(loaded.configOptions)).toEqual(['worktree', 'worktree'])
  expect(loaded.modes?.currentModeId).toBe('yolo')
  expect(textOf('agent_message_chunk')).toBe('Done.')
  await prompt(peer, sessionId, 'change a')
  expect(await readFile(join(worktree, 'a.txt'), 'utf8')).toBe('adios\n')
  expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('hola\n')
  expect(await worktrees()).toHaveLength(2)
})

it('the place of a session cannot be chosen after its first message, nor without a repository', async () => {
  const peer = await connect()
  const plain = await peer.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] })
  expect(placesOf(plain.configOptions)).toEqual(['folder', 'folder'])
  await makeRepository()
  const folder = join(home, 'clone')
  await exec('git', ['clone', '-q', workspace, folder])
  const { sessionId } = await peer.request(methods.agent.session.new, { cwd: folder, mcpServers: [] })
  await prompt(peer, sessionId, 'hello')
  const fixed = updates.findLast((update) => update.sessionUpdate === 'config_option_update')
  expect(fixed?.sessionUpdate === 'config_option_update' && placesOf(fixed.configOptions)).toEqual(['folder', 'folder'])
  await expect(
    peer.request(methods.agent.session.setConfigOption, { sessionId, configId: 'place', value: 'worktree' }),
  ).rejects.toThrow('before its first message')
  await expect(
    peer.request(methods.agent.session.setConfigOption, { sessionId, configId: 'color', value: 'red' }),
  ).rejects.toThrow('Unknown option')
})

const worktrees = async () =>
  (await exec('git', ['-C', workspace, 'worktree', 'list', '--porcelain'])).stdout.match(/(?<=^worktree ).*/gm) ?? []

const moveToWorktree = (peer: ClientConnection['agent'], sessionId: string) =>
  peer.request(methods.agent.session.setConfigOption, { sessionId, configId: 'place', value: 'worktree' })

/** Connects to another process. */
async function reconnect(options?: { worktree: boolean }): Promise<ClientConnection['agent']> {
  connection.close()
  await agent.close()
  agent = start(options)
  return connect()
}

/** Makes a set-up command that the user has approved. */
async function setUpWith(setUp: string): Promise<void> {
  await mkdir(join(workspace, '.tizona'))
  await writeFile(join(workspace, '.tizona', 'settings.json'), JSON.stringify({ sessions: { setUp } }))
  const core = await createTestCore()
  await core.openWorkspace(workspace)
  await core.sessions.approveSetUp(workspace, setUp)
  await core.dispose()
}

const branches = async () => (await exec('git', ['-C', workspace, 'branch', '--format=%(refname:short)'])).stdout.trim()

it('a prompt that follows the choice of a worktree at once runs there, and is kept', async () => {
  await makeRepository()
  const peer = await connect()
  const sessionId = await newSession(peer)
  await Promise.all([moveToWorktree(peer, sessionId), prompt(peer, sessionId, 'write it')])
  const [, worktree = ''] = await worktrees()
  expect(await readFile(join(worktree, 'b.txt'), 'utf8')).toBe('new\nlines\n')
  await expect(readFile(join(workspace, 'b.txt'))).rejects.toThrow('ENOENT')
  updates = []
  await peer.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })
  expect(textOf('user_message_chunk')).toBe('write it')
})

it('a worktree that is chosen twice at once is made once', async () => {
  await makeRepository()
  const peer = await connect()
  const sessionId = await newSession(peer)
  const answers = await Promise.all([moveToWorktree(peer, sessionId), moveToWorktree(peer, sessionId)])
  for (const { configOptions } of answers) expect(placesOf(configOptions)).toEqual(['worktree', 'worktree'])
  expect(await worktrees()).toHaveLength(2)
})

it('a session that is begun in a window stays in its folder', async () => {
  await makeRepository()
  const peer = await connect()
  const sessionId = await newSession(peer)
  const window = await createTestCore()
  await window.openWorkspace(workspace)
  await runTurn(window, { id: sessionId, text: 'hello', interrupted: new AbortController().signal })
  await window.dispose()
  await expect(moveToWorktree(peer, sessionId)).rejects.toThrow('This session has messages already')
  expect(await worktrees()).toEqual([workspace])
  await peer.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })
  expect(textOf('user_message_chunk')).toBe('hello')
})

it('closing a session ends the set-up of its worktree and the prompt that waits for it', async () => {
  await makeRepository()
  await setUpWith('sleep 300')
  const peer = await connect()
  const sessionId = await newSession(peer)
  const moving = expect(moveToWorktree(peer, sessionId)).rejects.toThrow('closed')
  await vi.waitFor(async () => expect(await worktrees()).toHaveLength(2), 5000)
  const waiting = prompt(peer, sessionId, 'write it')
  await peer.notify(methods.agent.session.cancel, { sessionId })
  expect(await waiting).toEqual({ stopReason: 'cancelled' })
  await peer.request(methods.agent.session.close, { sessionId })
  await moving
  expect(await worktrees()).toEqual([workspace])
  await expect(readFile(join(workspace, 'b.txt'))).rejects.toThrow('ENOENT')
})

it('a worktree whose set-up command fails is removed, and the session stays in its folder', async () => {
  await makeRepository()
  await setUpWith('exit 3')
  const peer = await connect()
  const sessionId = await newSession(peer)
  await expect(moveToWorktree(peer, sessionId)).rejects.toThrow('The set-up command of worktrees failed: exit 3')
  expect(await worktrees()).toEqual([workspace])
  expect(await branches()).toBe('main')
  await prompt(peer, sessionId, 'hello')
  expect(textOf('agent_message_chunk')).toBe('Hello.')
})

it('a worktree whose set-up command fails stays if files are only there', async () => {
  await makeRepository()
  await setUpWith('echo made > made.txt; exit 3')
  const peer = await connect()
  const sessionId = await newSession(peer)
  await expect(moveToWorktree(peer, sessionId)).rejects.toThrow('The set-up command of worktrees failed')
  const [, worktree = ''] = await worktrees()
  expect(await readFile(join(worktree, 'made.txt'), 'utf8')).toBe('made\n')
})

it('with --worktree, each session begins in a worktree, and one in a worktree stays there', async () => {
  await makeRepository()
  await connect()
  const peer = await reconnect({ worktree: true })
  const { sessionId, configOptions } = await peer.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] })
  expect(placesOf(configOptions)).toEqual(['worktree', 'worktree'])
  await prompt(peer, sessionId, 'write it')
  const [, worktree = ''] = await worktrees()
  expect(await readFile(join(worktree, 'b.txt'), 'utf8')).toBe('new\nlines\n')
  await peer.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })

  const inside = await peer.request(methods.agent.session.new, { cwd: worktree, mcpServers: [] })
  expect(placesOf(inside.configOptions)).toEqual(['worktree', 'worktree'])
  await prompt(peer, inside.sessionId, 'change a')
  expect(await readFile(join(worktree, 'a.txt'), 'utf8')).toBe('adios\n')
  expect(await worktrees()).toHaveLength(2)
})

it('with --worktree, a session that cannot begin leaves nothing', async () => {
  await connect()
  const peer = await reconnect({ worktree: true })
  const begin = () => peer.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] })
  const list = async (cwd?: string) =>
    (await peer.request(methods.agent.session.list, { ...(cwd && { cwd }) })).sessions
  await expect(begin()).rejects.toThrow('is not in a git repository')
  expect(await list(workspace)).toEqual([])
  await makeRepository()
  await setUpWith('exit 3')
  await expect(begin()).rejects.toThrow('The set-up command of worktrees failed')
  expect(await list(workspace)).toEqual([])
  // No session is open.
  expect(await list()).toEqual([])
  expect(await worktrees()).toEqual([workspace])
})

it('no worktree is made if no other folder can be opened', async () => {
  await makeRepository()
  const peer = await connect()
  const sessionId = await newSession(peer)
  for (let index = 0; index < 7; index += 1) {
    const folder = join(home, String(index))
    await mkdir(folder)
    await newSession(peer, folder)
  }
  await expect(moveToWorktree(peer, sessionId)).rejects.toThrow('At most 8 folders and worktrees')
  expect(await branches()).toBe('main')
  await prompt(peer, sessionId, 'hello')
  expect(textOf('agent_message_chunk')).toBe('Hello.')
})

it('deletes a session in a worktree that the client has only listed', async () => {
  await makeRepository()
  let peer = await connect()
  const sessionId = await newSession(peer)
  await moveToWorktree(peer, sessionId)
  await prompt(peer, sessionId, 'hello')
  peer = await reconnect()
  const list = async () => (await peer.request(methods.agent.session.list, { cwd: workspace })).sessions
  expect(await list()).toMatchObject([{ sessionId }])
  await peer.request(methods.agent.session.delete, { sessionId })
  expect(await list()).toEqual([])
  // Its worktree may have work in it.
  expect(await worktrees()).toHaveLength(2)
})

it('a session whose worktree is gone tells so when it is loaded', async () => {
  await makeRepository()
  let peer = await connect()
  const sessionId = await newSession(peer)
  await moveToWorktree(peer, sessionId)
  await prompt(peer, sessionId, 'hello')
  const [, worktree = ''] = await worktrees()
  peer = await reconnect()
  await rm(worktree, { recursive: true })
  await expect(peer.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })).rejects.toThrow(
    'The worktree of this session cannot be opened',
  )
})

it('streams thought, text and tool calls with kind, title and location', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  expect(await prompt(peer, sessionId, 'Please read a.txt')).toEqual({ stopReason: 'end_turn' })
  expect(textOf('agent_thought_chunk')).toBe('I should look.')
  expect(textOf('agent_message_chunk')).toBe('Reading. It says hola.')
  expect(textOf('user_message_chunk')).toBe('')
  expect(calls()[0]).toMatchObject({ sessionUpdate: 'tool_call', kind: 'read' })
  expect(lastCall()).toMatchObject({
    sessionUpdate: 'tool_call_update',
    title: 'Read file: a.txt',
    status: 'completed',
    locations: [{ path: join(workspace, 'a.txt'), line: 1 }],
    content: [{ type: 'content', content: { type: 'text', text: expect.stringContaining('hola') } }],
  })
  expect(updates).toContainEqual(expect.objectContaining({ sessionUpdate: 'usage_update', size: 65_536 }))
})

it('asks for permission with the diff, and writes after "Allow once"', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  expect(await prompt(peer, sessionId, 'write it')).toEqual({ stopReason: 'end_turn' })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({
    sessionId,
    toolCall: {
      kind: 'edit',
      status: 'pending',
      content: [
        { type: 'diff', path: join(workspace, 'b.txt'), oldText: null, newText: 'new\nlines\n' },
        { type: 'content' },
      ],
    },
  })
  expect(asked[0]?.options.map(({ kind }) => kind)).toEqual([
    'allow_once',
    'allow_always',
    'allow_always',
    'reject_once',
  ])
  expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('new\nlines\n')
  expect(lastCall()).toMatchObject({
    toolCallId: asked[0]?.toolCall.toolCallId,
    status: 'completed',
    content: [{ type: 'diff', path: join(workspace, 'b.txt'), oldText: null, newText: 'new\nlines\n' }],
  })
})

it('does not ask again after "always", and refuses after "reject"', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  answer = () => choose('prefix')
  await prompt(peer, sessionId, 'write it')
  await prompt(peer, sessionId, 'write it again')
  expect(asked).toHaveLength(1)
  answer = () => choose('refuse')
  await prompt(peer, sessionId, 'change a')
  expect(asked).toHaveLength(2)
  expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('hola\n')
  expect(lastCall()).toMatchObject({ status: 'failed' })
})

it('shows an edit as old and new text with the line', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  await prompt(peer, sessionId, 'change a')
  expect(lastCall()).toMatchObject({
    status: 'completed',
    locations: [{ path: join(workspace, 'a.txt'), line: 1 }],
    content: [{ type: 'diff', path: join(workspace, 'a.txt'), oldText: 'hola\n', newText: 'adios\n' }],
  })
})

it('refuses a call if the client cannot ask', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  answer = () => {
    throw new Error('no user here')
  }
  expect(await prompt(peer, sessionId, 'write it')).toEqual({ stopReason: 'end_turn' })
  await expect(readFile(join(workspace, 'b.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('follows the mode that the client sets', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  await peer.request(methods.agent.session.setMode, { sessionId, modeId: 'cautious' })
  expect(updates).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'cautious' })
  await prompt(peer, sessionId, 'write it')
  expect(asked).toEqual([])
  await expect(peer.request(methods.agent.session.setMode, { sessionId, modeId: 'reckless' })).rejects.toThrow(/safe/)
})

it('sends the to-do list as a plan', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  await prompt(peer, sessionId, 'plan it')
  expect(updates).toContainEqual({
    sessionUpdate: 'plan',
    entries: [{ content: 'Look', status: 'in_progress', priority: 'medium' }],
  })
})

it('streams the output of a command to clients that show terminals, and sends it as text to others', async () => {
  const peer = await connect({ _meta: { terminal_output: true } })
  const sessionId = await newSession(peer)
  await prompt(peer, sessionId, 'run it')
  expect(asked[0]?.toolCall.content?.[0]).toMatchObject({
    content: { text: expect.stringContaining('echo one; touch t.txt; echo two') },
  })
  const output = calls().map(({ _meta }) => _meta as { terminal_output?: { data: string } } | undefined)
  expect(output.map((meta) => meta?.terminal_output?.data ?? '').join('')).toMatch(/one\s+two/)
  expect(lastCall()).toMatchObject({
    content: [{ type: 'terminal' }],
    _meta: { terminal_exit: { exit_code: 0 } },
  })
  await peer.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION })
  const plain = await newSession(peer)
  await prompt(peer, plain, 'run it')
  expect(lastCall()).toMatchObject({
    content: [{ type: 'content', content: { type: 'text', text: expect.stringMatching(/one\s+two/) } }],
  })
})

it('cancels a running prompt and a waiting approval', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  const waiting = prompt(peer, sessionId, 'wait')
  await vi.waitFor(() => expect(textOf('agent_message_chunk')).toBe('Waiting'))
  await expect(prompt(peer, sessionId, 'other')).rejects.toThrow(/A prompt is running/)
  await peer.notify(methods.agent.session.cancel, { sessionId })
  expect(await waiting).toEqual({ stopReason: 'cancelled' })

  answer = () => new Promise(() => undefined)
  const approving = prompt(peer, sessionId, 'write it')
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  await peer.notify(methods.agent.session.cancel, { sessionId })
  expect(await approving).toEqual({ stopReason: 'cancelled' })
})

it('cancels a prompt whose attachments are being read', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  const waiting = prompt(peer, sessionId, 'wait @a.txt')
  await peer.notify(methods.agent.session.cancel, { sessionId })
  expect(await waiting).toEqual({ stopReason: 'cancelled' })
  expect(await prompt(peer, sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
})

it('knows and cancels a prompt that ran while its session was loaded again', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  const waiting = prompt(peer, sessionId, 'wait')
  await vi.waitFor(() => expect(textOf('agent_message_chunk')).toBe('Waiting'))
  await peer.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })
  await expect(prompt(peer, sessionId, 'other')).rejects.toThrow(/A prompt is running/)
  await peer.notify(methods.agent.session.cancel, { sessionId })
  expect(await waiting).toEqual({ stopReason: 'cancelled' })
})

it('reports a failed model server as the error of the prompt', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  await expect(prompt(peer, sessionId, 'fail now')).rejects.toThrow(/connection|closed|answer/i)
  expect(await prompt(peer, sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
})

it('lists, loads and resumes conversations, and closes and deletes sessions', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  await prompt(peer, sessionId, 'Please read a.txt')
  await peer.request(methods.agent.session.close, { sessionId })
  await expect(prompt(peer, sessionId, 'hi')).rejects.toMatchObject({ code: -32002 })
  const { sessions } = await peer.request(methods.agent.session.list, { cwd: workspace })
  expect(sessions).toMatchObject([{ sessionId, cwd: workspace }])

  updates.length = 0
  const { modes } = await peer.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })
  expect(modes?.currentModeId).toBe('safe')
  expect(textOf('user_message_chunk')).toBe('Please read a.txt')
  expect(textOf('agent_message_chunk')).toBe('Reading. It says hola.')
  expect(calls()).toMatchObject([{ sessionUpdate: 'tool_call', status: 'completed' }])

  updates.length = 0
  await peer.request(methods.agent.session.resume, { sessionId, cwd: workspace })
  expect(calls()).toEqual([])
  expect(await prompt(peer, sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
  await peer.request(methods.agent.session.delete, { sessionId })
  expect((await peer.request(methods.agent.session.list, { cwd: workspace })).sessions).toEqual([])
})

it('answers a prompt that is only an image, and refuses an empty one', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const image: ContentBlock = { type: 'image', mimeType: 'image/png', data }
  expect(await peer.request(methods.agent.session.prompt, { sessionId, prompt: [image] })).toEqual({
    stopReason: 'end_turn',
  })
  expect(JSON.stringify(endpoint.requests.at(-1)?.body)).toContain(`data:image/png;base64,${data}`)
  await expect(peer.request(methods.agent.session.prompt, { sessionId, prompt: [] })).rejects.toThrow('no text')
})

it('deletes a session that the client has listed and not opened', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  await prompt(peer, sessionId, 'hi')
  await peer.request(methods.agent.session.close, { sessionId })
  await peer.request(methods.agent.session.delete, { sessionId })
  expect((await peer.request(methods.agent.session.list, { cwd: workspace })).sessions).toEqual([])
})

it('reads linked files, and serves two folders at the same time', async () => {
  const peer = await connect()
  const other = join(home, 'other')
  await mkdir(other)
  await writeFile(join(other, 'c.txt'), 'from the other folder\n')
  const first = await newSession(peer)
  const second = await newSession(peer, other)
  await Promise.all([
    prompt(peer, first, 'hi'),
    peer.request(methods.agent.session.prompt, {
      sessionId: second,
      prompt: [
        { type: 'text', text: 'Look at' },
        { type: 'resource_link', name: 'c.txt', uri: `file://${other}/c.txt` },
        { type: 'resource', resource: { uri: 'https://example.com/x', text: 'embedded text' } },
      ],
    }),
  ])
  const sent = JSON.stringify(endpoint.requests.map(({ body }) => body))
  expect(sent).toContain('from the other folder')
  expect(sent).toContain('embedded text')
})

it('reads no mentions in embedded texts, which anyone may have written', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  await writeFile(join(workspace, 'own.txt'), 'mentioned by the user\n')
  const text = '@"Hello" @a.txt @mcp:docs/guide://start'
  const { stopReason } = await peer.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: 'text', text: 'Look at @own.txt and @"no file"' },
      { type: 'resource', resource: { uri: `file://${workspace}/a.m`, text } },
    ],
  })
  expect(stopReason).toBe('end_turn')
  const sent = JSON.stringify(endpoint.requests.map(({ body }) => body))
  expect(sent).toContain('mentioned by the user')
  expect(sent).toContain('@a.txt @mcp:docs/guide://start')
  expect(sent).not.toContain('hola')
})

it.each(['relative', '/nowhere/at/all'])('refuses the folder %s', async (cwd) => {
  const peer = await connect()
  await expect(peer.request(methods.agent.session.new, { cwd, mcpServers: [] })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('absolute path of an existing folder'),
  })
})

it('opens a limited number of sessions at the same time, also when they are requested at once', async () => {
  const peer = await connect()
  const answers = await Promise.allSettled(
    Array.from({ length: maxSessions + 3 }, () =>
      peer.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] }),
    ),
  )
  const opened = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.sessionId] : []))
  const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(opened).toHaveLength(maxSessions)
  for (const error of refused)
    expect(error).toMatchObject({ message: expect.stringContaining(`At most ${maxSessions} sessions`) })
  // A session that is open already does not count again, and a closed one makes room.
  const [first = '', second = ''] = opened
  await peer.request(methods.agent.session.resume, { sessionId: first, cwd: workspace, mcpServers: [] })
  await peer.request(methods.agent.session.close, { sessionId: second })
  await newSession(peer)
  await expect(newSession(peer)).rejects.toThrow('At most')
})

it('refuses a conversation of another folder', async () => {
  const peer = await connect()
  const sessionId = await newSession(peer)
  const other = join(home, 'other')
  await mkdir(other)
  await expect(
    peer.request(methods.agent.session.load, { sessionId, cwd: other, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32002 })
})

it('no folder is closed for another one while its sessions are being listed', async () => {
  await agent.close()
  const disposed: string[] = []
  let listing = Promise.resolve()
  agent = createAcpAgent({
    createCore: async () => {
      let root = ''
      return {
        openWorkspace: async (path: string) => {
          root = path
          return { root }
        },
        handlers: {
          'conversations.list': async () => {
            await listing
            return []
          },
          'sessions.overview': async () => [],
        },
        dispose: async () => void disposed.push(root),
        // Listing uses nothing else.
      } as unknown as Core
    },
    mode: 'safe',
    version: '1.0.0',
  })
  const peer = await connect()
  const list = (name: string) => peer.request(methods.agent.session.list, { cwd: join(home, name) })
  for (let index = 0; index < 9; index += 1) await mkdir(join(home, String(index)))
  for (let index = 0; index < 8; index += 1) await list(String(index))
  const listed = Promise.withResolvers<void>()
  listing = listed.promise
  const first = list('0')
  await expect(list('8')).rejects.toThrow('At most 8 folders and worktrees')
  expect(disposed).toEqual([])
  listed.resolve()
  expect(await first).toEqual({ sessions: [] })
  await list('8')
  expect(disposed).toEqual([join(home, '0')])
})
