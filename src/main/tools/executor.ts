import { allFeatures, type Features } from '../base/features.ts'
import type { Mode, ToolsetName } from '../../shared/tools/risk.ts'
import type { ToolInfo, ToolProgress, ToolResult } from '../../shared/tools/tool.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Gate } from '../approval/gate.ts'
import { decisionFor } from '../approval/modePolicy.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { shippedPlaceRules } from '../approval/protectedPaths.ts'
import { approveCall, type ApprovedCall } from './approveCall.ts'
import { createCallEditor } from './callEditor.ts'
import { changedPaths, mayChange } from './changedPaths.ts'
import { failedCall, withNote } from './common/callOutcome.ts'
import { runApproved } from './runApproved.ts'
import {
  createLateErrors,
  recordWrites,
  withEditErrors,
  type KnownErrors,
  type LateErrors,
} from './writeDiagnostics.ts'
import type { ToolRegistry } from './toolRegistry.ts'
import { respellPaths } from './arguments/pathArguments.ts'
import { resolveCall, resolveTool, type CallableTools } from './arguments/resolveCall.ts'
import type { Review, ReviewedCall } from '../review/reviewTypes.ts'
import type { WriteOutcome } from '../workspace/documents.ts'
import { externalAgentTools, findExternalAgentTool } from './externalAgent/externalAgentTools.ts'
import { windowWithoutSecrets, withoutSecrets } from './secretGuard.ts'
import { toolInfo } from './schema/toolSchema.ts'
import type { RunSubAgent, NestedCalls, Tool, ToolContext, ToolOutput } from './common/toolDefinition.ts'
import { log } from '../base/log/log.ts'
import { missingPathOf } from '../workspace/containment.ts'
import { withExistingPaths } from './common/existingPaths.ts'

/** One call by a model, the tool console, the command line or an MCP client. */
export interface ToolCallRequest {
  callId: string
  conversationId?: string
  name: string
  /** An object, or JSON text from a model. */
  arguments: unknown
  toolset: ToolsetName
  mode: Mode
  /** Whether a user can answer approval requests. */
  attended: boolean
  /**
   * Origin of the call. Default: the command line. `mcp` clients get only the toolset, without Tizona's own and MCP
   * tools. An external `agent` (ACP) gets only the tools for its requests.
   */
  client?: 'commandLine' | 'mcp' | 'agent'
  signal: AbortSignal
  onProgress?(progress: ToolProgress): void
  /**
   * Called as soon as the tool and its arguments are known. Throwing ends the call.
   * @param onlyReads whether the call has no effects, even if it is approved
   */
  onResolved?(onlyReads: boolean): void
  /** Reports that the call waits for approval or runs. */
  onState?(state: 'approval' | 'running'): void
  /**
   * Awaited before each allowed call, nested ones included, that may change files. Throwing cancels the call.
   * @param paths what it may change, relative to the workspace; undefined if unknown
   */
  beforeChange?(paths: readonly string[] | undefined): Promise<void>
  /** User message of the turn, which the review shows with the changes. */
  turn?: string
  /** Creates the sub-agent runner for a tool. The sub-agent uses tools through `calls`. */
  subAgent?(calls: NestedCalls): RunSubAgent
}

/** The fields of a request that decide whether a call can run in parallel. */
export type ParallelRequest = Pick<ToolCallRequest, 'name' | 'arguments' | 'toolset' | 'mode' | 'client'>

/** Runs the tool calls of all callers. */
export interface Executor {
  /** Runs one call. Never rejects: failures are results with `ok: false`. */
  call(request: ToolCallRequest): Promise<ToolResult>
  /** Returns whether a call can run in parallel: it is read-only and needs no approval. Does not run the call. */
  runsInParallel(request: ParallelRequest): boolean
  /** Tools of a toolset for clients and documentation, without tools that are turned off or common to all toolsets. */
  describe(toolset: ToolsetName): ToolInfo[]
  /** All tools for the window, including those that are turned off, with the reasons. */
  describeAll(toolset: ToolsetName): ToolInfo[]
  /**
   * Returns, once, the errors that language servers reported after a conversation's last call, as a note for its next
   * message.
   */
  takeLateErrors(conversationId: string): string | undefined
  /** Returns the text of a recent result before truncation. @throws ToolError not_found if it is no longer stored */
  fullText(callId: string): string
}

/** The services of the open workspace in a `ToolContext`. Its other fields belong to one call. */
export type ToolServices = Omit<
  ToolContext,
  'callId' | 'conversationId' | 'commandSandbox' | 'signal' | 'progress' | 'tools' | 'nested' | 'subAgent'
>

/** Stores the complete text of truncated results. */
export interface FullTexts {
  save(callId: string, text: string): void
  load(callId: string): string | undefined
}

