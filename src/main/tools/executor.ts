import { allFeatures, type Features } from '../../shared/features.ts'
import type { Mode, ToolsetName } from '../../shared/risk.ts'
import type { ToolInfo, ToolProgress, ToolResult, ToolView } from '../../shared/tool.ts'
import { ToolError, toFailure, type Failure } from '../../shared/errors.ts'
import type { Gate } from '../approval/gate.ts'
import { decisionFor } from '../approval/modePolicy.ts'
import { isProtectedPath } from '../approval/protectedPaths.ts'
import { findBelow } from '../workspace/findBelow.ts'
import { parseArguments } from './arguments/coerceArguments.ts'
import { recordWrites, withDiagnostics } from './writeDiagnostics.ts'
import type { Registry } from './registry.ts'
import { resolveCall, resolveTool, type CallableTools } from './arguments/resolveCall.ts'
import { toolInfo } from './schema/toolSchema.ts'
import type { RunSubAgent, NestedCalls, Tool, ToolContext, ToolOutput } from './tool.ts'
import { log } from '../base/log/log.ts'

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
   * tools.
   */
  client?: 'commandLine' | 'mcp'
  signal: AbortSignal
  onProgress?(progress: ToolProgress): void
  /** Reports that the call waits for approval or runs. */
  onState?(state: 'approval' | 'running'): void
  /** Awaited before each allowed call, nested ones included, that may change files. Throwing cancels the call. */
  beforeChange?(): Promise<void>
  /** Creates the sub-agent runner for a tool. The sub-agent uses tools through `calls`. */
  subAgent?(calls: NestedCalls): RunSubAgent
}

/** The part of a request that decides whether a call may run beside others. */
export type ParallelRequest = Pick<ToolCallRequest, 'name' | 'arguments' | 'toolset' | 'mode' | 'client'>

export interface Executor {
  /** Runs one call. Never rejects: failures are results with `ok: false`. */
  call(request: ToolCallRequest): Promise<ToolResult>
  /** Returns whether a call is read-only and needs no approval, so that it can run in parallel. Runs nothing. */
  runsInParallel(request: ParallelRequest): boolean
  /** Tools of a toolset for clients and documentation, without tools that are turned off or common to all toolsets. */
  describe(toolset: ToolsetName): ToolInfo[]
  /** All tools for the window, including those that are turned off, with the reason. */
  describeAll(toolset: ToolsetName): ToolInfo[]
  /** Returns the text of a recent result before truncation. @throws ToolError not_found if it is no longer stored */
  fullText(callId: string): string
}

/** The part of `ToolContext` that belongs to the open workspace. The rest belongs to the call. */
export type ToolServices = Omit<
  ToolContext,
  'callId' | 'conversationId' | 'signal' | 'progress' | 'nested' | 'subAgent'
>

/** Stores the complete text of truncated results. */
export interface FullTexts {
  save(callId: string, text: string): void
  load(callId: string): string | undefined
}

export interface ExecutorParts {
  registry: Registry
  gate: Gate
  /** Returns the services of the open workspace. @throws ToolError no_workspace if no folder is open */
  services(): ToolServices
  fullTexts: FullTexts
  /** Default: all enabled. */
  features?: Partial<Features>
}

/** An external call, or a nested call. `within` is the title of the outer call. */
type Request = ToolCallRequest & { within?: string }

/** Approved arguments. `editedCommand` is set if the user edited the command, so that the model learns what ran. */
interface Approved {
  args: Record<string, unknown>
  editedCommand?: string
}

