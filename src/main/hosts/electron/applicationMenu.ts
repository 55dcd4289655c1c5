import type { BrowserWindow, MenuItemConstructorOptions } from 'electron'
import { commands } from '../../../shared/editor/commandsAndKeybindings.ts'
import type { CommandRow } from '../../../shared/editor/commands/commandRow.ts'
import { untitledWorkspace } from '../../../shared/files/workspaceFolders.ts'
import { bindingsOf, keysOfCommand, readKeys, tableDefaults, type Keymap } from '../../../shared/editor/keymap.ts'

type Role = NonNullable<MenuItemConstructorOptions['role']>
type Category = CommandRow['category']

const menuOrder: readonly Category[] = ['File', 'Edit', 'View', 'Go', 'Run', 'Chat', 'Terminal', 'Help']

/** Electron's menu roles, listed below the commands of each menu. */
const systemRoles: Partial<Record<Category, readonly Role[]>> = {
  File: ['quit'],
  Edit: ['cut', 'copy', 'paste', 'selectAll'],
  View: ['togglefullscreen', 'reload', 'toggleDevTools'],
}
const zoomIn = zoomItem('Zoom In', 'CmdOrCtrl+Plus', (level) => level + 0.5)
/** Items that zoom the window. Electron's roles would zoom the page of the preview while it has the focus. */
const zoomItems: readonly MenuItemConstructorOptions[] = [
  zoomIn,
  // The plus character needs Shift on most keyboards.
  { ...zoomIn, accelerator: 'CmdOrCtrl+=', visible: false, acceleratorWorksWhenHidden: true },
  zoomItem('Zoom Out', 'CmdOrCtrl+-', (level) => level - 0.5),
  zoomItem('Actual Size', 'CmdOrCtrl+0', () => 0),
]

function zoomItem(label: string, accelerator: string, next: (level: number) => number): MenuItemConstructorOptions {
  return {
    label,
    accelerator,
    click(_item, window) {
      if (!window || !('webContents' in window)) return
      const { webContents } = window as BrowserWindow
      webContents.setZoomLevel(next(webContents.getZoomLevel()))
    },
  }
}

/** Additional menu on macOS. It has no "Close", because that role's keys close a tab. */
const macWindowMenu: MenuItemConstructorOptions = {
  label: 'Window',
  submenu: [{ role: 'minimize' }, { role: 'zoom' }, { role: 'front' }],
}

/** Folders and actions of "Open recent" in the File menu. */
export interface RecentsMenu {
  /** Absolute paths, latest first. */
  folders: readonly string[]
  /** Names of the folders of unsaved workspaces, by path. */
  untitled: Readonly<Record<string, readonly string[]>>
  /** Absolute path of the home folder, shown as `~`. */
  home: string
  open(folder: string): void
  clear(): void
}

/** The command below which recent folders are listed. */
const beforeRecents = 'workspace.openFile'

/**
 * Creates the menu bar's template from the command table.
 * @param run called with the id of the chosen command
 * @param isWorkspace whether the focused window has several folders open
 */
export function menuTemplate(
  platform: NodeJS.Platform,
  run: (command: string) => void,
  recents: RecentsMenu,
  keymap: Keymap = { choice: 'vscode', user: [] },
  isWorkspace = false,
): MenuItemConstructorOptions[] {
  const keysOf = shownKeys(keymap, platform === 'darwin')
  const menus = menuOrder.map((category) => ({
    label: `&${category}`,
    submenu: submenu(category, recents, (row) => commandItem(row, run, keysOf(row), isWorkspace)),
  }))
  return platform === 'darwin' ? [{ role: 'appMenu' }, ...menus, macWindowMenu] : menus
}

/** Returns the items of one menu, with separators between groups. */
function submenu(
  category: Category,
  recents: RecentsMenu,
  itemOf: (row: CommandRow) => MenuItemConstructorOptions,
): MenuItemConstructorOptions[] {
  const rows = commands.filter((row) => row.category === category && row.menuGroup !== undefined && row.hidden !== true)
  const groups = [...new Set(rows.map((row) => row.menuGroup ?? 0))].toSorted((a, b) => a - b)
  const sections: MenuItemConstructorOptions[][] = groups.map((group) =>
    rows
      .filter((row) => row.menuGroup === group)
      .flatMap((row) => [itemOf(row), ...(row.id === beforeRecents ? [recentsItem(recents)] : [])]),
  )
  const roles = systemRoles[category]
  if (roles !== undefined)
    sections.push([...(category === 'View' ? zoomItems : []), ...roles.map((role) => ({ role }))])
  return sections.flatMap((items, index) => (index === 0 ? items : [{ type: 'separator' as const }, ...items]))
}

function recentsItem({ folders, untitled, home, open, clear }: RecentsMenu): MenuItemConstructorOptions {
  const abbreviate = (folder: string): string => {
    const names = untitled[folder]
    if (names) return `${untitledWorkspace}: ${names.join(', ')}`
    return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder
  }
  const items: MenuItemConstructorOptions[] =
    folders.length === 0
      ? [{ label: 'No recent folders', enabled: false }]
      : // A single & would underline the next letter.
        folders.map((folder) => ({ label: abbreviate(folder).replaceAll('&', '&&'), click: () => open(folder) }))
  return {
    label: 'Open recent',
    submenu: [
      ...items,
      { type: 'separator' },
      { label: 'Clear recently opened', enabled: folders.length > 0, click: clear },
    ],
  }
}

const canonicalKeys = (keys: string, mac: boolean): string =>
  readKeys(keys.replaceAll('Mod', mac ? 'Cmd' : 'Ctrl')) ?? keys

/** Returns the first presses of the window's shortcuts that have a modifier or a function key. */
export function windowShortcuts({ choice, user }: Keymap, platform: NodeJS.Platform): Set<string> {
  const ids = new Set<string>(commands.map(({ id }) => id))
  const bindings = bindingsOf(
    tableDefaults('electron', choice, (keys) => canonicalKeys(keys, platform === 'darwin')),
    user,
  )
  const presses = bindings.flatMap(({ command, keys }) => (ids.has(command) ? [keys.split(' ')[0] ?? ''] : []))
  return new Set(presses.filter((press) => /(?:Ctrl|Alt|Cmd)\+|F\d{1,2}$/.test(press)))
}

/** Returns a function for the keys shown in the menu. Menus cannot show chords. */
function shownKeys({ choice, user }: Keymap, mac: boolean): (row: CommandRow) => string | undefined {
  const bindings = bindingsOf(
    tableDefaults('electron', choice, (keys) => canonicalKeys(keys, mac)),
    user,
  )
  return ({ id }) => keysOfCommand(id, bindings).find((each) => !each.includes(' '))
}

function commandItem(
  row: CommandRow,
  run: (command: string) => void,
  keys: string | undefined,
  isWorkspace: boolean,
): MenuItemConstructorOptions {
  return {
    label: (isWorkspace && row.multiRootTitle) || row.title,
    accelerator: keys === undefined ? undefined : toAccelerator(keys),
    // The menu only shows the keys. The window handles them; otherwise the command would run twice.
    registerAccelerator: false,
    click: () => run(row.id),
  }
}

/** Converts keys such as `Mod+Shift+P` to Electron's notation. */
export function toAccelerator(keys: string): string {
  return keys.replace(/\bMod\b/, 'CmdOrCtrl')
}
