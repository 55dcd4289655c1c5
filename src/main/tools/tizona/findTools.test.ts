import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import { toolsetNames, type Mode, type ToolsetName } from '../../../shared/tools/risk.ts'
import type { DisabledReason } from '../../../shared/tools/tool.ts'
import { createGate, type Gate } from '../../approval/gate.ts'
import { testExaminer } from '../../approval/testing/testExaminer.ts'
import { createExecutor } from '../executor.ts'
import type { Executor, ToolCallRequest } from '../executorTypes.ts'
import { appToolsets } from '../offeredSchemas.ts'
import { offeredTools } from '../promptTools.ts'
import { temporaryFolder, testContext } from '../testing/toolContext.ts'
import { defineTool, type Tool } from '../common/toolDefinition.ts'
import { createToolRegistry } from '../toolRegistry.ts'
import { callTool } from './callTool.ts'
import { findTools } from './findTools.ts'
import { tizonaTools } from './tizonaTools.ts'

/** Tools of an MCP server. Creating an issue requires approval. */
const issueTools: readonly Tool[] = Array.from({ length: 30 }, (_, at) =>
  defineTool({
    name: at === 7 ? 'mcp__tracker__create_issue' : `mcp__tracker__report_${at}`,
    title: at === 7 ? 'tracker: create_issue' : `tracker: report_${at}`,
    description: at === 7 ? 'Opens a new issue in the tracker.' : `Report number ${at} of the tracker, as a table.`,
    risk: 'network',
    server: 'tracker',
    schema: () => z.object({ title: z.string().describe('Title of it.'), body: z.string().default('') }),
    run: ({ title }) => Promise.resolve({ text: `created ${title}` }),
  }),
)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gate: Gate
let executor: Executor
let asked: ApprovalRequest[]
let off: string[]
beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\n' })
  asked = []
  off = []
  gate = createGate({ examine: testExaminer(), onRequested: (request) => asked.push(request), onResolved: () => {} })
  const services = await testContext(folder.root)
  const whyOff = (_: ToolsetName, { name }: Tool): DisabledReason | undefined =>
    off.includes(name) ? 'settings' : undefined
  executor = createExecutor({
    gate,
    registry: createToolRegistry(appToolsets, () => [...tizonaTools, ...issueTools], whyOff),
    services: () => services,
    fullTexts: { save: () => undefined, load: () => undefined },
  })
})
afterEach(() => folder.remove())

const call = (name: string, args: unknown, options: Partial<ToolCallRequest> & { mode?: Mode } = {}) =>
  executor.call({
    callId: 'c',
    name,
    arguments: args,
    toolset: 'blade',
    mode: 'yolo',
    attended: true,
    signal: new AbortController().signal,
    ...options,
  })