export interface ExecutorDeps {
  registry: ToolRegistry
  gate: Gate
  /** Returns the services of the open workspace. @throws ToolError no_workspace if no folder is open */
  services(): ToolServices
  fullTexts: FullTexts
  /** Records changes for review. */
  review?(): Pick<Review, 'begin'> | undefined
  /** Protected and secret places. Default: the shipped ones. */
  places?(): PlaceRules
  /**
   * Called when a call returned content from the web or an MCP server. @param source completes "read …", e.g. "the web
   * page …"
   */
  onOutsideContent?(conversationId: string, source: string): void
  /** Whether tools may run commands in the open folder, depending on its trust. Default: true. */
  commandsAllowed?(): boolean
  /** Default: all enabled. */
  features?: Partial<Features>
}

/** An external or nested call. */
type CallRequest = ToolCallRequest & {
  /** Title of the outer tool, for nested calls. */
  outerTitle?: string
}

/** State that all calls of an executor share. */
interface ExecutorState extends ExecutorDeps {
  places(): PlaceRules
  features: Features
  lateErrors: LateErrors
}

/**
 * Runs all tool calls: resolves the tool, parses arguments, checks with the gate, runs the tool and truncates the
 * result.
 */
export function createExecutor(deps: ExecutorDeps): Executor {
  const { registry, fullTexts } = deps
  const { places = () => shippedPlaceRules } = deps
  const state: ExecutorState = {
    ...deps,
    places,
    features: { ...allFeatures, ...deps.features },
    lateErrors: createLateErrors(),
  }
  return {
    call: (request) => runCall(request, state),
    runsInParallel: (request) => runsInParallel(request, state),
    describe(toolset) {
      const own = registry.toolset(toolset).tools
      return registry
        .tools(toolset)
        .filter((tool) => own.includes(tool))
        .map((tool) => toolInfo(tool))
    },
    describeAll: (toolset) => registry.all(toolset).map(({ tool, off }) => toolInfo(tool, off)),
    takeLateErrors: (conversationId) =>
      state.lateErrors.take(conversationId, (path) => state.services().languages.editErrors.known(path)),
    fullText(callId) {
      const text = fullTexts.load(callId)
      if (text === undefined)
        throw new ToolError(
          'not_found',
          'The full text of this result is no longer stored.',
          'Run the call again to see all of it.',
        )
      return text
    },
  }
}

/** MCP clients can only call the tools they are offered, because they have their own to-do list and MCP servers. */
function callableTools(
  { toolset, client }: Pick<CallRequest, 'toolset' | 'client'>,
  { registry }: ExecutorState,
): CallableTools {
  if (client === 'agent') return { toolset, tools: externalAgentTools, find: findExternalAgentTool }
  const own = registry.toolset(toolset).tools
  const offered = registry.tools(toolset)
  return {
    toolset,
    tools: client === 'mcp' ? offered.filter((tool) => own.includes(tool)) : offered,
    find: (name) => (client === 'mcp' ? registry.findOwn(toolset, name) : registry.find(toolset, name)),
  }
}

function runsInParallel(request: ParallelRequest, state: ExecutorState): boolean {
  if (decisionFor(request.mode, 'read') !== 'allow') return false
  try {
    const callable = callableTools(request, state)
    const { tool, values } = resolveCall(callable, request.name, request.arguments, state.features, false)
    return onlyReads(tool, values)
  } catch {
    // The call itself reports the error.
    return false
  }
}

/** Whether the only effect of a call is reading files. */
function onlyReads(tool: Tool, args: Record<string, unknown>): boolean {
  const risk = tool.riskOf?.(args) ?? tool.risk
  return risk === 'read' && tool.effect === undefined && !tool.serial && tool.server === undefined
}

/** A call on its way from its name to its result. */
interface RunningCall {
  readonly request: CallRequest
  /** The arguments as resolved, respelled and approved so far. Empty at first. */
  args: Record<string, unknown>
  repaired: boolean
  /** Notes about the call, for the model and the user. */
  note: string | undefined
  /** Name of the tool, if it is not the called one. */
  ranTool: string | undefined
  /** When the call was made; later, when it began to run (`performance.now()`). */
  started: number
}

/** Runs one call. Never rejects. */
async function runCall(request: CallRequest, state: ExecutorState): Promise<ToolResult> {
  const started = performance.now()
  const call: RunningCall = { request, args: {}, repaired: false, note: undefined, ranTool: undefined, started }
  const resultOf = (outcome: Omit<ToolResult, 'elapsedMs' | 'arguments' | 'repaired' | 'ranTool'>): ToolResult => ({
    ...outcome,
    arguments: call.args,
    ...(call.repaired && { repaired: true }),
    ...(call.ranTool !== undefined && { ranTool: call.ranTool }),
    elapsedMs: Math.round((performance.now() - call.started) * 1000) / 1000,
  })
  try {
    request.signal.throwIfAborted()
    return resultOf(await runTool(resolve(call, state), call, state))
  } catch (error) {
    const failed = failedCall(await explained(error, request, state), request.signal, call.note)
    if (failed.error.code === 'internal') log.error(`The tool ${request.name} failed`, error)
    return resultOf(failed)
  }
}

