import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  ElicitRequestSchema,
  ErrorCode,
  ResultSchema,
  ToolListChangedNotificationSchema,
  type CallToolResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  type Progress,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSettingsStore } from '../../settings/settingsStore.ts'
import { headlessProgram } from '../../testing/headlessProgram.ts'
import { markedSleep } from '../../testing/markedSleep.ts'

let home: string
let workspace: string
let ends: (() => Promise<void>)[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-mcp-'))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  await writeFile(join(workspace, 'a.txt'), 'hola\n')
  ends = []
})
afterEach(async () => {
  for (const end of ends) await end()
  await rm(home, { recursive: true, force: true })
})

type Answer = (asked: ElicitRequestFormParams, withdrawn: AbortSignal) => ElicitResult | Promise<ElicitResult>

/** The SDK's client on a server in a separate process. */
async function connect({ mode = 'safe', answer }: { mode?: string; answer?: Answer } = {}) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: answer ? { elicitation: { form: {} } } : {} },
  )
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      if (params.mode === 'url') throw new Error('Only forms are asked.')
      return answer(params, signal)
    })
  const notProtocol: Error[] = []
  client.onerror = (error) => notProtocol.push(error)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [headlessProgram, 'mcp', '--workspace', workspace, '--mode', mode],
    // Environment variables that are set are never undefined.
    env: { ...(process.env as Record<string, string>), TIZONA_USER_DATA: join(home, 'user') },
    stderr: 'pipe',
  })
  ends.push(() => client.close())
  await client.connect(transport)
  const call = async (
    name: string,
    args: Record<string, unknown>,
    options?: { signal?: AbortSignal; onprogress?: (progress: Progress) => void },
  ) => {
    // The other form of the type is of protocol versions before 2024-11.
    const result = (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult
    const [first] = result.content
    return { isError: result.isError, text: first?.type === 'text' ? first.text : '' }
  }
  return { client, transport, call, notProtocol }
}

const gone = (pid: number) => vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 15_000 })
const write = { path: 'b.txt', content: 'new\n' }

