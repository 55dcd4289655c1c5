import type { ConversationSnapshot } from '../agent/conversation.ts'
import type { SandboxState } from '../commands/sandbox.ts'
import type { UserKeybinding } from '../editor/keymap.ts'
import type { WorkspaceFolder } from '../files/workspaceFolders.ts'
import type { RemoteStatus } from '../remote/remote.ts'
import type { Settings } from '../settings/settings.ts'
import type { ApprovalRequest } from '../tools/approval.ts'
import type { JobInfo } from '../commands/jobs.ts'

export interface WorkspaceInfo {
  /** Real path. Identifies the workspace. In a multi-root workspace, a folder of Tizona with links to the folders. */
  root: string
  name: string
  branch?: string
  /** Whether this is the tour's temporary folder. Its path is not shown. */
  tour?: boolean
  /** Present in a multi-root workspace, in the order of its file. Each path begins with the name of a folder. */
  multiRoot?: {
    folders: WorkspaceFolder[]
    /** The `.code-workspace` file; null until the user saves the workspace. */
    file: string | null
    /** Folders of the file that are not shown, each with the reason. */
    missing: string[]
  }
  /** Present if the user does not trust the folder. `decided`: the user chose to keep it restricted. */
  restricted?: { decided: boolean }
}

/** The started tour with its folder and conversation. The window selects the text and sends the prompt. */
export interface TourStart {
  workspace: WorkspaceInfo
  conversation: ConversationSnapshot
  prompt: string
  /** Text that occurs once in the file. The tour replaces the selection. */
  selection: { path: string; text: string }
}

/** Features that not every host supports. */
export interface HostFeatures {
  /** Whether the host can show files in the system's file manager. */
  revealFile: boolean
  /** Whether the host can move files to the system's trash. */
  trash: boolean
}

/** The state that a window needs at start and after a reconnect. */
export interface AppState {
  version: string
  shell: 'electron' | 'browser'
  /** The machine on which the folder is, and the connection to it. Null: the one that shows the window. */
  remote: RemoteStatus | null
  platform: string
  home: string
  workspace: WorkspaceInfo | null
  recents: string[]
  hostFeatures: HostFeatures
  settings: Settings
  keybindings: readonly UserKeybinding[]
  /** The conversation last shown in this workspace, including a running turn. */
  conversation: ConversationSnapshot | null
  approvals: ApprovalRequest[]
  jobs: JobInfo[]
  /** Whether commands can run in a sandbox. Null without a workspace. */
  sandbox: SandboxState | null
}

export interface LogTail {
  /** Absolute path of the log file. */
  path: string
  text: string
  /** Whether older text was omitted. */
  truncated: boolean
}