/** Runs all tool calls: resolves the tool, parses arguments, asks the gate, runs the tool and truncates the result. */
export function createExecutor(parts: ExecutorParts): Executor {
  const { registry, gate, fullTexts } = parts
  const features = { ...allFeatures, ...parts.features }

  /** MCP clients can call only the tools they are offered: they have their own todo list and MCP servers. */
  function callable({ toolset, client }: Pick<Request, 'toolset' | 'client'>): CallableTools {
    const own = registry.toolset(toolset).tools
    const offered = registry.tools(toolset)
    return {
      toolset,
      tools: client === 'mcp' ? offered.filter((tool) => own.includes(tool)) : offered,
      find: (name) => (client === 'mcp' ? registry.findOwn(toolset, name) : registry.find(toolset, name)),
    }
  }

  function runsInParallel(request: ParallelRequest): boolean {
    if (decisionFor(request.mode, 'read') !== 'allow') return false
    try {
      const { tool, values } = resolveCall(callable(request), request.name, request.arguments, features, false)
      const risk = tool.riskOf?.(values) ?? tool.risk
      return risk === 'read' && tool.effect === undefined && !tool.serial && tool.server === undefined
    } catch {
      // The call itself reports the error.
      return false
    }
  }

  /** The full text of a nested call is not stored, because only the outer result is shown. */
  async function call(request: Request): Promise<ToolResult> {
    let started = performance.now()
    let parsed: Record<string, unknown> = {}
    let repaired = false
    let note: string | undefined
    let ranTool: string | undefined
    const nested = request.within !== undefined
    const finish = (rest: Omit<ToolResult, 'elapsedMs' | 'arguments' | 'repaired' | 'ranTool'>): ToolResult => ({
      ...rest,
      arguments: parsed,
      ...(repaired && { repaired }),
      ...(ranTool !== undefined && { ranTool }),
      elapsedMs: Math.round((performance.now() - started) * 1000) / 1000,
    })
    try {
      request.signal.throwIfAborted()
      const resolved = resolveCall(callable(request), request.name, request.arguments, features, nested)
      const { tool } = resolved
      ;({ values: parsed, repaired, note } = resolved)
      if (note !== undefined) ranTool = tool.name
      const services = parts.services()
      const { documents, writes } = recordWrites(services.documents)
      const context: ToolContext = {
        ...services,
        documents,
        callId: request.callId,
        conversationId: request.conversationId,
        signal: request.signal,
        progress: (progress) => request.onProgress?.(progress),
        ...(nested
          ? {}
          : {
              nested: nestedCalls(tool, request),
              subAgent: request.subAgent?.(nestedCalls(tool, { ...request, mode: lookingMode(request.mode) })),
            }),
      }
      const approved = await approve(tool, parsed, context, request)
      parsed = approved.args
      if (mayChange(tool, parsed)) await request.beforeChange?.()
      request.onState?.('running')
      // The time for approval does not count as run time.
      started = performance.now()
      const ran = await tool.run(parsed, context)
      const output = features.diagnostics ? await withDiagnostics(ran, writes, context.code, request.signal) : ran
      if (approved.editedCommand !== undefined)
        output.text = `[The user edited the command before allowing it. Executed command: ${approved.editedCommand}]\n${output.text}`
      if (note !== undefined) output.text = withNote(output, note)
      const { text, truncated } = output.bounded
        ? { text: output.text, truncated: false }
        : registry.toolset(request.toolset).truncate(output)
      const droppedBytes = Buffer.byteLength(output.text) - Buffer.byteLength(text) + (output.missing?.bytes ?? 0)
      if (truncated && !nested) keepFullText(request.callId, output.text)
      return finish({
        ok: true,
        text,
        truncated,
        ...(truncated && { droppedBytes }),
        view: output.view ?? defaultView(output),
        ...(output.format === 'json' ? { format: 'json' } : {}),
      })
    } catch (error) {
      const failure = failureOf(error, request.signal)
      if (failure.code === 'internal') log.error(`The tool ${request.name} failed`, error)
      return finish({
        ok: false,
        text: note === undefined ? failureText(failure) : `[${note}]\n${failureText(failure)}`,
        truncated: false,
        view: { kind: 'text' },
        error: failure,
      })
    }
  }

  function nestedCalls({ title: within }: Tool, request: Request): NestedCalls {
    const { callId, conversationId, toolset, mode, attended, client, signal: outer, beforeChange } = request
    const caller = { conversationId, toolset, mode, attended, client, beforeChange }
    let made = 0
    return {
      find: (name) => (features.repair ? resolveTool(callable(request), name) : callable(request).find(name)),
      runsInParallel: (name, args) => runsInParallel({ toolset, mode, client, name, arguments: args }),
      call: (name, args, own) => {
        made += 1
        const signal = own ? AbortSignal.any([outer, own]) : outer
        return call({ ...caller, callId: `${callId}/${made}`, name, arguments: args, signal, within })
      },
    }
  }

  /** Failing to store the text must not fail a call that has already run. */
  function keepFullText(callId: string, text: string): void {
    try {
      fullTexts.save(callId, text)
    } catch (error) {
      log.error('The full text of a result could not be stored', error)
    }
  }

  /** Asks the gate. A command edited by the user is parsed and checked again. Returns the approved arguments. */
  async function approve(
    tool: Tool,
    args: Record<string, unknown>,
    context: ToolContext,
    request: Request,
  ): Promise<Approved> {
    let current = args
    let editedCommand: string | undefined
    let approvedByEdit: { risk: Tool['risk'] } | undefined
    for (;;) {
      const weighed = current
      const risk = tool.riskOf?.(weighed) ?? tool.risk
      const line = await tool.commandLine?.(weighed, context)
      const answer = await gate.check(
        {
          callId: request.callId,
          conversationId: request.conversationId,
          tool: tool.name,
          title: tool.title,
          within: request.within,
          risk,
          mode: request.mode,
          arguments: weighed,
          writes: [
            ...(await writtenPaths(tool.writes?.(weighed) ?? [], context)),
            ...(await protectedBelow(tool.writesBelow?.(weighed) ?? [], context)),
          ],
          command: line?.command,
          cwd: line?.cwd,
          scope: tool.scope?.(weighed),
          preview: async () => {
            const view = (await tool.preview?.(weighed, context))?.view
            request.onState?.('approval')
            return view
          },
          attended: request.attended,
          client: request.client,
          approvedByEdit,
        },
        context.signal,
      )
      if (answer.kind === 'allow') return { args: weighed, editedCommand }
      if (answer.kind === 'refuse') throw refusal(answer.code, answer.reason, answer.next)
      if (!tool.withCommand) throw new Error(`The tool ${tool.name} has no command to edit.`)
      current = parseArguments(tool, tool.withCommand(weighed, answer.command))
      approvedByEdit = { risk }
      editedCommand = answer.command
    }
  }

  return {
    call: (request) => call(request),
    runsInParallel,
    describe(toolset) {
      const own = registry.toolset(toolset).tools
      return registry
        .tools(toolset)
        .filter((tool) => own.includes(tool))
        .map((tool) => toolInfo(tool))
    },
    describeAll: (toolset) => registry.all(toolset).map(({ tool, off }) => toolInfo(tool, off)),
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

/** Returns whether a call can change files: all risks above `read`, except for our own web tools, which only fetch. */
function mayChange(tool: Tool, args: Record<string, unknown>): boolean {
  const risk = tool.riskOf?.(args) ?? tool.risk
  return risk !== 'read' && !(tool.web && risk === 'network')
}

/** Sub-agents are read-only. In paranoid mode each of their calls still needs approval. */
function lookingMode(mode: Mode): Mode {
  return mode === 'paranoid' ? mode : 'plan'
}

/** Returns the paths as passed and as resolved, so that a link cannot hide a protected path from the gate. */
async function writtenPaths(paths: readonly string[], { workspace }: ToolContext): Promise<string[]> {
  const real = await Promise.all(
    paths.map(async (path) => (await workspace.resolve(path, { missing: 'allow' })).relative),
  )
  return [...new Set([...paths, ...real])]
}

/** Returns one protected path below each folder, if any, because the folder's own name does not reveal it. */
async function protectedBelow(paths: readonly string[], { workspace, signal }: ToolContext): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const { absolute, relative, type } = await workspace.resolve(path, { missing: 'allow' })
      return type === 'directory' ? findBelow(absolute, relative, isProtectedPath, signal) : undefined
    }),
  )
  return found.filter((path) => path !== undefined)
}

