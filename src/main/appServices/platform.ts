import type { Keymap } from '../../shared/editor/keymap.ts'
import type { RestoreChoice } from '../../shared/settings/table/windowSettings.ts'
import type { ForkProcess } from '../base/childProcess.ts'
import type { DesktopModels } from '../model/endpoints/windowComputer.ts'
import type { KnownHosts } from '../../shared/remote/remote.ts'
import type { PageViews } from '../preview/pageHost.ts'
import type { Keyring } from '../settings/secretStore.ts'

export type { ForkProcess } from '../base/childProcess.ts'
export type { NativeView, PageHost, PageHostEvents, PageViews } from '../preview/pageHost.ts'
export type { DesktopModels } from '../model/endpoints/windowComputer.ts'
export type { Keyring } from '../settings/secretStore.ts'

/** Other machines on which a window can work. */
export interface RemoteHosts {
  list(): Promise<KnownHosts>
  /** Connects to a machine and opens a window for it. @throws ToolError that says what the user can do */
  connect(target: {
    address: string
    folder: string | undefined
    /** Variables with which ssh prompts in the window. */
    environment: Readonly<Record<string, string>>
    signal: AbortSignal
    onProgress(text: string): void
  }): Promise<void>
}

/** Capabilities that a host provides to the core. If a function is absent, the host does not support it. */
export interface Platform {
  host: 'electron' | 'browser' | 'headless'
  version: string
  /** Folder for settings, secrets and conversations. Created with mode 0700 if missing. */
  userData: string
  /** Data folders of other Tizona installations, which tools may not access either. */
  otherDataFolders?: readonly string[]
  /** `resources/` of the installation. */
  resources: string
  /** Opens the system's folder dialog. Returns null if the user cancels it. @param adding to the workspace */
  pickFolder?(adding?: boolean): Promise<string | null>
  /** Opens the system's file dialog, for one file extension or all. Returns null if the user cancels it. */
  pickFile?(filter: { title: string; name?: string; extension?: string }): Promise<string | null>
  /** Opens the system's dialog for saving a file. Returns null if the user cancels it. @param suggested absolute path */
  pickTarget?(filter: { title: string; name: string; extension: string; suggested: string }): Promise<string | null>
  /** Opens an http(s) URL in the user's browser. */
  openExternal?(url: string): Promise<void>
  /** Shows a file or folder in the system's file manager. */
  showInFileManager?(absolutePath: string): void
  /** Moves a file or folder to the system's trash. Rejects with the system's reason. */
  moveToTrash?(absolutePath: string): Promise<void>
  /** Opens another window, empty or with a folder. If a window already has the folder, focuses it. */
  openWindow?(folder?: string): Promise<void>
  /**
   * Focuses the window that has a folder open. Also shows a folder that none has, if the one of this window works and
   * goes on.
   *
   * @param folder undefined: no folder
   * @returns whether the folder is shown
   */
  focusFolder?(folder: string | undefined): Promise<boolean>
  /**
   * Opens a folder without a window, unless it is open. A window that opens the folder later shows what happens there.
   */
  openHidden?(folder: string): Promise<void>
  /** Closes a folder that is open without a window, unless it works. */
  closeHidden?(folder: string): Promise<void>
  /** Called with the recent folders, latest first, at start and after each change. */
  recentsChanged?(folders: readonly string[]): void
  /** Called with the windows that the next start reopens, at start and after each change of the setting. */
  restoreWindowsChanged?(choice: RestoreChoice): void
  /** Called with whether turns go on without a window, at start and after each change of the setting. */
  keepRunningChanged?(keep: boolean): void
  /** Shows the keyboard shortcuts in the menu bar. */
  keymapChanged?(keymap: Keymap): void
  /**
   * Shows a system notification unless the window is focused. A click focuses the window and calls `onClick`.
   * @returns a function that removes the notification
   */
  notifyInBackground?(notification: { title: string; body: string; onClick(): void }): () => void
  /** Shows the page of the preview in a view of the window. Default: in a Chromium without a window. */
  pageViews?: PageViews
  /** Opens windows that work on other machines. */
  remoteHosts?: RemoteHosts
  /** Model servers on the computer of the window, if that is another machine. */
  desktopModels?: DesktopModels
  /** Opens the system keychain. Undefined if this system has none that protects secrets. */
  keyring?(): Promise<Keyring | undefined>
  /** Starts child processes. Default: `child_process.fork`. */
  fork?: ForkProcess
}
