import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

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
  server = spawn(process.execPath, [resolve(import.meta.dirname, '../../headless.ts'), 'mcp', '--workspace', workspace, '--mode', 'yolo'], {
    env: { ...process.env, TIZONA_USER_DATA: join(home, 'user') },
  })
  server.stdout.on('data', (chunk: Buffer) => { out += chunk.toString() })
  server.stderr.on('data', (chunk: Buffer) => { said += chunk.toString() })
  closed = new Promise((done) => { server.once('close', done) })
  send({ id: 1, method: 'initialize', params: { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'test', version: '1' } } })
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
  send({ id: 2, method: 'tools/call', params: { name: 'run_command', arguments: { command: 'echo $$ > pid; exec sleep 300' } } })
  return vi.waitFor(async () => {
    const text = await readFile(join(workspace, 'pid'), 'utf8')
    expect(text).toMatch(/^\d+\n$/)
    return Number(text)
  }, { timeout: 15_000 })
}

const gone = (pid: number) => vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 15_000 })

function onlyProtocol(): void {
  for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
}

it('ends with 0 when its input ends, and with it the command that runs', async () => {
  const pid = await startCommand()
  server.stdin.end()
  expect(await closed).toBe(0)
  await gone(pid)
  onlyProtocol()
})

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends on %s, and with it the command that runs', async (name) => {
  const pid = await startCommand()
  server.kill(name)
  expect(await closed).toBe(130)
  await gone(pid)
  onlyProtocol()
})

it('says on standard error what was no message, and goes on', async () => {
  server.stdin.write('hello?\n')
  send({ id: 3, method: 'ping' })
  await vi.waitFor(() => expect(out).toContain('"id":3'), { timeout: 15_000 })
  await vi.waitFor(() => expect(said).toContain('tizona mcp:'))
  onlyProtocol()
})