/** Adds a note about the call above the text. In JSON output the note becomes a field, so that the output still parses. */
function withNote({ text, format }: ToolOutput, note: string): string {
  if (format !== 'json') return `[${note}]\n${text}`
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? JSON.stringify({ ...value, note_on_call: note }, null, 1)
    : text
}

function defaultView(output: ToolOutput): ToolView {
  return { kind: output.format === 'json' ? 'json' : 'text' }
}

function refusal(code: 'refused' | 'approval_required' | 'not_in_plan_mode', reason: string, next = ''): ToolError {
  if (code === 'refused') {
    return new ToolError(
      'refused',
      reason ? `The user refused this call: ${reason}` : 'The user refused this call.',
      'Do not repeat it. Follow what the user said, or ask what to do instead.',
    )
  }
  if (code === 'not_in_plan_mode')
    return new ToolError(code, reason, 'Read and search only; describe the change you would make.')
  return new ToolError(code, reason, next)
}

/**
 * Converts an error to a failure for a model. The window's hint for unexpected errors is meant for users and is
 * replaced.
 */
function failureOf(error: unknown, { aborted }: AbortSignal): Failure {
  if (aborted) return { code: 'cancelled', message: 'The call was cancelled.', next: '' }
  const failure = toFailure(error)
  return failure.code === 'internal'
    ? { ...failure, next: 'This is a bug in Tizona. Try another tool, and report it to the user.' }
    : failure
}

/** Formats an error for a model. */
function failureText(failure: Failure): string {
  return `Error (${failure.code}): ${failure.message}${failure.next ? `\nNext step: ${failure.next}` : ''}`
}
