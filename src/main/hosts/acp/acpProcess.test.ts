import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { call, say, step } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { headlessProgram } from '../../testing/headlessProgram.ts'
import { markedSleep } from '../../testing/markedSleep.ts'

let home: string
let workspace: string
let endpoint: ScriptedEndpoint
let server: ChildProcessWithoutNullStreams
let connection: ClientConnection
let updates: SessionUpdate[]
let out: string
let said: string
let closed: Promise<number | null>
const sleep = markedSleep()

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-acp-')))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  await writeFile(join(workspace, 'a.txt'), 'hola\n')
  endpoint = await startScriptedEndpoint({
    name: 'acp',
    contextWindow: 65_536,
    turns: [
      { prompt: /^read/, steps: [step('read', call('read_file', { path: 'a.txt' })), step('answer', say('hola'))] },
      {
        prompt: /^make/,
        steps: [
          step('make', call('write_file', { path: 'made.txt', content: 'made\n' })),
          step('answer', say('Made.')),
        ],
      },
      { prompt: /^sleep/, steps: [step('sleep', call('run_command', { command: sleep.command }))] },
    ],
  })
  updates = []
  out = ''
  said = ''
  start()
})

/** Starts the command, and connects the SDK's client. */
function start(...more: string[]): void {
  const model = ['--endpoint', endpoint.url, '--model', 'scripted', '--kind', 'openai', '--mode', 'yolo']
  server = spawn(process.execPath, [headlessProgram, 'acp', ...model, ...more], {
    env: { ...process.env, TIZONA_USER_DATA: join(home, 'user') },
  })
  server.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  server.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  closed = new Promise((done) => {
    server.once('close', done)
  })
  connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .connect(ndJsonStream(Writable.toWeb(server.stdin), Readable.toWeb(server.stdout)))
}

afterEach(async () => {
  server.kill('SIGKILL')
  await closed
  await endpoint.close()
  await rm(home, { recursive: true, force: true })
})

async function newSession(): Promise<string> {
  await connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION })
  return (await connection.agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] })).sessionId
}

const prompt = (sessionId: string, text: string) =>
  connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })

const gone = (pid: number) => vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 15_000 })

it('answers a prompt with the model of the command line, and exits with 0 when its input ends', async () => {
  const sessionId = await newSession()
  expect(await prompt(sessionId, 'read it')).toEqual({ stopReason: 'end_turn' })
  expect(updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'completed', title: 'Read file: a.txt' }),
  )
  connection.close()
  server.stdin.end()
  expect(await closed).toBe(0)
  for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
})

it('with --worktree, a session begins in a worktree, and another process returns to it', async () => {
  const git = promisify(execFile)
  const run = async (...args: string[]) => (await git('git', ['-C', workspace, ...args])).stdout
  await run('init', '-q', '-b', 'main')
  for (const setting of ['user.name=Ana', 'user.email=ana@example.org']) await run('config', ...setting.split('='))
  await run('add', '-A')
  await run('commit', '-qm', 'first')
  const end = async () => {
    connection.close()
    server.stdin.end()
    expect(await closed).toBe(0)
  }
  await end()
  start('--worktree')
  const sessionId = await newSession()
  expect(await prompt(sessionId, 'make it')).toEqual({ stopReason: 'end_turn' })
  const [, worktree = ''] = (await run('worktree', 'list', '--porcelain')).match(/(?<=^worktree ).*/gm) ?? []
  expect(await readFile(join(worktree, 'made.txt'), 'utf8')).toBe('made\n')
  expect(existsSync(join(workspace, 'made.txt'))).toBe(false)
  await end()

  start()
  await connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION })
  const { sessions } = await connection.agent.request(methods.agent.session.list, { cwd: workspace })
  expect(sessions).toMatchObject([{ sessionId, cwd: workspace, title: 'make it' }])
  await connection.agent.request(methods.agent.session.load, { sessionId, cwd: workspace, mcpServers: [] })
  expect(await prompt(sessionId, 'read it')).toEqual({ stopReason: 'end_turn' })
  const path = join(worktree, 'a.txt')
  expect(updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', locations: [{ path, line: 1 }] }),
  )
  await end()
})

it('exits with 0 when its client no longer reads', async () => {
  await newSession()
  server.stdout.destroy()
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 900, method: 'unknown' })}\n`)
  expect(await closed).toBe(0)
  connection.close()
})

it.each(['SIGTERM', 'the end of input'])('%s ends the running command', async (how) => {
  const sessionId = await newSession()
  const running = prompt(sessionId, 'sleep').catch((error: unknown) => error)
  const pid = await sleep.pid()
  if (how === 'SIGTERM') server.kill('SIGTERM')
  else server.stdin.end()
  expect(await closed).toBe(how === 'SIGTERM' ? 143 : 0)
  await gone(pid)
  connection.close()
  await running
})

it('answers an invalid message with an error and continues', async () => {
  // The SDK's client prints answers without an id.
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  server.stdin.write('hello?\n[]\n')
  const sessionId = await newSession()
  expect(await prompt(sessionId, 'read it')).toEqual({ stopReason: 'end_turn' })
  expect(out).toContain('-32700')
  expect(out).toContain('-32600')
  expect(said).toContain('tizona acp:')
  printed.mockRestore()
})
