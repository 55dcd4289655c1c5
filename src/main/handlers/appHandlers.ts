import { homedir } from 'node:os'
import { ToolError } from '../../shared/errors.ts'
import type { AppState, WorkspaceInfo } from '../../shared/protocol.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Agent } from '../agent/agent.ts'
import type { Gate } from '../approval/gate.ts'
import type { Platform } from '../platform.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceServices.ts'
import type { Handlers } from './handlers.ts'

interface AppHandlerParts {
  platform: Platform
  agent: Agent
  gate: Gate
  settings(): Settings
  recents: { list(): string[]; forget(path: string): Promise<void>; clear(): Promise<void> }
  layouts: { save(workspace: string, layout: string): void; load(workspace: string): string | null }
  /** The open workspace, when there is one. */
  session(): WorkspaceSession | undefined
  openWorkspace(path: string): Promise<WorkspaceInfo>
  closeWorkspace(): Promise<void>
}

type AppRequests =
  | 'app.state'
  | 'app.openExternal'
  | 'layout.save'
  | 'layout.load'
  | 'workspace.open'
  | 'workspace.close'
  | 'workspace.pick'
  | 'workspace.forgetRecent'
  | 'workspace.clearRecents'

/** What a window asks about the application as a whole. */
export function createAppHandlers(parts: AppHandlerParts): Pick<Handlers, AppRequests> {
  const { platform, layouts, recents } = parts
  return {
    async 'app.state'(): Promise<AppState> {
      const session = parts.session()
      return {
        version: platform.version,
        shell: platform.host === 'electron' ? 'electron' : 'browser',
        platform: process.platform,
        home: homedir(),
        workspace: session ? await session.info() : null,
        recents: recents.list(),
        hostFeatures: {
          revealFile: platform.showInFileManager !== undefined,
          trash: platform.moveToTrash !== undefined,
        },
        settings: parts.settings(),
        conversation: session ? parts.agent.latest() : null,
        approvals: parts.gate.pending(),
        jobs: session?.jobs.list() ?? [],
      }
    },
    async 'app.openExternal'({ url }) {
      const parsed = URL.parse(url)
      if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
        throw new ToolError(
          'invalid_arguments',
          `"${url}" is not a web address.`,
          'Only http and https addresses are opened.',
        )
      }
      if (!platform.openExternal)
        throw new ToolError('no_window', 'This shell cannot open a browser.', 'Open the address by hand.')
      await platform.openExternal(parsed.href)
    },
    'layout.save'({ layout }) {
      const session = parts.session()
      if (session) layouts.save(session.workspace.root, layout)
    },
    'layout.load'() {
      const session = parts.session()
      return session ? layouts.load(session.workspace.root) : null
    },
    'workspace.open': ({ path }) => parts.openWorkspace(path),
    'workspace.close': () => parts.closeWorkspace(),
    async 'workspace.pick'() {
      if (!platform.pickFolder)
        throw new ToolError('no_window', 'This shell has no folder dialog.', 'Use the built-in folder picker.')
      return platform.pickFolder()
    },
    'workspace.forgetRecent': ({ path }) => recents.forget(path),
    'workspace.clearRecents': () => recents.clear(),
  }
}
