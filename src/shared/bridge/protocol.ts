import { z } from 'zod'
import type { ContextUse } from '../agent/contextUse.ts'
import type { ConversationInfo, ConversationItem, QueuedMessage, TurnOutcome } from '../agent/conversation.ts'
import { conversationRequests } from '../agent/conversationRequests.ts'
import type { InlineEditProgress } from '../agent/inlineEdit.ts'
import { commandRequests } from '../commands/commandRequests.ts'
import type { SandboxState } from '../commands/sandbox.ts'
import type { DebugOutput, DebugState } from '../debug/debug.ts'
import { debugRequests } from '../debug/debugRequests.ts'
import { bufferRequests } from '../editor/bufferRequests.ts'
import { completionRequests } from '../editor/completionRequests.ts'
import type { EditorRequestName, EditorRequests } from '../editor/editorRequests.ts'
import type { UserKeybinding } from '../editor/keymap.ts'
import type { KeyPress } from '../editor/keyPress.ts'
import type { Failure } from '../errors.ts'
import { pluginRequests } from '../plugins/pluginRequests.ts'
import { extensionRequests } from '../extensions/extensionRequests.ts'
import { fileRequests } from '../files/fileRequests.ts'
import type { FileChange } from '../files/files.ts'
import { userFileRequests } from '../files/userFileRequests.ts'
import type { GitCredentialRequest, GitProgress, GitRepository, GitStatusSummary } from '../git/git.ts'
import { gitRequests } from '../git/gitRequests.ts'
import { sessionRequests } from '../git/sessionRequests.ts'
import { codeRequests } from '../language/codeRequests.ts'
import { languageRequests } from '../language/languageRequests.ts'
import type { FileProblems, LanguageServerStatus } from '../language/languageServers.ts'
import type { ModelDownload } from '../models/firstSteps.ts'
import type { ModelChecksState } from '../models/modelCheck.ts'
import { modelCheckRequests } from '../models/modelCheckRequests.ts'
import { modelRequests } from '../models/modelRequests.ts'
import type { CellProgress, NotebookKernel } from '../notebook/kernels.ts'
import { notebookRequests } from '../notebook/notebookRequests.ts'
import type { PreviewState } from '../preview/preview.ts'
import { previewRequests } from '../preview/previewRequests.ts'
import type { RemoteStatus } from '../remote/remote.ts'
import { remoteRequests } from '../remote/remoteRequests.ts'
import { reviewRequests } from '../review/reviewRequests.ts'
import type { EndpointStatus, Settings } from '../settings/settings.ts'
import { settingsRequests } from '../settings/settingsRequests.ts'
import type { ApprovalRequest } from '../tools/approval.ts'
import type { McpState } from '../tools/mcp.ts'
import { mcpRequests } from '../tools/mcpRequests.ts'
import type { ToolProgress } from '../tools/tool.ts'
import type { JobInfo } from '../commands/jobs.ts'
import { toolRequests } from '../tools/toolRequests.ts'
import { appRequests } from './appRequests.ts'
import type { WorkspaceInfo } from './appState.ts'

// The protocol between main and a window, the same for all hosts. `requests`: from the window to main, validated by zod
// and declared in their subject's folder. `Events`: from main to the window. `EditorRequests` (editorRequests.ts): from
// main to the window, with responses.

/** All requests, by subject. */
export const requests = {
  ...appRequests,
  ...bufferRequests,
  ...codeRequests,
  ...commandRequests,
  ...completionRequests,
  ...conversationRequests,
  ...debugRequests,
  ...extensionRequests,
  ...fileRequests,
  ...gitRequests,
  ...languageRequests,
  ...mcpRequests,
  ...modelCheckRequests,
  ...modelRequests,
  ...notebookRequests,
  ...previewRequests,
  ...pluginRequests,
  ...remoteRequests,
  ...reviewRequests,
  ...sessionRequests,
  ...settingsRequests,
  ...toolRequests,
  ...userFileRequests,
} as const

export type Requests = typeof requests
export type RequestName = keyof Requests
/** Parameters that a window sends. Those with a default are optional. */
export type RequestParams<N extends RequestName> = z.input<Requests[N]['params']>
/** Parameters that main's handler receives, with defaults applied. */
export type HandledParams<N extends RequestName> = z.output<Requests[N]['params']>
export type RequestResult<N extends RequestName> =
  NonNullable<Requests[N]['result']> extends never ? void : Exclude<Requests[N]['result'], undefined>

