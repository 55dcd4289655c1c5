import type { Features } from '../base/features.ts'
import type { Mode, ToolsetName } from '../../shared/tools/risk.ts'
import type { ToolInfo, ToolProgress, ToolResult } from '../../shared/tools/tool.ts'
import type { Gate } from '../approval/gate.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Review } from '../review/reviewTypes.ts'
import type { FullTexts } from './common/callOutcome.ts'
import type { NestedCalls, RunSubAgent, Tool, ToolServices } from './common/toolDefinition.ts'
import type { ToolRegistry } from './toolRegistry.ts'

/** The tool and arguments that a call names. The tool may not exist. */
export interface CalledTool {
  name: string
  /** An object, or JSON text from a model. */
  arguments: unknown
  toolset: ToolsetName
  /**
   * Origin of the call. Default: the command line. `mcp` clients get the toolset and the tools marked `forClients`.
   * An external `agent` (ACP) gets only the tools for its requests.
   */
  client?: 'commandLine' | 'mcp' | 'agent'
}

/** How a call runs. */
export interface CallRun {
  callId: string
  conversationId?: string
  mode: Mode
  /** Whether a user can answer approval requests. */
  attended: boolean
  signal: AbortSignal
  onProgress?(progress: ToolProgress): void
  /** Reports that the call waits for approval or runs. */
  onState?(state: 'approval' | 'running'): void
  /**
   * Awaited before each allowed call, nested ones included, that may change files. Throwing cancels the call.
   * @param paths what it may change, relative to the workspace; undefined if unknown
   */
  beforeChange?(paths: readonly string[] | undefined): Promise<void>
  /** User message of the turn, which the review shows with its changes. */
  turn?: string
  /** Creates the sub-agent runner for a tool. The sub-agent uses tools through `calls`. */
  subAgent?(calls: NestedCalls): RunSubAgent
}

/** One call by a model, the tool console, the command line or an MCP client. */
export type ToolCallRequest = CalledTool & CallRun

/** A call whose tool and arguments have been resolved, or what is wrong with them. */
export interface PreparedCall {
  /** Undefined if the call cannot run. */
  tool: Tool | undefined
  /** Whether it reads files itself and does nothing else. False if it cannot run. */
  onlyReads: boolean
  /** Returns whether it may run beside other calls: it only reads and, in this mode, needs no approval. */
  runsInParallel(mode: Mode): boolean
  /** Runs the call. Never rejects: failures are results with `ok: false`. */
  run(how: CallRun): Promise<ToolResult>
}

/** Runs the tool calls of all callers. */
export interface Executor {
  /** Resolves the tool and the arguments of a call. Runs nothing, and never throws: the run reports what is wrong. */
  prepare(called: CalledTool): PreparedCall
  /** Prepares and runs one call. Never rejects: failures are results with `ok: false`. */
  call(request: ToolCallRequest): Promise<ToolResult>
  /** Tools of a toolset for clients, without those that are turned off, and common ones only if they are for clients. */
  describe(toolset: ToolsetName): ToolInfo[]
  /** All tools for the window, including those that are turned off, with the reason. */
  describeAll(toolset: ToolsetName): ToolInfo[]
  /**
   * Takes the errors that language servers reported after the last call of a conversation, as a note for its next
   * message. They are not reported again.
   */
  takeLateErrors(conversationId: string): string | undefined
  /** Returns the text of a recent result before truncation. @throws ToolError not_found if it is no longer stored */
  fullText(callId: string): string
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
  /** Called when a call returned content from the web or an MCP server. @param source as in "read the web page …" */
  onOutsideContent?(conversationId: string, source: string): void
  /** Whether tools may run commands in the open folder, depending on its trust. Default: true. */
  commandsAllowed?(): boolean
  /** Returns the hooks of the open folder. */
  hooks?(): Hooks | undefined
  /** Default: all enabled. */
  features?: Partial<Features>
}
