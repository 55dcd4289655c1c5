import { z } from 'zod'
import { trustChoices, type TrustEffects } from '../files/folderTrust.ts'
import type { WorkspaceInfo, AppState, LogTail, TourStart } from './appState.ts'
import { request, noParams, path } from '../requestType.ts'

export const appRequests = {
  'app.state': request<AppState>()(() => noParams),
  /** The path is that of a folder or of a `.code-workspace` file. */
  'workspace.open': request<WorkspaceInfo>()(() => z.object({ path })),
  /**
   * Adds folders to the workspace. A single folder becomes the first one of an unsaved workspace, in which the paths of
   * tabs and unsaved texts begin with its name.
   */
  'workspace.addFolders': request<WorkspaceInfo>()(() => z.object({ folders: z.array(path).min(1).max(100) })),
  /** Removes a folder, by its name in the workspace, from the workspace, not from the disk. */
  'workspace.removeFolder': request<WorkspaceInfo>()(() => z.object({ name: path })),
  /** Writes the workspace to a `.code-workspace` file and opens it. The path is absolute; the extension is added. */
  'workspace.saveAs': request<WorkspaceInfo>()(() => z.object({ path, overwrite: z.boolean() })),
  /** Opens the workspace again with the folders that its file lists now. */
  'workspace.reloadFolders': request<WorkspaceInfo>()(() => noParams),
  'workspace.close': request<void>()(() => noParams),
  /** Whether a turn or a command runs in the folder, or a call waits for approval. Leaving the folder ends them. */
  'workspace.isWorking': request<boolean>()(() => noParams),
  /**
   * Shows the system's folder dialog on the desktop. Rejects in the browser, where the window uses `folders.list`.
   * `adding`: the folder is added to the workspace.
   */
  'workspace.pick': request<string | null>()(() => z.object({ adding: z.boolean().optional() })),
  /** Shows the system's dialog for a file on the desktop, by default a `.code-workspace` file. Rejects in the browser. */
  'workspace.pickFile': request<string | null>()(() => z.object({ any: z.boolean().optional() })),
  /** Shows the system's dialog for the file to which the workspace is saved. Rejects in the browser. */
  'workspace.pickTarget': request<string | null>()(() => z.object({ suggested: path })),
  /** Opens another desktop window, empty or with a folder. Focuses the window that already has the folder open. */
  'window.open': request<void>()(() => z.object({ path: path.optional() })),
  /**
   * Shows the window that has a folder open. If the folder of this window works and goes on, also shows a folder, or
   * none: in the browser in its place, on the desktop in another window.
   *
   * @returns whether the folder is shown; if not, `workspace.open` opens it in place of the one of this window
   */
  'window.focusFolder': request<boolean>()(() => z.object({ path: path.nullable() })),
  'workspace.forgetRecent': request<void>()(() => z.object({ path })),
  /** Returns the names of the folders of each recent workspace that the user has not saved, by its path. */
  'workspace.untitledRecents': request<Record<string, readonly string[]>>()(() => noParams),
  'workspace.clearRecents': request<void>()(() => noParams),
  /** Opens an http(s) URL in the browser. */
  'app.openExternal': request<void>()(() => z.object({ url: z.string().max(4096) })),
  /** Reads the end of the log file. */
  'log.read': request<LogTail>()(() => noParams),
  /** Logs an error of the window. */
  'log.write': request<void>()(() => z.object({ level: z.enum(['error', 'warn']), message: z.string().max(20_000) })),
  /** Returns text for a bug report: versions, platform, settings without secrets, latest errors. */
  'app.diagnostics': request<string>()(() => noParams),
  /** Lists what is off in the open folder until the user trusts it. */
  'trust.effects': request<TrustEffects>()(() => noParams),
  /** Stores the user's decision about the open folder and applies it. */
  'trust.decide': request<WorkspaceInfo>()(() => z.object({ choice: z.enum(trustChoices) })),
  /**
   * Creates the sample folder `tizona-sample` in the user's home folder if there is none, and trusts what it has
   * created. Changes nothing in an existing one.
   *
   * @returns its path
   */
  'sample.create': request<string>()(() => noParams),
  /** Starts the scripted tour in a temporary workspace. */
  'tour.start': request<TourStart>()(() => noParams),
} as const
