import {
  dialog,
  Notification,
  safeStorage,
  session,
  shell,
  utilityProcess,
  WebContentsView,
  type OpenDialogOptions,
  type SaveDialogOptions,
} from 'electron'
import type { Keymap } from '../../../shared/editor/keymap.ts'
import type { RestoreChoice } from '../../../shared/settings/table/windowSettings.ts'
import type { Platform, RemoteHosts } from '../../appServices/platform.ts'
import { knownDataFolders, type Installation } from '../installation.ts'
import { openExternally } from './contentGuards.ts'
import { systemKeyring } from './keyring.ts'
import type { DesktopWindow } from './desktopWindow.ts'
import { createPageViews } from './pageViews.ts'
import { systemNotifications } from './systemNotifications.ts'
import { forkUtility } from './utilityFork.ts'

interface DesktopPlatformOptions {
  installation: Installation
  userData: string
  /** The window of the core that receives the platform. */
  window: { current(): DesktopWindow | null; show(): void }
  /** First presses of the window's shortcuts. */
  shortcuts(): ReadonlySet<string>
  openWindow(folder?: string): Promise<void>
  focusFolder(folder: string | undefined): Promise<boolean>
  remoteHosts: RemoteHosts
  openHidden(folder: string): Promise<void>
  closeHidden(folder: string): Promise<void>
  recentsChanged(folders: readonly string[]): void
  restoreWindowsChanged(choice: RestoreChoice): void
  keymapChanged(keymap: Keymap): void
  keepRunningChanged(keep: boolean): void
}

/** Creates the platform of the desktop host from Electron's system functions. */
export function desktopPlatform({
  installation,
  userData,
  window,
  shortcuts,
  openWindow,
  focusFolder,
  remoteHosts,
  openHidden,
  closeHidden,
  recentsChanged,
  restoreWindowsChanged,
  keymapChanged,
  keepRunningChanged,
}: DesktopPlatformOptions): Platform {
  return {
    host: 'electron',
    version: installation.version,
    userData,
    otherDataFolders: knownDataFolders(),
    resources: installation.resources,
    keyring: () => systemKeyring(safeStorage),
    fork: forkUtility(utilityProcess),
    openExternal: (url) => openExternally(shell, url),
    showInFileManager: (path) => shell.showItemInFolder(path),
    moveToTrash: (path) => shell.trashItem(path),
    notifyInBackground: systemNotifications(Notification, window),
    pageViews: createPageViews({ WebContentsView, session }, { window, shortcuts }),
    openWindow,
    focusFolder,
    remoteHosts,
    openHidden,
    closeHidden,
    recentsChanged,
    restoreWindowsChanged,
    keymapChanged,
    keepRunningChanged,
    pickFolder: (adding) =>
      openDialog({
        properties: ['openDirectory', 'createDirectory'],
        ...(adding && { title: 'Add folder to workspace', buttonLabel: 'Add' }),
      }),
    pickFile: ({ title, name, extension }) =>
      openDialog({
        title,
        properties: ['openFile'],
        ...(name !== undefined && extension !== undefined && { filters: [{ name, extensions: [extension] }] }),
      }),
    pickTarget: ({ title, name, extension, suggested }) =>
      saveDialog({ title, defaultPath: suggested, filters: [{ name, extensions: [extension] }] }),
  }

  async function openDialog(options: OpenDialogOptions): Promise<string | null> {
    const parent = window.current()?.browserWindow
    const { canceled, filePaths } = await (parent === undefined
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(parent, options))
    return canceled ? null : (filePaths[0] ?? null)
  }

  async function saveDialog(options: SaveDialogOptions): Promise<string | null> {
    const parent = window.current()?.browserWindow
    const { canceled, filePath } = await (parent === undefined
      ? dialog.showSaveDialog(options)
      : dialog.showSaveDialog(parent, options))
    return canceled || filePath === '' ? null : filePath
  }
}