describe('tizona mcp', () => {
  it('lists the toolset with schemas and hints, runs tools, and explains a failed call', async () => {
    const { client, call, notProtocol } = await connect()
    expect(client.getServerVersion()).toMatchObject({ name: 'tizona', title: 'Tizona' })

    const { tools } = await client.listTools()
    const named = (name: string) => tools.find((tool) => tool.name === name)
    expect(named('read_file')).toMatchObject({
      title: 'Read file',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    })
    expect(named('write_file')?.annotations).toMatchObject({ readOnlyHint: false, openWorldHint: false })
    // They need no approval, but do more than read.
    expect(named('stop_command')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(named('open_file')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false })
    expect(named('run_command')?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    })

    expect(await call('read_file', { path: 'a.txt' })).toEqual({
      isError: false,
      text: expect.stringContaining('hola'),
    })
    expect(await call('read_file', { path: {} })).toEqual({
      isError: true,
      text: expect.stringMatching(/^Error \(invalid_arguments\): .+\nNext step: /s),
    })
    expect(await call('read_file', { path: '../x' })).toEqual({
      isError: true,
      text: expect.stringContaining('Error (outside_workspace)'),
    })
    expect(await call('fly', {})).toEqual({ isError: true, text: expect.stringContaining('Error (unknown_tool)') })
    // Tools outside the toolset are not listed and cannot be called, not even in a batch.
    expect(tools.map(({ name }) => name)).not.toContain('todo_write')
    expect(await call('todo_write', { todos: [] })).toEqual({
      isError: true,
      text: expect.stringContaining('Error (unknown_tool)'),
    })
    expect(await call('batch', { calls: [{ tool: 'load_skill', arguments: { name: 'x' } }] })).toMatchObject({
      text: expect.stringContaining('"unknown_tool"'),
    })

    // This client does not support elicitation.
    expect(await call('write_file', write)).toEqual({
      isError: true,
      text: expect.stringMatching(
        /^Error \(approval_required\): .*write_file.*\nNext step: .*--mode cautious.*elicitation/s,
      ),
    })
    await expect(readFile(join(workspace, 'b.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(notProtocol).toEqual([])
  })

  it("requests approval from the client's user with the diff or the entire command, and follows the decision", async () => {
    const asked: ElicitRequestFormParams[] = []
    const answers: ElicitResult[] = [
      { action: 'accept', content: { decision: 'once' } },
      { action: 'accept', content: { decision: 'refuse', reason: 'Not today.' } },
      { action: 'decline' },
      { action: 'accept', content: {} },
    ]
    const { call } = await connect({
      answer(params) {
        asked.push(params)
        return answers[asked.length - 1] ?? { action: 'cancel' }
      },
    })

    expect(await call('write_file', write)).toMatchObject({ isError: false })
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('new\n')
    expect(asked[0]?.message).toContain('+new')

    const command = 'echo one > made; echo two'
    expect(await call('run_command', { command })).toEqual({
      isError: true,
      text: expect.stringMatching(/^Error \(refused\): .*Not today\./),
    })
    expect(asked[1]?.message).toContain(command)
    expect(await call('run_command', { command })).toEqual({
      isError: true,
      text: expect.stringContaining('Error (refused)'),
    })
    // An acceptance without a decision is neither an approval nor a refusal.
    expect(await call('run_command', { command })).toEqual({
      isError: true,
      text: expect.stringContaining('Error (approval_required)'),
    })
    expect(asked).toHaveLength(4)
    await expect(readFile(join(workspace, 'made'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('requests approval for each call inside a batch by its own name', async () => {
    const asked: string[] = []
    const { call } = await connect({
      mode: 'Paranoid',
      answer({ message }) {
        asked.push(message)
        return { action: 'accept', content: { decision: asked.length === 3 ? 'refuse' : 'once' } }
      },
    })
    const { isError, text } = await call('batch', {
      calls: ['read_file', 'get_file_info'].map((tool) => ({ tool, arguments: { path: 'a.txt' } })),
      max_parallel: 1,
    })
    expect(asked.map((message) => message.split(':')[0])).toEqual([
      'Several calls at once',
      'Read file, part of "Several calls at once"',
      'File information, part of "Several calls at once"',
    ])
    expect(isError).toBe(false)
    // The tool defines the shape. The content is asserted below.
    const { results } = JSON.parse(text) as { results: unknown[] }
    expect(results).toMatchObject([
      { ok: true, output: expect.stringContaining('hola') },
      { ok: false, error: { code: 'refused' } },
    ])
  })

  it('notifies its client when a tool is switched off, no longer lists it, and does not run it', async () => {
    const { client, call } = await connect({ mode: 'yolo' })
    const changed = Promise.withResolvers<void>()
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve())
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_command')
    // Like the application in its own process.
    const settings = await createSettingsStore(join(home, 'user'), (message) => {
      throw new Error(message)
    })
    await settings.set({ disabledTools: { blade: ['run_command'] } })
    await changed.promise
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('run_command')
    expect(await call('run_command', { command: 'echo > made' })).toEqual({
      isError: true,
      text: expect.stringContaining('Error (switched_off)'),
    })
    await expect(readFile(join(workspace, 'made'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('returns a protocol error for an unknown request, and continues', async () => {
    const { client, call } = await connect()
    await expect(client.request({ method: 'tools/fly', params: {} }, ResultSchema)).rejects.toMatchObject({
      code: ErrorCode.MethodNotFound,
    })
    // The SDK checks a request before it reaches us, and calls a malformed one an internal error.
    await expect(
      client.request({ method: 'tools/call', params: { arguments: {} } }, ResultSchema),
    ).rejects.toMatchObject({ code: ErrorCode.InternalError })
    await expect(client.listResources()).rejects.toMatchObject({ code: ErrorCode.MethodNotFound })
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({ isError: false })
  })

  it('reports the progress of a command; cancelling the call ends its process', async () => {
    const { call } = await connect({ mode: 'yolo' })
    const seen: Progress[] = []
    const controller = new AbortController()
    const sleep = markedSleep()
    const running = call(
      'run_command',
      { command: sleep.command },
      { signal: controller.signal, onprogress: (progress) => seen.push(progress) },
    )
    const cancelled = expect(running).rejects.toThrow('enough')
    const pid = await sleep.pid()
    await vi.waitFor(() => expect(seen[0]).toMatchObject({ progress: 1, message: expect.stringContaining('running') }))
    controller.abort(new Error('enough'))
    await cancelled
    await gone(pid)
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({ isError: false })
  })

  it('cancelling a call that waits for approval withdraws the request', async () => {
    const waiting = Promise.withResolvers<void>()
    const withdrawn = Promise.withResolvers<void>()
    let first = true
    const { call } = await connect({
      answer(_params, signal) {
        if (first) {
          first = false
          return { action: 'decline' }
        }
        signal.addEventListener('abort', () => withdrawn.resolve())
        waiting.resolve()
        return new Promise(() => {})
      },
    })
    // The SDK's client ignores the cancellation of request number 0 (typescript-sdk issue 2115), so that request gets
    // an answer.
    expect(await call('write_file', write)).toMatchObject({ isError: true })
    const controller = new AbortController()
    const cancelled = expect(call('write_file', write, { signal: controller.signal })).rejects.toThrow('enough')
    await waiting.promise
    controller.abort(new Error('enough'))
    await cancelled
    await withdrawn.promise
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({ isError: false })
    await expect(readFile(join(workspace, 'b.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
