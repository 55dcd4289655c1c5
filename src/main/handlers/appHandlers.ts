import { homedir } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import { initialItemCount } from '../../shared/agent/conversation.ts'
import type { AppState, WorkspaceInfo } from '../../shared/bridge/appState.ts'
import type { UserKeybinding } from '../../shared/editor/keymap.ts'
import { ToolError } from '../../shared/errors.ts'
import { workspaceFileExtension } from '../../shared/files/workspaceFolders.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Agent } from '../agent/agent.ts'
import type { Gate } from '../approval/gate.ts'
import type { Platform } from '../appServices/platform.ts'
import type { CleanUp } from '../history/cleanUp/cleanUp.ts'
import { readStorageSizes } from '../history/cleanUp/storageSizes.ts'
import type { FolderChange } from '../workspaceServices/changeFolders.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { latestItems } from './conversationPages.ts'
import { untitledAmong } from './untitledWorkspaces.ts'
import type { Handlers } from '../core/coreContract.ts'

interface AppHandlerDeps {
  platform: Platform
  agent: Agent
  gate: Gate
  settings(): Settings
  keybindings(): readonly UserKeybinding[]
  recents: { list(): string[]; forget(path: string): Promise<void>; clear(): Promise<void> }
  layouts: { save(workspace: string, layout: string): void; load(workspace: string): string | null }
  /** Returns the services of the open folder, if one is open. */
  session(): WorkspaceSession | undefined
  openWorkspace(path: string): Promise<WorkspaceInfo>
  changeFolders(change: FolderChange): Promise<WorkspaceInfo>
  closeWorkspace(): Promise<void>
  isWorking(): boolean
}

type AppRequests =
  | 'app.state'
  | 'app.openExternal'
  | 'layout.save'
  | 'layout.load'
  | 'workspace.open'
  | 'workspace.addFolders'
  | 'workspace.removeFolder'
  | 'workspace.saveAs'
  | 'workspace.reloadFolders'
  | 'workspace.close'
  | 'workspace.isWorking'
  | 'workspace.pick'
  | 'workspace.pickFile'
  | 'workspace.pickTarget'
  | 'window.open'
  | 'window.focusFolder'
  | 'workspace.forgetRecent'
  | 'workspace.untitledRecents'
  | 'workspace.clearRecents'

/** Handles requests about the application as a whole. */
export function createAppHandlers(deps: AppHandlerDeps): Pick<Handlers, AppRequests> {
  const { platform, layouts, recents } = deps
  return {
    async 'app.state'(): Promise<AppState> {
      const session = deps.session()
      const shown = session ? deps.agent.latest() : null
      return {
        version: platform.version,
        shell: platform.host === 'electron' ? 'electron' : 'browser',
        remote: null,
        platform: process.platform,
        home: homedir(),
        workspace: session ? await session.info() : null,
        recents: recents.list(),
        hostFeatures: {
          revealFile: platform.showInFileManager !== undefined,
          trash: platform.moveToTrash !== undefined,
        },
        settings: deps.settings(),
        keybindings: deps.keybindings(),
        conversation: shown && latestItems(shown, initialItemCount),
        approvals: deps.gate.pending(),
        jobs: session?.jobs.list() ?? [],
        sandbox: session?.jobs.sandboxState() ?? null,
      }
    },
    async 'app.openExternal'({ url }) {
      const parsed = URL.parse(url)
      if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
        throw new ToolError(
          'invalid_arguments',
          `"${url}" is not a web address.`,
          'Only http and https URLs can be opened.',
        )
      }
      if (!platform.openExternal)
        throw new ToolError('no_window', 'Tizona cannot open a browser here.', 'Copy the address and open it yourself.')
      await platform.openExternal(parsed.href)
    },
    'layout.save'({ layout }) {
      const session = deps.session()
      if (session) layouts.save(session.workspace.root, layout)
    },
    'layout.load'() {
      const session = deps.session()
      return session ? layouts.load(session.workspace.root) : null
    },
    'workspace.open': ({ path }) => deps.openWorkspace(path),
    'workspace.addFolders': ({ folders }) => deps.changeFolders({ kind: 'add', folders }),
    'workspace.removeFolder': ({ name }) => deps.changeFolders({ kind: 'remove', name }),
    'workspace.saveAs': (target) => deps.changeFolders({ kind: 'saveAs', ...target }),
    'workspace.reloadFolders': () => deps.changeFolders({ kind: 'reload' }),
    'workspace.close': () => deps.closeWorkspace(),
    'workspace.isWorking': () => deps.isWorking(),
    async 'workspace.pick'({ adding }) {
      return (platform.pickFolder ?? missingDialog())(adding)
    },
    async 'workspace.pickFile'({ any }) {
      const wanted = any ? { title: 'Open file' } : { title: 'Open workspace from file', ...workspaceFiles }
      return (platform.pickFile ?? missingDialog())(wanted)
    },
    async 'workspace.pickTarget'({ suggested }) {
      return (platform.pickTarget ?? missingDialog())({ title: 'Save workspace', ...workspaceFiles, suggested })
    },
    async 'window.open'({ path }) {
      if (!platform.openWindow)
        throw new ToolError('no_window', 'Only one window can be open here.', 'Start Tizona again for another folder.')
      await platform.openWindow(path)
    },
    'window.focusFolder': async ({ path }) => (await platform.focusFolder?.(path ?? undefined)) ?? false,
    'workspace.forgetRecent': ({ path }) => recents.forget(path),
    'workspace.untitledRecents': () => untitledAmong(recents.list(), platform.userData),
    'workspace.clearRecents': () => recents.clear(),
  }
}

const workspaceFiles = { name: 'Workspaces', extension: workspaceFileExtension.slice(1) }

function missingDialog(): never {
  throw new ToolError('no_window', 'The system dialog is not available here.', 'Use the built-in picker.')
}

/** Handles requests about the size of stored data and its clean-up. */
export function createStorageHandlers({
  db,
  userData,
  cleanUp,
}: {
  db: DatabaseSync
  userData: string
  cleanUp: CleanUp
}): Pick<Handlers, 'storage.sizes' | 'storage.planCleanUp' | 'storage.cleanUp'> {
  return {
    'storage.sizes': () => readStorageSizes(db, userData),
    'storage.planCleanUp': () => cleanUp.plan(),
    'storage.cleanUp': () => cleanUp.run(),
  }
}
