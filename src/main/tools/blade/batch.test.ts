import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { Mode } from '../../../shared/tools/risk.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import { createGate, type Gate } from '../../approval/gate.ts'
import { createCodeIndex } from '../../code/codeIndex.ts'
import { testExaminer } from '../../approval/testing/testExaminer.ts'
import { createExecutor } from '../executor.ts'
import type { Executor } from '../executorTypes.ts'
import { createToolRegistry } from '../toolRegistry.ts'
import { runTool, temporaryFolder, type TestContext } from '../testing/toolContext.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { batch } from './batch.ts'
import { bladeToolset } from './bladeToolset.ts'
import { searchContext } from '../testing/searchContext.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

// Tools that wait for each other, so that the results do not depend on speed.
let waiting: (() => void)[]
let most: number
let begun: string[]
let callIds: string[]
/** Ends when `of` calls run at the same time. */
const meet = defineTool({
  name: 'meet',
  title: 'Meet',
  description: 'Waits for others.',
  risk: 'read',
  schema: () => z.object({ of: z.number() }),
  async run({ of }, { callId }) {
    callIds.push(callId)
    most = Math.max(most, waiting.length + 1)
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length < of) return
      for (const go of waiting) go()
      waiting = []
    })
    return { text: 'met' }
  },
})
const endless = defineTool({
  name: 'endless',
  title: 'Endless',
  description: 'Runs until it is cancelled.',
  risk: 'read',
  schema: () => z.object({}),
  run: (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      begun.push('endless')
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
})
const note = defineTool({
  name: 'note',
  title: 'Note',
  description: 'Notes that it ran.',
  risk: 'read',
  schema: () => z.object({ text: z.string() }),
  async run({ text }) {
    begun.push(text)
    // Later, faster calls end first.
    if (text === 'slow') for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    return { text }
  },
})

interface Answer {
  results: {
    index: number
    tool: string
    ok: boolean
    output?: unknown
    error?: { code: string; message: string; next: string }
    skipped?: boolean
    elapsed_ms: number
  }[]
  meta: Record<string, unknown>
  note?: string
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let services: TestContext
let executor: Executor
let gate: Gate
let asked: ApprovalRequest[]
beforeEach(async () => {
  waiting = []
  most = 0
  begun = []
  callIds = []
  asked = []
  folder = await temporaryFolder({
    'a.txt': 'alpha',
    'src/b.ts': 'needle\n',
    'src/greet.ts': 'export function greet() {}\n',
  })
  gate = createGate({ examine: testExaminer(), onRequested: (request) => asked.push(request), onResolved: () => {} })
  services = await searchContext(folder.root)
  const tools = [...bladeToolset.tools, meet, endless, note]
  executor = createExecutor({
    gate,
    registry: createToolRegistry([{ ...bladeToolset, tools }]),
    services: () => services,
    fullTexts: { save: () => {}, load: () => undefined },
  })
})
afterEach(() => folder.remove())

function run(
  args: Record<string, unknown>,
  options: { mode?: Mode; signal?: AbortSignal; attended?: boolean } = {},
): Promise<ToolResult> {
  return executor.call({
    callId: 'outer',
    conversationId: 'talk',
    name: 'batch',
    arguments: args,
    toolset: 'blade',
    mode: 'yolo',
    attended: true,
    signal: new AbortController().signal,
    ...options,
  })
}
async function answer(args: Record<string, unknown>): Promise<Answer> {
  const result = await run(args)
  expect(result).toMatchObject({ ok: true, format: 'json', view: { kind: 'calls' } })
  return JSON.parse(result.text)
}
const notes = (...texts: string[]) => texts.map((text) => ({ tool: 'note', arguments: { text } }))

test('returns one result per call, in order, each with its own output or error and time', async () => {
  const { results, meta } = await answer({
    calls: [
      { tool: 'read_file', arguments: { path: 'a.txt' } },
      { name: 'rg', arguments: { pattern: 'needle' } },
      { tool: 'read_file', arguments: { path: 'missing' } },
      { tool: 'read_file', arguments: { pth: 'a.txt' } },
      { tool: 'raed_file', arguments: { path: 'a.txt' } },
      { tool: 'list_dir' },
    ],
  })
  expect(results).toEqual([
    { index: 0, tool: 'read_file', ok: true, output: 'alpha', elapsed_ms: expect.any(Number) },
    { index: 1, tool: 'rg', ok: true, output: 'src/b.ts:1:needle', elapsed_ms: expect.any(Number) },
    expect.objectContaining({
      index: 2,
      ok: false,
      error: { code: 'not_found', message: expect.stringContaining('missing'), next: expect.stringMatching(/./) },
    }),
    expect.objectContaining({ index: 3, ok: false, error: expect.objectContaining({ code: 'invalid_arguments' }) }),
    expect.objectContaining({
      index: 4,
      ok: false,
      error: expect.objectContaining({ code: 'unknown_tool', next: expect.stringContaining('read_file') }),
    }),
    expect.objectContaining({ index: 5, ok: true, output: expect.stringContaining('a.txt') }),
  ])
  expect(meta).toEqual({
    total: 6,
    succeeded: 3,
    failed: 3,
    elapsed_ms: expect.any(Number),
    cancelled: false,
    max_parallel: 8,
    fail_fast: false,
    ordered: true,
  })
})

test('symbol and index tools can be called; a JSON result is included as a value', async () => {
  const data = await temporaryFolder()
  const resources = fileURLToPath(new URL('../../../../resources', import.meta.url))
  const { workspace, documents, search } = services
  const code = createCodeIndex({
    workspace,
    documents,
    search,
    userData: data.root,
    resources,
    watched: false,
    dirtyBuffers: () => [],
    fork: inProcessIndex,
    onNotice: () => {},
  })
  onTestFinished(async () => {
    await code.dispose()
    await data.remove()
  })
  services = { ...services, code }
  const { results } = await answer({
    calls: [
      { tool: 'symbol_search', arguments: { query: 'greet' } },
      { tool: 'symbol_outline', arguments: { path: 'src/greet.ts' } },
      { tool: 'get_project_index_overview' },
      { tool: 'read_many_files', arguments: { paths: ['*.txt'] } },
    ],
  })
  expect(results).toMatchObject([
    { ok: true, output: { symbols: [{ name: 'greet', path: 'src/greet.ts' }] } },
    { ok: true, output: { symbols: [{ name: 'greet' }] } },
    { ok: true, output: { content: expect.stringContaining('src/') } },
    { ok: true, output: { files: [{ path: 'a.txt', content: 'alpha' }] } },
  ])
})

describe('max_parallel', () => {
  test('is 8 by default: eight calls that wait for each other end, with separate ids', async () => {
    const { meta } = await answer({ calls: Array.from({ length: 16 }, () => ({ tool: 'meet', arguments: { of: 8 } })) })
    expect(meta).toMatchObject({ succeeded: 16 })
    expect(most).toBe(8)
    expect(new Set(callIds).size).toBe(16)
    expect(callIds).not.toContain('outer')
  })

  test('1 runs one call after another', async () => {
    await answer({ calls: Array.from({ length: 3 }, () => ({ tool: 'meet', arguments: { of: 1 } })), max_parallel: 1 })
    expect(most).toBe(1)
  })

  test('above 16 is lowered, with a note', async () => {
    const { meta, note: said } = await answer({
      calls: Array.from({ length: 32 }, () => ({ tool: 'meet', arguments: { of: 16 } })),
      max_parallel: 20,
    })
    expect(meta).toMatchObject({ max_parallel: 16, succeeded: 32 })
    expect(most).toBe(16)
    expect(said).toContain('so 16 was used')
  })
})

test('without ordered, results are in order of completion', async () => {
  const calls = notes('slow', 'quick')
  expect((await answer({ calls, ordered: false })).results.map((entry) => entry.index)).toEqual([1, 0])
  expect((await answer({ calls })).results.map((entry) => entry.index)).toEqual([0, 1])
})

test('fail_fast starts no call after a failure; without it all run', async () => {
  const calls = [...notes('first'), { tool: 'read_file', arguments: { path: 'missing' } }, ...notes('last')]
  const { results, meta } = await answer({ calls, fail_fast: true, max_parallel: 1 })
  expect(begun).toEqual(['first'])
  expect(results[2]).toEqual({
    index: 2,
    tool: 'note',
    ok: false,
    skipped: true,
    error: expect.objectContaining({ message: expect.stringContaining('calls[1] read_file') }),
    elapsed_ms: 0,
  })
  expect(meta).toMatchObject({ total: 3, succeeded: 1, failed: 2, fail_fast: true })
  await answer({ calls, max_parallel: 1 })
  expect(begun).toEqual(['first', 'first', 'last'])
})

test('cancel_after_ms cancels running calls, starts no other and keeps finished results', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const running = answer({
    calls: [...notes('first'), { tool: 'endless' }, ...notes('last')],
    max_parallel: 1,
    cancel_after_ms: 60_000,
  })
  await expect.poll(() => begun).toContain('endless')
  vi.advanceTimersByTime(60_000)
  const { results, meta } = await running
  expect(begun).toEqual(['first', 'endless'])
  expect(results).toMatchObject([
    { ok: true, output: 'first' },
    { ok: false, error: { code: 'timeout' } },
    { ok: false, skipped: true, error: { code: 'timeout' } },
  ])
  expect(meta).toMatchObject({ cancelled: true, succeeded: 1 })
})

test('a cancelled batch cancels its calls and starts no other', async () => {
  const controller = new AbortController()
  const running = run(
    { calls: [{ tool: 'endless' }, ...notes('last')], max_parallel: 1 },
    { signal: controller.signal },
  )
  await expect.poll(() => begun).toEqual(['endless'])
  controller.abort()
  expect(await running).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(begun).toEqual(['endless'])
})

describe('these calls are refused before any call starts', () => {
  const others = bladeToolset.tools.filter((tool) => tool.risk !== 'read').map((tool) => tool.name)

  test.each([...others, 'create_file', 'batch', 'run_command', 'open_file', 'goto_line', 'stop_command'])(
    '%s',
    async (name) => {
      const before = await readdir(folder.root)
      const result = await run({ calls: [...notes('first'), { tool: name, arguments: {} }] })
      expect(result).toMatchObject({
        ok: false,
        error: { code: 'invalid_arguments', message: expect.stringContaining(`calls[1] ${name}`) },
      })
      expect(begun).toEqual([])
      expect(await readdir(folder.root)).toEqual(before)
    },
  )

  test('every other tool of the toolset is accepted', async () => {
    const inside = bladeToolset.tools.filter(
      (tool) => tool.risk === 'read' && !['batch', 'open_file', 'goto_line', 'stop_command'].includes(tool.name),
    )
    const { results } = await answer({
      calls: inside.map((tool) => ({ tool: tool.name, arguments: { no_such_argument: 1 } })),
    })
    expect(results.map((entry) => entry.error?.code)).toEqual(inside.map(() => 'invalid_arguments'))
    expect(inside.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(['symbol_search', 'symbol_graph', 'read_many_files']),
    )
  })
})

test('every nested call passes the gate separately, in the conversation of the batch', async () => {
  const running = run({ calls: [{ tool: 'read_file', arguments: { path: 'a.txt' } }] }, { mode: 'paranoid' })
  await expect.poll(() => asked.map((request) => request.tool)).toEqual(['batch'])
  gate.decide(asked[0]?.id ?? '', { kind: 'once' })
  await expect.poll(() => asked.map((request) => request.tool)).toEqual(['batch', 'read_file'])
  expect(asked[1]).toMatchObject({ callId: 'outer/1', conversationId: 'talk', mode: 'paranoid' })
  gate.decide(asked[1]?.id ?? '', { kind: 'refuse', reason: 'not this one' })
  expect(JSON.parse((await running).text).results).toMatchObject([
    { ok: false, error: { code: 'refused', message: expect.stringContaining('not this one') } },
  ])
})

test('a nested batch is refused', async () => {
  await expect(runTool(batch, { calls: notes('first') }, await searchContext(folder.root))).rejects.toMatchObject({
    code: 'invalid_arguments',
  })
})

test.each([
  { calls: [] },
  { calls: [{ arguments: {} }] },
  { calls: [{ tool: 'note', text: 'x' }] },
  { max_parallel: 0 },
  { cancel_after_ms: 0 },
])('%j is not a valid argument', async (args) => {
  expect(await run({ calls: notes('first'), ...args })).toMatchObject({
    ok: false,
    error: { code: 'invalid_arguments' },
  })
  expect(begun).toEqual([])
})

test('shows each call with its own view, and a failed one with its error', async () => {
  const { view } = await run({
    calls: [
      { tool: 'grep_search', arguments: { pattern: 'needle' } },
      { tool: 'read_file', arguments: { path: 'missing' } },
    ],
  })
  expect(view).toMatchObject({
    kind: 'calls',
    calls: [
      { tool: 'grep_search', ok: true, view: { kind: 'matches', matches: [{ path: 'src/b.ts', line: 1 }] } },
      { tool: 'read_file', ok: false, arguments: { path: 'missing' }, text: expect.stringContaining('missing') },
    ],
  })
})
