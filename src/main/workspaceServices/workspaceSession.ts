import type { DatabaseSync } from 'node:sqlite'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Snippet } from '../../shared/editor/snippets.ts'
import type { Emit } from '../agent/conversation/transcript.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { ForkProcess } from '../base/childProcess.ts'
import type { RunIsolated } from '../base/isolatedJob.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import type { Jobs } from '../command/jobTypes.ts'
import type { SandboxProgram } from '../command/sandbox/sandboxProbe.ts'
import type { ProjectFormatter } from '../formatting/projectFormatter.ts'
import type { Credentials } from '../git/view/gitCredentials.ts'
import type { SourceControl } from '../git/view/sourceControl.ts'
import type { DebugSessions } from '../debug/debugSessions.ts'
import type { DebugTargets } from '../debug/debugTargets.ts'
import type { Checkpoints } from '../history/checkpoints/checkpoints.ts'
import type { RestoreTarget } from '../history/checkpoints/restoreTree.ts'
import type { HookRecord, Hooks } from '../hooks/hooks.ts'
import type { EditJournal } from '../history/editJournal.ts'
import type { LocalHistory } from '../history/localHistory/localHistory.ts'
import type { InstructionDeps } from '../instructions/instructionFiles.ts'
import type { Instructions } from '../instructions/instructions.ts'
import type { LanguageServers } from '../lsp/languageServers.ts'
import type { Mcp, McpDeps } from '../mcp/mcpServers.ts'
import type { NotebookKernels } from '../notebook/notebookKernels.ts'
import type { PageViews } from '../preview/pageHost.ts'
import type { PageView } from '../preview/pageView.ts'
import type { Review } from '../review/reviewTypes.ts'
import type { FileNameSearch } from '../search/fileNameSearch.ts'
import type { Search } from '../search/search.ts'
import type { FolderPrograms } from '../settings/folderPrograms.ts'
import type { JsonFile } from '../settings/jsonFile.ts'
import type { PluginStore } from '../settings/plugins/pluginStore.ts'
import type { SessionFile } from '../sessions/sessionRecords.ts'
import type { FolderTrust } from '../settings/folderTrust.ts'
import type { AgentKind, ToolServices } from '../tools/common/toolDefinition.ts'
import type { Web } from '../web/webAccess.ts'
import type { Buffers, BufferState } from '../workspace/buffers.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Uploads } from '../workspace/uploads.ts'
import type { DeletedEntries } from '../workspace/deletedEntries.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { OutsideFiles } from '../workspace/outsideFiles.ts'
import type { EditorPort } from '../workspace/editorPort.ts'
import type { FileEncodings } from '../workspace/fileEncodings.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import type { FileRules } from './fileRules.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'
import type { FolderVariables } from '../base/configurationVariables.ts'

