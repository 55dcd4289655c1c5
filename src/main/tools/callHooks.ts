import { plural } from '../../shared/text/plural.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import { truncate } from '../../shared/text/truncate.ts'
import type { HookCaller, Hooks } from '../hooks/hooks.ts'
import { parseArguments } from './arguments/coerceArguments.ts'
import { withField } from './common/callOutcome.ts'
import type { Tool, ToolContext, ToolOutput } from './common/toolDefinition.ts'
import { hookViews, type HookView } from './hookViews.ts'

/** What the hooks before a call decided. */
export interface HookedCall {
  args: Record<string, unknown>
  /** Why the call requires approval. */
  ask?: string
  /** Why the call must not run. */
  refusal?: ToolError
  /** What hooks changed, one sentence each, for the card and the model. */
  changes: string[]
  /** Text of hooks for the model. */
  context: string[]
  /** Why the turn should end. */
  endTurn?: string
}

/** Maximum number of files for which hooks run in one call. */
const maxViews = 100

/**
 * Runs the hooks before a call. Changed arguments are parsed by the tool's schema; the gate then decides about them as
 * about any others. A hook cannot allow a call: what it says about that is ignored.
 */
export async function runHooksBefore(
  hooks: Hooks,
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
  caller: HookCaller,
): Promise<HookedCall> {
  const call: HookedCall = { args, changes: [], context: [] }
  const views = await viewsOf(hooks, 'PreToolUse', tool, args, context)
  if (views.length > maxViews) {
    const message = `The call names ${plural(views.length, 'file')}, and hooks check at most ${maxViews} in one call.`
    return { ...call, refusal: refused(message, 'Split it into several calls.') }
  }
  for (const view of views) {
    const { name, names, input } = view
    const fields = { tool_name: name, tool_input: input, tool_use_id: context.callId }
    const { callId, conversationId } = context
    const outcome = await hooks.run(
      { event: 'PreToolUse', names, fields, callId, conversationId, caller },
      context.signal,
    )
    const { blocked, endTurn } = outcome
    if (endTurn !== undefined) call.endTurn = endTurn
    if (blocked !== undefined || endTurn !== undefined)
      call.refusal = refused(blocked ?? endTurn ?? '', 'Do not repeat the call. Follow the reason, or tell the user.')
    else if (outcome.toolInput) changeArguments(call, tool, view, outcome.toolInput, outcome.changedBy)
    if (call.refusal) return call
    if (outcome.ask !== undefined) call.ask = outcome.ask
    call.context.push(...outcome.context)
  }
  return call
}

function changeArguments(
  call: HookedCall,
  tool: Tool,
  { input, apply }: HookView,
  toolInput: Record<string, unknown>,
  changedBy: readonly string[],
): void {
  const changed = Object.keys(toolInput).filter((key) => !isSame(toolInput[key], input[key]))
  if (changed.length === 0) return
  const by = changedBy.map((command) => `"${command}"`).join(', ')
  if (!apply) {
    const message = `The hook ${by} changed arguments of ${tool.name}, which is not possible in this call.`
    call.refusal = refused(message, 'Make the change with a command or with a call for one file.')
    return
  }
  try {
    call.args = parseArguments(tool, apply(toolInput))
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const message = `The hook ${by} changed the arguments to ones that ${tool.name} does not accept. ${error.message}`
    call.refusal = refused(message, 'Tell the user, who can correct the hook.')
    return
  }
  for (const key of changed)
    call.changes.push(`The hook ${by} changed ${key} from ${shown(input[key])} to ${shown(toolInput[key])}.`)
}

/** Runs the hooks after a call that succeeded. @returns their text for the model */
export async function runHooksAfter(
  hooks: Hooks,
  tool: Tool,
  args: Record<string, unknown>,
  output: ToolOutput,
  context: ToolContext,
  caller: HookCaller,
): Promise<{ texts: string[]; endTurn?: string }> {
  const texts: string[] = []
  let endTurn: string | undefined
  const views = await viewsOf(hooks, 'PostToolUse', tool, args, context, output)
  for (const { name, names, input } of views.slice(0, maxViews)) {
    const text = truncate(output.text, maxResponse)
    const response = {
      success: true,
      text,
      ...(name === 'Bash' && { stdout: text, stderr: '', interrupted: false }),
      ...('file_path' in input && { filePath: input['file_path'] }),
    }
    const fields = { tool_name: name, tool_input: input, tool_response: response, tool_use_id: context.callId }
    const outcome = await hooks.run(
      { event: 'PostToolUse', names, fields, callId: context.callId, conversationId: context.conversationId, caller },
      context.signal,
    )
    if (outcome.blocked !== undefined) texts.push(outcome.blocked)
    texts.push(...outcome.context, ...outcome.notes)
    endTurn ??= outcome.endTurn
  }
  return { texts, ...(endTurn !== undefined && { endTurn }) }
}

/** Maximum characters of a result that hooks read. */
const maxResponse = 100_000

/** Finds the views only if there are hooks, because a command line or an active file is read for them. */
async function viewsOf(
  hooks: Hooks,
  event: 'PreToolUse' | 'PostToolUse',
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
  done?: ToolOutput,
): ReturnType<typeof hookViews> {
  return (await hooks.reactTo(event)) ? hookViews(tool, args, context, done) : []
}

function refused(message: string, next: string): ToolError {
  return new ToolError('refused', message, next, { reason: 'hook' })
}

/** Adds text of hooks to a result. In JSON output it becomes a field, so that the output still parses. */
export function withHookText(result: Pick<ToolResult, 'text' | 'format'>, texts: readonly string[]): string {
  if (texts.length === 0) return result.text
  const added = truncate(texts.join('\n'), maxAdded)
  return result.format === 'json' ? withField(result.text, 'text_of_hooks', added) : `${result.text}\n${added}`
}

/** Maximum characters that hooks add to a result. */
const maxAdded = 20_000

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : truncate(typeof value === 'string' ? `"${value}"` : JSON.stringify(value), 300)