const findIn = async (toolset: ToolsetName, query: string): Promise<string[]> => {
  const { text } = await call('find_tools', { query }, { toolset })
  return [...text.matchAll(/^\{"name":"(\w+)"/gm)].map(([, name = '']) => name)
}

describe('find_tools', () => {
  it.each<[ToolsetName, string, string]>([
    ['blade', 'rename or move a file', 'move_file'],
    ['blade', 'delete a folder', 'delete_file'],
    ['blade', 'what calls a symbol', 'symbol_graph'],
    ['blade', 'rename a symbol in all files', 'rename_symbol'],
    ['blade', 'errors and warnings of the language server', 'get_diagnostics'],
    ['blade', 'read the output of a background command', 'read_command_output'],
    ['blade', 'several calls at once', 'batch'],
    ['blade', 'apply a patch', 'apply_patch'],
    ['blade', 'keep a plan of the steps', 'todo_write'],
    ['blade', 'give part of the work to a sub-agent', 'task'],
    ['blade', 'open an issue in the tracker', 'mcp__tracker__create_issue'],
    ['rustant', 'search the web', 'web_search'],
    ['rustant', 'commit the changes to git', 'git_commit'],
    ['ultrasushitron', 'compare two files', 'Diff'],
    ['rusty', 'patch', 'apply_patch'],
  ])('of %s finds for "%s" %s, with its parameters', async (toolset, query, name) => {
    expect(await findIn(toolset, query)).toContain(name)
  })

  it('finds every tool by its name, first', async () => {
    for (const toolset of toolsetNames)
      for (const { name } of [...(appToolsets.find((one) => one.name === toolset)?.tools ?? []), ...issueTools])
        expect((await findIn(toolset, name))[0], `${toolset} ${name}`).toBe(name)
  })

  it('lists all tools where none matches', async () => {
    const { text } = await call('find_tools', { query: 'xyzzy' })
    expect(text).toContain('No tool matches')
    expect(text).toContain('move_file: ')
    expect(text).not.toContain('call_tool: ')
  })

  it('finds no tool that the user turned off', async () => {
    off = ['move_file']
    expect(await findIn('blade', 'move_file')).not.toContain('move_file')
  })
})

describe('call_tool', () => {
  it.each<[string, unknown]>([
    ['an object', { tool: 'copy_file', arguments: { source: 'a.txt', destination: 'b.txt' } }],
    ['JSON text', '{"tool": "copy_file", "arguments": "{\\"source\\": \\"a.txt\\", \\"destination\\": \\"b.txt\\"}"}'],
    ['fields beside the name', { tool: 'copy_file', source: 'a.txt', destination: 'b.txt' }],
    ['the form of a call', { name: 'copy_file', parameters: { source: 'a.txt', destination: 'b.txt' } }],
    ['names in another notation', { tool: 'CopyFile', arguments: { Source: 'a.txt', Destination: 'b.txt' } }],
  ])('runs the tool that it names, with arguments as %s', async (_, args) => {
    const result = await call('call_tool', args)
    expect(result).toMatchObject({ ok: true, ranTool: 'copy_file' })
    expect(result.arguments).toMatchObject({ source: 'a.txt', destination: 'b.txt' })
    expect(await readFile(join(folder.root, 'b.txt'), 'utf8')).toBe('one\n')
  })

  it('answers as the tool itself does', async () => {
    const args = { path: 'a.txt' }
    const [direct, called] = [
      await call('read_file', args),
      await call('call_tool', { tool: 'read_file', arguments: args }),
    ]
    expect(called).toEqual({ ...direct, ranTool: 'read_file', elapsedMs: called.elapsedMs })
    const [wrong, calledWrong] = [
      await call('read_file', {}),
      await call('call_tool', { tool: 'read_file', arguments: {} }),
    ]
    expect(calledWrong.text).toBe(wrong.text)
    expect(wrong.text).toContain('path')
  })

  it('asks for approval of the tool that it names, and does not run it when the user refuses', async () => {
    for (const [tool, args] of [
      ['delete_file', { path: 'a.txt' }],
      ['mcp__tracker__create_issue', { title: 'Leak' }],
    ] as const) {
      asked.length = 0
      const running = call('call_tool', { tool, arguments: args }, { mode: 'paranoid' })
      await vi.waitFor(() => expect(asked).toHaveLength(1))
      expect(asked[0]).toMatchObject({ tool, arguments: args })
      expect(asked[0]?.within).toBeUndefined()
      gate.decide(asked[0]?.id ?? '', { kind: 'refuse', reason: 'no' })
      expect(await running).toMatchObject({ ok: false, error: { code: 'refused' } })
    }
  })

  it('writes nothing in plan mode', async () => {
    const result = await call(
      'call_tool',
      { tool: 'write_file', arguments: { path: 'n', content: '' } },
      { mode: 'plan' },
    )
    expect(result.error?.code).toBe('not_in_plan_mode')
  })

  it('runs no tool that the user turned off', async () => {
    off = ['move_file']
    const result = await call('call_tool', { tool: 'move_file', arguments: { source: 'a.txt', destination: 'b.txt' } })
    expect(result.error?.code).toBe('switched_off')
  })

  it.each([
    ['move_fil', 'Did you mean move_file'],
    ['create_issue', 'mcp__tracker__create_issue'],
    ['call_tool', 'name of another tool'],
    ['', 'name of another tool'],
  ])('suggests another name for "%s"', async (tool, hint) => {
    const { ok, text } = await call('call_tool', { tool, arguments: {} })
    expect(ok).toBe(false)
    expect(text).toContain(hint)
  })

  it('runs beside other calls if the tool that it names only reads', () => {
    const parallel = (tool: string, args: object) =>
      executor
        .prepare({ name: 'call_tool', arguments: { tool, arguments: args }, toolset: 'blade' })
        .runsInParallel('safe')
    expect(parallel('get_file_info', { path: 'a.txt' })).toBe(true)
    expect(parallel('delete_file', { path: 'a.txt' })).toBe(false)
  })

  it('is not offered to clients of the MCP server, and is refused inside a batch', async () => {
    expect(executor.describe('blade').map(({ name }) => name)).not.toContain('call_tool')
    const args = { tool: 'delete_file', arguments: { path: 'a.txt' } }
    expect((await call('call_tool', args, { client: 'mcp' })).error?.code).toBe('unknown_tool')
    expect((await call('batch', { calls: [{ tool: 'call_tool', arguments: args }] })).ok).toBe(false)
  })
})

describe('a prompt without all tools', () => {
  const offered = (profile: 'full' | 'medium' | 'compact' | 'minimal', others: readonly Tool[] = []) => {
    const [blade] = appToolsets
    if (!blade) throw new Error('There is a toolset.')
    return offeredTools(blade, [...blade.tools, ...tizonaTools, ...others], profile)
  }
  const finder = (tools: ReturnType<typeof offered>) => tools.find(({ name }) => name === findTools.name)

  it('names those that are left out, and offers the two tools that find and call them', () => {
    const tools = offered('compact')
    const names = tools.map(({ name }) => name)
    expect(names.slice(-2)).toEqual([findTools.name, callTool.name])
    const hidden = finder(tools)?.description.split(/[ ,.]+/) ?? []
    for (const { name, follows = name } of [...(appToolsets[0]?.tools ?? []), ...tizonaTools])
      expect(names.includes(follows) !== hidden.includes(follows), name).toBe(true)
    expect(offered('full').map(({ name }) => name)).not.toContain('find_tools')
    expect(finder(offered('minimal'))?.description).toBe(findTools.description)
  })

  it('leaves out the tools of MCP servers if they are many, and names the server', () => {
    const tools = offered('compact', issueTools)
    expect(tools.map(({ name }) => name)).toEqual(offered('compact').map(({ name }) => name))
    expect(finder(tools)?.description).toContain('30 of the server tracker')
    const few = offered('compact', issueTools.slice(6, 8)).map(({ name }) => name)
    expect(few).toContain('mcp__tracker__create_issue')
  })

  it('lists all tools of MCP servers if the user turned off finding tools', () => {
    const [blade] = appToolsets
    if (!blade) throw new Error('There is a toolset.')
    const without = [...blade.tools, ...tizonaTools, ...issueTools].filter((tool) => tool !== findTools)
    const names = offeredTools(blade, without, 'compact').map(({ name }) => name)
    expect(names).toContain('mcp__tracker__create_issue')
    expect(names).not.toContain('call_tool')
  })
})