/** The services of an open folder. */
export interface WorkspaceSession {
  workspace: Workspace
  buffers: Buffers
  /** Takes over unsaved texts of another workspace, and stores them. */
  keepUnsaved(unsaved: readonly BufferState[]): Promise<void>
  documents: WindowDocuments
  /** Files outside the folder that the user opens. */
  outside: OutsideFiles
  encodings: FileEncodings
  files: FileOperations
  /** Files being sent by the window. */
  uploads: Uploads
  /** Copies of entries that the user deleted. */
  deleted: DeletedEntries
  localHistory: LocalHistory
  /** Which files the window shows, and in which language. */
  fileRules(): Promise<FileRules>
  search: Search
  code: CodeIndex
  languages: LanguageServers
  /** Decides which programs in the folder may start. */
  programs: FolderPrograms
  fileNames: FileNameSearch
  jobs: Jobs
  formatter: ProjectFormatter
  debug: { sessions: DebugSessions; targets: DebugTargets }
  /** Kernels of notebooks. */
  notebooks: NotebookKernels
  /** The page of the Preview tab. */
  pageView: PageView
  /** Values of the variables in launch.json and tasks.json. */
  variables: FolderVariables
  /** Reads `.tizona/settings.json`; null if it is missing or the folder is not trusted. */
  folderSettings(): Promise<string | null>
  /** Reads the editor settings of VS Code in the workspace; empty if it is not trusted. */
  vsCodeSettings(): Promise<Partial<Settings['editor']>>
  /** Changes that file, or creates it. @throws ToolError `refused` if the folder is not trusted */
  changeFolderSettings(change: (text: string) => string): Promise<void>
  /** Reads `.vscode/*.code-snippets`; empty if the folder is not trusted. */
  snippets(): Promise<Snippet[]>
  journal: EditJournal
  checkpoints: Checkpoints
  review: Review
  /** Writes whole files, with their tabs. */
  target: RestoreTarget
  instructions: Instructions
  /** Dependencies of prompt commands and skills. */
  instructionDeps: InstructionDeps
  /**
   * Whether there were skills when the folder was opened or trusted. Later changes are ignored, so that the list of
   * tools stays the same.
   */
  hasSkills: boolean
  trust: WorkspaceTrust
  /** Real path that the user's choices for the folder are stored under: the repository's, for a worktree of a session. */
  choicesFolder: string
  /** Kinds of sub-agents that plug-ins bring, as they were when the folder was opened or a plug-in changed. */
  agents: readonly AgentKind[]
  /** Applies a change of the plug-ins: starts and stops their servers. */
  pluginsChanged(): Promise<void>
  /** Applies a new trust decision: starts or stops the folder's servers and reads its skills. */
  trustChanged(): Promise<WorkspaceInfo>
  mcp: Mcp
  hooks: Hooks
  /** The git view. Tools use `tools.git`. */
  sourceControl: SourceControl
  tools: ToolServices
  info(): Promise<WorkspaceInfo>
  dispose(): Promise<void>
}

export interface SessionDeps {
  db: DatabaseSync
  editor: EditorPort
  emit: Emit
  /** The user's data folder. */
  userData: string
  /** Other data folders of Tizona, which no tool may access. */
  otherDataFolders?: readonly string[]
  /** `resources/` of the installation. */
  resources: string
  /** Starts child processes. Default: `child_process.fork`. */
  fork?: ForkProcess
  /** Shows the page of the preview in a view of the window. Default: in a Chromium without a window. */
  pageViews?: PageViews
  web: Web
  runIsolated: RunIsolated
  languageSettings(): Settings['languageServers']
  fileSettings(): Pick<Settings, 'files' | 'search'>
  localHistorySettings(): Settings['localHistory']
  debugSettings(): Settings['debug']
  /** Settings for commands, and the check of the machine's sandbox. */
  commands: { settings(): Settings['commands']; probe(): Promise<SandboxProgram> }
  /** Returns the protected and secret paths. */
  places(): PlaceRules
  /** Records a run of a hook. */
  recordHook(run: HookRecord, workspace: string): void
  /** Plug-ins of the user. Default: none. */
  plugins?: Pick<PluginStore, 'active' | 'hooks'>
  /** Dependencies of MCP servers that are the same for all folders. */
  mcp: Omit<McpDeps, 'plugins' | 'workspace' | 'readText' | 'hashFile' | 'processes' | 'folderTrusted'>
  /** Prompts from git and ssh, which the window shows. Absent if there is nobody to reply. */
  gitCredentials?: Credentials
  /** Whether the folder is the tour's temporary copy. */
  tour: boolean
  /** The user's decisions about folders. */
  folderTrust: FolderTrust
  /** Worktrees that Tizona made. Default: none. */
  sessions?: Pick<JsonFile<SessionFile>, 'value' | 'reload'>
  /** Whether the folder is trusted in this process. */
  alwaysTrusted: boolean
  /** Whether to watch the folder for changes on disk. Only a window needs this. */
  watch: boolean
}