/** Resolves the tool and the arguments of a call. @throws ToolError */
function resolve(call: RunningCall, state: ExecutorState): Tool {
  const { request } = call
  const nested = request.outerTitle !== undefined
  const callable = callableTools(request, state)
  const { tool, values, repaired, note, inner } = resolveCall(
    callable,
    request.name,
    request.arguments,
    state.features,
    nested,
  )
  Object.assign(call, { args: values, repaired, note })
  if (note !== undefined || inner) call.ranTool = tool.name
  request.onResolved?.(onlyReads(tool, values))
  if (tool.commandLine !== undefined && state.commandsAllowed?.() === false) throw commandsRestricted(tool)
  return tool
}

/** Approves and runs a resolved call. @throws ToolError, or what the tool throws */
async function runTool(tool: Tool, call: RunningCall, state: ExecutorState) {
  const { request } = call
  const { context, services, approvedPaths, writes, known } = callContext(tool, call.args, request, state)
  if (state.features.repair && request.client !== 'agent') {
    const respelled = await respellPaths(tool, call.args, services.workspace)
    call.args = respelled.values
    call.note = [call.note, respelled.note].filter((one) => one !== undefined).join(' ') || undefined
  }
  // Until the approval, only the user sees what the call reads.
  const approval = { gate: state.gate, rules: state.places() }
  const approved = await approveCall(approval, tool, call.args, { ...context, ...services }, request)
  call.args = approved.args
  for (const path of approved.paths) approvedPaths.add(path)
  let begun: { recorded: ReviewedCall | undefined } | undefined
  let ran: ToolOutput
  try {
    ran = await runApproved(approval, tool, approved, context, request, async ({ args, onlyReads: proven }) => {
      if (!begun && !proven && mayChange(tool, args))
        begun = { recorded: await beginChange(tool, args, context.workspace, request, state) }
      request.signal.throwIfAborted()
      request.onState?.('running')
      // Waiting for approval does not count as run time.
      call.started = performance.now()
    })
  } finally {
    await begun?.recorded?.end(writes.filter(({ unsaved }) => unsaved))
  }
  call.args = approved.args
  noteOutsideContent(tool, call.args, request, state)
  const checked = await withEditErrors(ran, { writes, known }, context, request.signal, state.features, (problems) =>
    state.lateErrors.add(request.conversationId, problems),
  )
  const output =
    request.outerTitle !== undefined
      ? checked
      : state.lateErrors.addTo(checked, request.conversationId, (path) => context.languages.editErrors.known(path))
  if (approved.editedCommand !== undefined)
    output.text = `[The user edited the command before allowing it. Executed command: ${approved.editedCommand}]\n${output.text}`
  if (call.note !== undefined) output.text = withNote(output, call.note)
  return { ...succeeded(output, request, state), ...becauseOf(approved) }
}

/** Adds similar existing paths to an error about a missing path. */
async function explained(error: unknown, { signal }: CallRequest, state: ExecutorState): Promise<unknown> {
  if (missingPathOf(error) === undefined) return error
  try {
    return await withExistingPaths(error, state.services(), signal)
  } catch (second) {
    // A call never rejects, and the first error is the one to report.
    log.error('Similar paths could not be searched', second)
    return error
  }
}

/** Saves the state before a call that may change files, for checkpoints and review. @throws only if it is cancelled */
async function beginChange(
  tool: Tool,
  args: Record<string, unknown>,
  workspace: ToolContext['workspace'],
  { beforeChange, turn }: CallRequest,
  { review }: ExecutorState,
): Promise<ReviewedCall | undefined> {
  const reviewed = review?.()
  if (!beforeChange && !reviewed) return undefined
  const paths = await changedPaths(tool, args, workspace)
  const since = performance.now()
  await beforeChange?.(paths)
  return reviewed?.begin({
    paths,
    turn: turn ?? null,
    program: tool.commandLine !== undefined || tool.server !== undefined,
    since,
  })
}

/** Reports that a call returned content from the web or an MCP server, which may contain instructions for the model. */
function noteOutsideContent(
  { web, server, scope }: Tool,
  args: Record<string, unknown>,
  { conversationId }: CallRequest,
  { onOutsideContent }: ExecutorState,
): void {
  if (conversationId === undefined) return
  if (server !== undefined) onOutsideContent?.(conversationId, `an answer of the MCP server "${server}"`)
  else if (web) onOutsideContent?.(conversationId, `content of ${scope?.(args)?.split(' ').at(-1) ?? 'the web'}`)
}

