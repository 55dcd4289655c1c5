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
import type { AgentDefinition } from '../../shared/agent/agents.ts'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import type { StartPipedProgram } from '../command/commandTypes.ts'
import type { AgentCapabilities } from './agentAnswers.ts'

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
  /** How the process runs. The sandbox can be missing although the settings demand it. */
  sandbox: CommandSandbox
  /** Whether the process still runs. */
  isOpen(): boolean
  /** Resolves when the process has ended. */
  ended: Promise<void>
  /**
   * Begins a session, or continues an earlier one if the agent supports it.
   * @returns the id of the session, and whether the agent knows the earlier messages
   */
  openSession(earlier: string | undefined, signal: AbortSignal): Promise<{ id: string; continued: boolean }>
  /**
   * Runs one turn. Aborting cancels it; an agent that does not react is ended.
   * @returns why the turn ended: a stop reason of the protocol, or of a later version of it
   * @throws ToolError `server_error` if the agent fails or ends
   */
  prompt(session: string, content: ContentBlock[], requests: AgentRequests, signal: AbortSignal): Promise<string>
  /** Ends the process with all its processes. */
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
  /** Time for the start, in which a package may be downloaded. Milliseconds. */
  start: number
  /** Time for the end of a turn after its cancellation. Milliseconds. */
  cancel: number
}
