import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { headlessProgram } from '../../testing/headlessProgram.ts'
import { markedSleep } from '../../testing/markedSleep.ts'

let home: string
let workspace: string
let server: ChildProcessWithoutNullStreams
let out: string
let said: string
let closed: Promise<number | null>

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-mcp-'))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  out = ''
  said = ''
  server = spawn(process.execPath, [headlessProgram, 'mcp', '--workspace', workspace, '--mode', 'yolo'], {
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
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  send({ method: 'notifications/initialized' })
})
afterEach(async () => {
  server.kill('SIGKILL')
  await closed
  await rm(home, { recursive: true, force: true })
})

function send(message: object): void {
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** Starts a command that does not end by itself. @returns its process id */
function startCommand(): Promise<number> {
  const sleep = markedSleep()
  send({
    id: 2,
    method: 'tools/call',
    params: { name: 'run_command', arguments: { command: sleep.command } },
  })
  return sleep.pid()
}

const gone = (pid: number) => vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 15_000 })

function onlyProtocol(): void {
  for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
}

it('exits with 0 when its input ends, and ends the running command', async () => {
  const pid = await startCommand()
  server.stdin.end()
  expect(await closed).toBe(0)
  await gone(pid)
  onlyProtocol()
})

it('exits with 0 when its client no longer reads', async () => {
  send({ id: 4, method: 'ping' })
  await vi.waitFor(() => expect(out).toContain('"id":4'), { timeout: 15_000 })
  server.stdout.destroy()
  send({ id: 5, method: 'ping' })
  expect(await closed).toBe(0)
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('exits on %s with %d, and ends the running command', async (name, code) => {
  const pid = await startCommand()
  server.kill(name)
  expect(await closed).toBe(code)
  await gone(pid)
  onlyProtocol()
})

it('reports an invalid message on standard error, and continues', async () => {
  server.stdin.write('hello?\n')
  send({ id: 3, method: 'ping' })
  await vi.waitFor(() => expect(out).toContain('"id":3'), { timeout: 15_000 })
  await vi.waitFor(() => expect(said).toContain('tizona mcp:'))
  onlyProtocol()
})

/**
 * Sends bytes unchanged and waits for the answer to a ping after them.
 * @returns the answers before that of the ping
 */
async function answersTo(bytes: Buffer | string): Promise<unknown[]> {
  out = ''
  server.stdin.write(bytes)
  send({ id: 'ping', method: 'ping' })
  await vi.waitFor(() => expect(out).toContain('"id":"ping"'), { timeout: 30_000 })
  const answers: unknown[] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return answers.slice(0, -1)
}

const call = (content: string) => ({
  method: 'tools/call',
  params: { name: 'write_file', arguments: { path: 'big.txt', content, id: 5 } },
})

it('answers an invalid message with an error and continues: too long, malformed, a batch, not UTF-8', async () => {
  const big = 'x'.repeat(12 * 1024 * 1024)
  const refused: readonly [message: string | Buffer, id: number | string | null, code: number][] = [
    [JSON.stringify({ ...call(big), jsonrpc: '2.0', id: 7 }), 7, -32600],
    [JSON.stringify({ jsonrpc: '2.0', id: 'seven', ...call(big) }), 'seven', -32600],
    // Its only id is inside an argument.
    [JSON.stringify({ jsonrpc: '2.0', ...call(big) }), null, -32600],
    ['x'.repeat(30 * 1024 * 1024), null, -32600],
    ['{"jsonrpc":"2.0","id":7,', null, -32700],
    ['[{"jsonrpc":"2.0","id":7,"method":"ping"}]', null, -32600],
    ['{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600],
    [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), null, -32700],
  ]
  await vi.waitFor(() => expect(out).toContain('"id":1'), { timeout: 30_000 })
  for (const [message, id, code] of refused) {
    const answers = await answersTo(Buffer.concat([Buffer.from(message), Buffer.from('\n')]))
    expect(answers).toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.stringMatching(/./) } }])
  }
  // Just below the limit, it is an ordinary call.
  await answersTo(`${JSON.stringify({ ...call('y'.repeat(9 * 1024 * 1024)), jsonrpc: '2.0', id: 8 })}\n`)
  await vi.waitFor(() => expect(out).toMatch(/"id":8/), { timeout: 30_000 })
  expect(out).not.toContain('"error"')
}, 120_000)
