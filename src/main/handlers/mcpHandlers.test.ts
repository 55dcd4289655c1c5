import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { McpState } from '../../shared/tools/mcp.ts'
import { createCore, type Core } from '../core.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

const never = new AbortController().signal
const fixture = fileURLToPath(new URL('../mcp/testing/fixtureServer.ts', import.meta.url))
let home: string
let core: Core

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-mcp-')))
  await mkdir(join(home, 'workspace'))
  await start()
})
afterEach(async () => {
  await core.dispose()
  await rm(home, { recursive: true, force: true })
})

async function start(trustWorkspace = false): Promise<void> {
  core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
    },
    trustWorkspace,
  })
}
const openFolder = () => core.openWorkspace(join(home, 'workspace'))
const state = async (): Promise<McpState> => core.handlers['mcp.state']({}, never)
const only = async () => {
  const [server, ...others] = (await state()).servers
  if (!server || others.length > 0) throw new Error('not one server')
  return server
}
const command = (env: Record<string, string> = {}) => ({
  type: 'stdio' as const,
  command: process.execPath,
  args: [fixture, 'plain'],
  env,
})
const save = (
  name: string,
  definition: Parameters<Core['handlers']['mcp.save']>[0]['definition'],
  secrets: Record<string, string | null> = {},
  previous?: string,
) => core.handlers['mcp.save']({ name, definition, secrets, previous }, never)
const call = (name: string, args: unknown = {}, mode: 'yolo' | 'safe' | 'plan' = 'yolo', attended = false) =>
  core.executor.call({ callId: 'c', name, arguments: args, toolset: 'blade', mode, attended, signal: never })

it('keeps servers idle without a folder, and starts them when a folder is opened', async () => {
  await save('mine', command())
  expect(await only()).toMatchObject({ key: 'user:mine', state: 'idle' })
  await openFolder()
  expect(await core.toolsReady(never)).toEqual([])
  expect(await only()).toMatchObject({ state: 'connected' })
  expect(await call('mine__shout', '{"text": "a", "times": "2"}')).toMatchObject({ ok: true, text: 'AA' })
  expect(core.executor.describeAll('rusty').find(({ name }) => name === 'mine__shout')).toMatchObject({
    server: 'mine',
    risk: 'execute',
  })
})

it('applies the mode to a tool according to its risk', async () => {
  await save('mine', command())
  await openFolder()
  await core.toolsReady(never)
  expect(await call('mine__shout', { text: 'a' }, 'plan')).toMatchObject({ error: { code: 'not_in_plan_mode' } })
  expect(await call('mine__shout', { text: 'a' }, 'safe')).toMatchObject({ error: { code: 'approval_required' } })
  const { key, tools } = await only()
  const { tool, fingerprint } = tools.find((each) => each.tool === 'shout') ?? { tool: '', fingerprint: '' }
  await core.handlers['mcp.setTool']({ key, tool, fingerprint, risk: 'read' }, never)
  expect(await call('mine__shout', { text: 'a' }, 'plan')).toMatchObject({ ok: true, text: 'A' })
  await core.handlers['mcp.setTool']({ key, tool, fingerprint, off: true }, never)
  expect(await call('mine__shout', { text: 'a' }, 'plan')).toMatchObject({ error: { code: 'switched_off' } })
  await core.handlers['mcp.setTool']({ key, tool, fingerprint, off: false, risk: null }, never)
  expect(await call('mine__shout', { text: 'a' }, 'plan')).toMatchObject({ error: { code: 'not_in_plan_mode' } })
})

it('passes secrets to the server only', async () => {
  await openFolder()
  await save('mine', command({ KEY: '${input:token}' }), { token: 's3cret' })
  await core.toolsReady(never)
  expect(JSON.stringify(await state())).not.toContain('s3cret')
  expect((await call('mine__environment')).text).toContain('"KEY":"s3cret"')
})

it('deletes a secret when the origin of its server changes, and keeps it otherwise', async () => {
  const header = { Authorization: 'Bearer ${input:token}' }
  await save('mine', { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: header }, { token: 's3cret' })
  await save('mine', { type: 'http', url: 'http://127.0.0.1:1/other', headers: header }, {}, 'mine')
  expect((await only()).inputs).toEqual([{ name: 'token', stored: true }])
  await save('mine', { type: 'http', url: 'http://127.0.0.1:2/mcp', headers: header }, {}, 'mine')
  expect((await only()).inputs).toEqual([{ name: 'token', stored: false }])
})

it('renames servers, rejects a duplicate name, and removes a server with its secrets', async () => {
  await save('one', command({ KEY: '${input:token}' }), { token: 's3cret' })
  await save('two', command())
  await expect(save('two', command(), {}, 'one')).rejects.toMatchObject({ code: 'already_exists' })
  await core.handlers['mcp.remove']({ name: 'two' }, never)
  await core.handlers['mcp.remove']({ name: 'one' }, never)
  await save('one', command({ KEY: '${input:token}' }))
  expect((await only()).inputs).toEqual([{ name: 'token', stored: false }])
})

it('rejects servers in a general settings change', async () => {
  const mcp = { servers: { mine: command() }, choices: {} }
  await expect(async () => core.handlers['settings.set']({ mcp }, never)).rejects.toMatchObject({
    code: 'invalid_arguments',
  })
})

it("reports which servers' tools are missing, with the reason", async () => {
  await writeFile(join(home, 'workspace', '.mcp.json'), JSON.stringify({ mcpServers: { tools: command() } }))
  await save('gone', { type: 'stdio', command: 'no-such-program-anywhere', args: [], env: {} })
  await openFolder()
  expect(await core.toolsReady(never)).toEqual([
    expect.stringContaining('"gone" is not connected. The program "no-such-program-anywhere" was not found.'),
    'The MCP server "tools" from .mcp.json was not started, because this folder is not trusted.',
  ])
})

it('revokes the grants of a tool whose description changed', async () => {
  await openFolder()
  await save('mine', command())
  await core.toolsReady(never)
  const asked: string[] = []
  core.subscribe((name, payload) => {
    if (name !== 'approval.requested' || payload === null || !('reason' in payload) || !('id' in payload)) return
    asked.push(payload.reason)
    void core.handlers['approvals.decide']({ requestId: payload.id, decision: { kind: 'prefix' } }, never)
  })
  const shout = () => call('mine__shout', { text: 'a' }, 'safe', true)
  await shout()
  await shout()
  expect(asked).toHaveLength(1)
  // Another server under the same name, with a tool of the same name.
  await save('mine', { ...command(), args: [fixture, 'redefined'] }, {}, 'mine')
  await vi.waitFor(async () => expect(await only()).toMatchObject({ state: 'connected' }), 10_000)
  expect(await shout()).toMatchObject({ ok: true })
  expect(asked).toHaveLength(2)
})
