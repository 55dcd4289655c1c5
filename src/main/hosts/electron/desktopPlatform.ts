import { dialog, Notification, safeStorage, shell, utilityProcess, type OpenDialogOptions } from 'electron'
import type { Keymap } from '../../../shared/keymap.ts'
import type { Platform } from '../../platform.ts'
import { knownDataFolders, type Installation } from '../installation.ts'
import { openExternally } from './contentGuards.ts'
import { systemKeyring } from './keyring.ts'
import type { SingleWindow } from './singleWindow.ts'
import { systemNotifications } from './systemNotifications.ts'
import { forkUtility } from './utilityFork.ts'

interface DesktopPlatformOptions {
  installation: Installation
  userData: string
  window: Pick<SingleWindow, 'current'>
  recentsChanged(folders: readonly string[]): void
  keymapChanged(keymap: Keymap): void
}

/** Creates the platform of the desktop host with Electron's system functions. */
export function desktopPlatform({
  installation,
  userData,
  window,
  recentsChanged,
  keymapChanged,
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
    recentsChanged,
    keymapChanged,
    pickFolder: () => openDialog({ properties: ['openDirectory', 'createDirectory'] }),
    pickFile: ({ title, name, extension }) =>
      openDialog({ title, properties: ['openFile'], filters: [{ name, extensions: [extension] }] }),
  }

  async function openDialog(options: OpenDialogOptions): Promise<string | null> {
    const parent = window.current()?.browserWindow
    const { canceled, filePaths } = await (parent === undefined
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(parent, options))
    return canceled ? null : (filePaths[0] ?? null)
  }
}