/** Events from main to the window. */
export interface Events {
  'workspace.changed': WorkspaceInfo | null
  /** The `.code-workspace` file lists other folders. The window asks the user before `workspace.reloadFolders`. */
  'workspace.fileChanged': { file: string }
  /** Recent folders, latest first. */
  'recents.changed': string[]
  'files.changed': {
    changes: FileChange[]
    /** Whether `changes` is incomplete. The window then reloads all open folders and files. */
    overflow: boolean
  }
  /** Versions of these files were recorded. */
  'localHistory.changed': { paths: string[] }
  /** Changes to review, kept or undone in these files. Null: any file. */
  'review.changed': { paths: string[] | null }
  'settings.changed': Settings
  /** The user saved a snippet file. */
  'snippets.changed': { file: string }
  /** An extension was installed, removed, enabled or disabled. */
  'extensions.changed': { ids: string[] }
  /** A plug-in was added, removed or changed, or the user decided about one. */
  'plugins.changed': { names: string[] }
  'keybindings.changed': { keybindings: readonly UserKeybinding[] }
  'endpoints.changed': EndpointStatus[]
  'models.downloadProgress': ModelDownload
  'modelCheck.changed': ModelChecksState
  'mcp.changed': McpState
  'conversation.info': ConversationInfo
  /** A new item at the end (`isNew`), or a new state of an item with the same id. */
  'conversation.item': { conversationId: string; item: ConversationItem; isNew: boolean }
  /** Text to append to a streaming assistant item. */
  'conversation.delta': { conversationId: string; itemId: string; text?: string; reasoning?: string }
  /** This item and all later ones were removed, for example before a retry. */
  'conversation.truncated': { conversationId: string; fromItemId: string }
  'conversation.status': {
    conversationId: string
    running: boolean
    /** Set if another process runs the turn. */
    elsewhere?: true
    queue: QueuedMessage[]
    /** Current activity, e.g. "Loading model…". */
    note?: string
  }
  /** Context use of the current request. */
  'conversation.context': { conversationId: string; context: ContextUse }
  'conversation.turnEnded': { conversationId: string; outcome: TurnOutcome }
  'approval.requested': ApprovalRequest
  'approval.resolved': { requestId: string }
  /**
   * Sessions of this process changed. `waiting`: number of approvals and questions in other windows' sessions. `latest`:
   * key of the row that asked last.
   */
  'sessions.changed': { waiting: number; latest: string | null }
  'tool.progress': { callId: string; progress: ToolProgress }
  /** Why suggestions currently fail; null if they work. */
  'completion.problem': { problem: string | null }
  'inlineEdit.progress': { id: string; progress: InlineEditProgress }
  'job.changed': JobInfo
  'job.output': { id: string; data: string }
  'job.forgotten': { id: string }
  'sandbox.changed': { state: SandboxState }
  'debug.changed': DebugState
  'debug.output': DebugOutput
  /** A debugged program runs in this terminal. */
  'debug.terminal': { jobId: string }
  /** Kernels that run, with the cells that run or wait. */
  'notebook.changed': { kernels: NotebookKernel[] }
  'notebook.output': CellProgress
  'preview.changed': PreviewState
  /** Whether the view of the page has the keyboard focus. */
  'preview.focused': { inPage: boolean }
  /** The user pressed a shortcut of the window in the view of the page. The window has the focus now. */
  'preview.key': KeyPress
  /** The repositories of the open folder changed. */
  'git.repositoriesChanged': GitRepository[]
  /** The status of a repository changed, including when files, HEAD, the index or branches changed outside Tizona. */
  'git.changed': { status: GitStatusSummary }
  'git.progress': GitProgress
  'git.actionEnded': { operation: string }
  /** Open questions of git and ssh, oldest first. */
  'git.credentialsChanged': GitCredentialRequest[]
  'language.servers': LanguageServerStatus[]
  'language.programs': string[]
  /** The problems of a file changed. Also sent for files without a tab. */
  'language.problems': FileProblems
  /** `url`: a page with details, which the notice links to. */
  notice: { level: 'info' | 'warning' | 'error'; message: string; detail?: string; url?: string }
  /** The user chose a command from the desktop host's menu. `id`: a CommandId. */
  command: { id: string; argument?: string }
  /** The connection of this window to its host changed. */
  'remote.changed': RemoteStatus
  /** What an attempt to connect to a host does. */
  'remote.progress': { operation: string; text: string }
  /** The window is connected to its host again, but events were lost: it loads its state again. */
  'app.reconnected': { restarted: boolean }
  /** The host shows another folder from now on. This page must load again. */
  'app.moved': { folder: string }
  /** Another window has taken over. This window must stop. */
  'app.detached': { reason: string }
}
export type EventName = keyof Events

export type WindowMessage =
  | { kind: 'request'; id: number; method: RequestName; params: unknown }
  | { kind: 'answer'; id: number; ok: true; result: unknown }
  | { kind: 'answer'; id: number; ok: false; error: Failure }

export type MainMessage =
  | { kind: 'response'; id: number; ok: true; result: unknown }
  | { kind: 'response'; id: number; ok: false; error: Failure }
  | { [N in EventName]: { kind: 'event'; name: N; payload: Events[N] } }[EventName]
  | {
      [N in EditorRequestName]: { kind: 'ask'; id: number; method: N; params: EditorRequests[N]['params'] }
    }[EditorRequestName]

/** The envelope of messages from a window. `params` and `result` are validated separately. */
export const windowMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('request'), id: z.number().int().nonnegative(), method: z.string(), params: z.unknown() }),
  z.object({
    kind: z.literal('answer'),
    id: z.number().int().nonnegative(),
    ok: z.boolean(),
    result: z.unknown().optional(),
    error: z.object({ code: z.string(), message: z.string(), next: z.string() }).optional(),
  }),
])