function commandsRestricted({ name }: Tool): ToolError {
  return new ToolError(
    'untrusted_folder',
    `${name} was not run: the user has not trusted this folder, so commands are off.`,
    'Continue with the tools that read and edit files. If a command is needed, ask the user to trust the folder ("Restricted" in the status bar).',
  )
}

/** The context that a tool runs in. Its services do not reveal secret files. */
interface CallContext {
  context: ToolContext
  /** The same services, including access to secret files. */
  services: ToolServices
  /** Secret paths, relative to the workspace, that the services may reveal. */
  approvedPaths: Set<string>
  /** Collects the files that the call writes. */
  writes: WriteOutcome[]
  /** Known errors of the files before their first write. */
  known: KnownErrors
}

function callContext(
  tool: Tool,
  args: Record<string, unknown>,
  request: CallRequest,
  state: ExecutorState,
): CallContext {
  const services = state.services()
  const { documents, writes, known } = recordWrites(services.documents, services.languages.editErrors)
  const outerCall = request.outerTitle === undefined && {
    nested: nestedCalls(tool, request, state),
    subAgent: request.subAgent?.(
      nestedCalls(tool, { ...request, mode: subAgentMode(tool, args, request.mode) }, state),
    ),
  }
  const approvedPaths = new Set<string>()
  const { secret } = state.places()
  const { editor: guarded, languages } = windowWithoutSecrets(services, secret, approvedPaths)
  const editor = createCallEditor(services.editor, guarded, approvedPaths)
  return {
    context: {
      ...services,
      ...withoutSecrets({ ...services, documents }, secret, approvedPaths),
      editor: editor.after,
      languages,
      callId: request.callId,
      conversationId: request.conversationId,
      signal: request.signal,
      attended: request.attended,
      tools: callableTools(request, state).tools,
      progress: (progress) => request.onProgress?.(progress),
      ...outerCall,
    },
    services: { ...services, editor: editor.before },
    approvedPaths,
    writes,
    known,
  }
}

/** Why a command ran without approval, for its card. */
function becauseOf({ explanation }: ApprovedCall): Pick<ToolResult, 'allowedBecause'> {
  return explanation?.verdict === 'allow' ? { allowedBecause: explanation.reason } : {}
}

function nestedCalls({ title }: Tool, request: CallRequest, state: ExecutorState): NestedCalls {
  const { callId, conversationId, toolset, mode, attended, client, signal: outer, beforeChange, turn } = request
  const caller = { conversationId, toolset, mode, attended, client, beforeChange, turn, outerTitle: title }
  const callable = () => callableTools(request, state)
  let count = 0
  return {
    find: (name) => (state.features.repair ? resolveTool(callable(), name) : callable().find(name)),
    runsInParallel: (name, args) => runsInParallel({ toolset, mode, client, name, arguments: args }, state),
    call: (name, args, own) => {
      count += 1
      const signal = own ? AbortSignal.any([outer, own]) : outer
      return runCall({ ...caller, callId: `${callId}/${count}`, name, arguments: args, signal }, state)
    },
  }
}

/** Truncates the output of a tool, and stores its full text unless the call is nested. */
function succeeded(
  output: ToolOutput,
  { toolset, callId, outerTitle }: CallRequest,
  { registry, fullTexts }: ExecutorState,
): Pick<ToolResult, 'ok' | 'text' | 'truncated' | 'droppedBytes' | 'view' | 'format'> {
  const { text, truncated } = output.selfTruncated
    ? { text: output.text, truncated: false }
    : registry.toolset(toolset).truncate(output)
  const droppedBytes = Buffer.byteLength(output.text) - Buffer.byteLength(text) + (output.missing?.bytes ?? 0)
  // Only the outer result is shown, so only its full text is stored.
  if (truncated && outerTitle === undefined) storeFullText(fullTexts, callId, output.text)
  return {
    ok: true,
    text,
    truncated,
    ...(truncated && { droppedBytes }),
    view: output.view ?? { kind: output.format === 'json' ? 'json' : 'text' },
    ...(output.format === 'json' && { format: 'json' }),
  }
}

/** A failure to store the text must not fail a call that has already run. */
function storeFullText(fullTexts: FullTexts, callId: string, text: string): void {
  try {
    fullTexts.save(callId, text)
  } catch (error) {
    log.error('The full text of a result could not be stored', error)
  }
}

/**
 * Returns the mode of a sub-agent's calls: read-only unless its own call may change something. In paranoid mode, each
 * call still needs approval.
 */
function subAgentMode(tool: Tool, args: Record<string, unknown>, mode: Mode): Mode {
  const mayWrite = tool.delegates === true && (tool.riskOf?.(args) ?? tool.risk) !== 'read'
  return mayWrite || mode === 'paranoid' ? mode : 'plan'
}
