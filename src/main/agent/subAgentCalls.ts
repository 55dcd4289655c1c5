import type { ToolItem } from '../../shared/agent/conversation.ts'
import type { ToolErrorCode } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import type { ChatTool } from '../model/modelClient.ts'
import { mayChange } from '../tools/changedPaths.ts'
import type { NestedCall, NestedCalls, SubAgentTask, Tool } from '../tools/common/toolDefinition.ts'
import type { LoopDeps } from './loop.ts'
import { splitAtSummary } from './conversation/messages.ts'
import type { Transcript } from './conversation/transcript.ts'

// The calls of a sub-agent: which tools it gets, and which of its calls run.

/** Maximum characters of a result in the list of calls. */
const maxLineText = 4000

/** Tools that a sub-agent never gets, because they make calls themselves or change the conversation. */
const ownTools: readonly string[] = ['task', 'codebase_investigator', 'batch', 'todo_write', 'find_tools', 'call_tool']

interface CallHandlerDeps {
  transcript: Transcript
  tools: readonly ChatTool[]
  calls: NestedCalls
  used: { toolCalls: number; tokens: number }
}

/** Runs the sub-agent's calls, except calls of other tools, repeated calls, and calls beyond the limit. */
export function createCallHandlers(
  task: SubAgentTask,
  { transcript, tools, calls, used }: CallHandlerDeps,
): Pick<LoopDeps, 'prepareCall'> {
  const names = tools.map(({ name }) => name)
  /** Ids of the calls that only read. */
  const reads = new Set<string>()

  async function run(call: ToolItem, { tool, run: runNested }: NestedCall, signal: AbortSignal): Promise<ToolResult> {
    if (!tool || !names.includes(tool.name))
      return failure('unknown_tool', `"${call.name}" is not available here. Available tools: ${names.join(', ')}.`)
    if (isRepeated(call, transcript, reads))
      return textResult('This call was made before; its result is above. Make another one, or answer.')
    if (used.toolCalls >= task.maxToolCalls)
      return textResult(`This call was not made: the maximum of ${plural(task.maxToolCalls, 'call')} is reached.`)
    if (used.tokens >= task.maxTokens)
      return textResult(`This call was not made: the budget of ${plural(task.maxTokens, 'token')} is used up.`)
    used.toolCalls += 1
    task.onCall(call.name, call.arguments)
    const result = await runNested(signal)
    const { ok, text, view, elapsedMs } = result
    const line = { tool: call.name, arguments: result.arguments, ok, text: text.slice(0, maxLineText), view, elapsedMs }
    task.onResult(line, mayHaveChanged(tool, result))
    return result
  }

  return {
    prepareCall(call) {
      const prepared = calls.prepare(call.name, call.arguments)
      const { runsInParallel } = prepared
      if (runsInParallel) reads.add(call.id)
      return { runsInParallel, onlyReads: runsInParallel, run: ({ signal }) => run(call, prepared, signal) }
    },
  }
}

/** Failures of calls that ran. After other failures, nothing has happened. */
const failedWhileRunning: readonly ToolErrorCode[] = [
  'cancelled',
  'timeout',
  'no_space',
  'io_error',
  'network_error',
  'server_error',
  'internal',
]

function mayHaveChanged(tool: Tool, { error, arguments: args }: ToolResult): boolean {
  if (error && !failedWhileRunning.includes(error.code)) return false
  return mayChange(tool, args)
}

/**
 * Whether the next request includes the whole result of the same call, or the same call is running. Only for calls that
 * read, since the last call that may have changed something: tests run again after an edit.
 */
function isRepeated(call: ToolItem, transcript: Transcript, reads: ReadonlySet<string>): boolean {
  if (!reads.has(call.id)) return false
  const { rest } = splitAtSummary(transcript.items())
  const before = rest.slice(
    0,
    rest.findIndex(({ id }) => id === call.id),
  )
  const change = before.findLastIndex((item) => item.kind === 'tool' && !reads.has(item.id))
  return before
    .slice(change + 1)
    .some(
      (item) =>
        item.kind === 'tool' &&
        item.name === call.name &&
        item.arguments === call.arguments &&
        item.keep === undefined &&
        !item.stale,
    )
}

/** Returns the tools that a sub-agent gets. */
export function allowedTools(all: readonly ChatTool[], wanted: SubAgentTask['tools'], calls: NestedCalls): ChatTool[] {
  return all.filter(({ name }) => {
    if (Array.isArray(wanted)) return wanted.includes(name) && calls.find(name).risk === 'read'
    if (ownTools.includes(name)) return false
    const { risk, effect } = calls.find(name)
    return wanted === 'all' || (risk === 'read' && effect === undefined)
  })
}

function textResult(text: string): ToolResult {
  return { ok: true, text, view: { kind: 'text' }, elapsedMs: 0, arguments: {}, truncated: false }
}

function failure(code: ToolErrorCode, message: string): ToolResult {
  const text = `Error (${code}): ${message}`
  return { ...textResult(text), ok: false, error: { code, message, next: '' } }
}
