import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { Features } from '../base/features.ts'
import type { EventName, Events, HandledParams, RequestName, RequestResult } from '../../shared/bridge/protocol.ts'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { WindowLink } from '../appServices/eventHub.ts'
import type { Checkpoints } from '../history/checkpoints/checkpoints.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import type { Platform } from '../appServices/platform.ts'
import type { OpenCores } from './openCores.ts'
import type { OpenedFileTarget } from './openedFiles.ts'
import type { WorktreeSessions } from './worktreeSessions.ts'
import type { Executor } from '../tools/executorTypes.ts'

export type { SessionRecord } from '../sessions/sessionRecords.ts'
export type { WindowLink } from '../appServices/eventHub.ts'

/** Handles one kind of request. `params` are validated and include defaults. */
export type Handler<N extends RequestName> = (
  params: HandledParams<N>,
  signal: AbortSignal,
) => Promise<RequestResult<N>> | RequestResult<N>

/** One handler for every request of the protocol. */
export type Handlers = { [N in RequestName]: Handler<N> }

export interface Core {
  /** Handlers for all requests of a window. The caller validates the parameters (hosts/windowConnection.ts). */
  readonly handlers: Handlers
  readonly executor: Executor
  /** Returns the checkpoints of the open folder. @throws ToolError no_workspace */
  checkpoints(): Checkpoints
  /** Attaches a window. The previous one receives `app.detached`. @returns a function that detaches the window */
  attach(link: WindowLink): () => void
  /** Calls `listener` with every event, even when no window is attached. @returns a function that unsubscribes */
  subscribe(listener: <N extends EventName>(name: N, payload: Events[N]) => void): () => void
  /** Shows a file in a tab of the window; see createOpenedFiles. */
  openFile(target: OpenedFileTarget): Promise<{ closed: Promise<void> } | null>
  openWorkspace(path: string): Promise<WorkspaceInfo>
  /** Worktrees that Tizona makes. */
  readonly sessions: WorktreeSessions
  /** Fetches the facts about a model that a turn needs, while the host prepares the turn. */
  prepareModel(choice: ModelChoice): void
  /**
   * Waits a limited time for the tools of the open folder's MCP servers.
   * @returns messages about failed servers
   */
  toolsReady(signal: AbortSignal): Promise<string[]>
  /** Whether a turn or a command runs, or a call waits for approval. */
  isWorking(): boolean
  /** Whether a try that another core has started runs in the open folder. */
  isTrying(): boolean
  /** Ends turns, jobs, watchers and stores. Resolves when nothing is running. */
  dispose(): Promise<void>
}

export interface CoreOptions {
  platform: Platform
  /** Override the stored settings in this process. */
  settings?: Partial<Settings>
  /** Features to switch off, for the benchmark and tests. Default: all are on. */
  features?: Partial<Features>
  /** Trusts the folder in this process, and its MCP servers that the user has not decided about. */
  trustWorkspace?: boolean
  /** Whether the host asks a user for approval although it has no window. */
  attended?: boolean
  /** API keys by endpoint id, for this process only. */
  keys?: Readonly<Record<string, string>>
  /** The other cores of this process, whose sessions this one lists. Default: none. */
  openCores?: OpenCores
  /** Model servers shared by another core, which keeps control of them. Default: those of the settings. */
  endpoints?: Endpoints
}

export type CreateCore = (options: CoreOptions) => Promise<Core>
