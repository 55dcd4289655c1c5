import type {
  ContentBlock,
  CreateTerminalRequest,
  ReadTextFileRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  TerminalExitStatus,
  TerminalOutputResponse,
  WriteTextFileRequest,
} from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { AgentDefinition } from '../../shared/agent/agents.ts'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import type { StartPipedProgram } from '../command/commandTypes.ts'

// Responses of an agent. The SDK validates only an agent's requests and notifications.

/** Maximum number of login methods to name in a message. */
const maxLogins = 5

/** A field that the agent may leave out. An invalid value counts as absent, because nothing depends on it. */
const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined)

export const initializeResponse = z.object({
  /** Versions are numbers now, but other versions of the protocol may use another type. */
  protocolVersion: z.union([z.number(), z.string().max(100)]),
  agentInfo: lenient(z.object({ name: z.string() })),
  agentCapabilities: z
    .object({
      loadSession: lenient(z.boolean()),
      promptCapabilities: lenient(z.object({ image: lenient(z.boolean()), embeddedContext: lenient(z.boolean()) })),
      sessionCapabilities: lenient(z.object({ resume: lenient(z.looseObject({})) })),
    })
    .catch({}),
  authMethods: lenient(z.array(z.object({ name: z.string() })).transform((methods) => methods.slice(0, maxLogins))),
})

/** What an agent supports. */
type AgentCapabilities = z.output<typeof initializeResponse>['agentCapabilities']

/** The id is stored with the conversation. */
export const newSessionResponse = z.object({ sessionId: z.string().min(1).max(1000) })

/** `stopReason` may be a reason from a later version of the protocol. */
export const promptResponse = z.object({ stopReason: z.string() })

/** @param method of the request. @throws Error that names the invalid field */
export function checkResponse<T>(schema: z.ZodType<T>, method: string, answer: unknown): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const problem = [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')
  throw new Error(`Its answer to "${method}" is invalid (${problem}).`)
}

export type {
  ContentBlock,
  CreateTerminalRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  TerminalExitStatus,
  TerminalOutputResponse,
  ToolCallContent,
  ToolKind,
  WriteTextFileRequest,
} from '@agentclientprotocol/sdk'

/** Answers the requests of an agent during a turn. Thrown errors are sent to the agent. */
export interface AgentRequests {
  onUpdate(update: SessionUpdate): void
  readFile(request: Pick<ReadTextFileRequest, 'path' | 'line' | 'limit'>): Promise<string>
  writeFile(request: Pick<WriteTextFileRequest, 'path' | 'content'>): Promise<void>
  askPermission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>
  /** Resolves with the id of the terminal when its command has started. */
  createTerminal(request: CreateTerminalRequest): Promise<string>
  terminalOutput(id: string): TerminalOutputResponse
  waitForExit(id: string): Promise<TerminalExitStatus>
  killTerminal(id: string): Promise<void>
  releaseTerminal(id: string): Promise<void>
}

/** A running agent. */
export interface AgentConnection {
  capabilities: AgentCapabilities
  /** How the process runs. The sandbox may be unavailable although the settings demand it. */
  sandbox: CommandSandbox
  /** Whether the process is still running. */
  isOpen(): boolean
  /** Resolves when the process has ended. */
  ended: Promise<void>
  /**
   * Starts a session, or continues an earlier one if the agent supports it.
   * @returns the id of the session, and whether the agent knows the earlier messages
   */
  openSession(earlier: string | undefined, signal: AbortSignal): Promise<{ id: string; continued: boolean }>
  /**
   * Runs one turn. Aborting cancels it; an agent that does not react is stopped.
   * @returns the stop reason, possibly one from a later version of the protocol
   * @throws ToolError `server_error` if the agent fails or ends
   */
  prompt(session: string, content: ContentBlock[], requests: AgentRequests, signal: AbortSignal): Promise<string>
  /** Ends the process and its descendants. */
  close(): Promise<void>
}

export interface AgentConnectionOptions {
  definition: AgentDefinition
  /** Real path of the workspace. */
  cwd: string
  /** Real paths that the agent may change outside the workspace. */
  folders: readonly string[]
  version: string
  start: StartPipedProgram
  timeouts?: AgentTimeouts
}

export interface AgentTimeouts {
  /** Time limit for starting, in milliseconds. The agent may download packages. */
  start: number
  /** Time limit for ending a cancelled turn, in milliseconds. */
  cancel: number
}
