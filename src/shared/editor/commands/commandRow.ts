/**
 * A command of the window. The palette, the keybindings and the menus are built from these rows. The feature that owns
 * a command registers its handler (src/renderer/platform/commands.ts).
 *
 * Keys: `Mod` is Cmd on macOS and Ctrl elsewhere. Browsers reserve Ctrl+W, N, T and Tab (also with Shift) and
 * Ctrl+PageUp/PageDown, so commands with these keys have others in the browser host. A space separates the two presses
 * of a chord (`Mod+K Mod+S`).
 */
export interface CommandRow {
  id: string
  title: string
  category: 'File' | 'Edit' | 'View' | 'Go' | 'Chat' | 'Git' | 'Run' | 'Terminal' | 'Help'
  /** Keys in all hosts. */
  keys?: readonly string[]
  electronKeys?: readonly string[]
  browserKeys?: readonly string[]
  when?: CommandCondition
  /** Group within the category's menu. Absent if the menu does not show the command. */
  menuGroup?: number
  /** Title in the window of a multi-root workspace. Default: `title`. */
  multiRootTitle?: string
  /** What the palette shows before the title. Default: the category. */
  paletteCategory?: string
  /** Names in other editors, for the palette. */
  otherNames?: string
  /** Hidden from the palette, because the command needs an argument. */
  hidden?: boolean
}

/**
 * `workspace`: a folder is open. `tab`: a tab is active. `file`: the active tab is a text file. `dirty`: the active tab
 * is a text file with unsaved changes. `closedTab`: a closed tab can be reopened. `changes`: changes of the agent are
 * pending. `repository`: the open folder has a repository. `document`: the active tab shows the current text of a file,
 * also in a diff. `debugging`: a debug session has not ended. `debugRunning`: the selected one runs. `debugStopped`: it
 * has stopped. `notebook`: the active tab is a notebook. `desktop`: the host is the desktop application. `remote`: the
 * folder is on another machine. `multiRoot`: the window shows a workspace of several folders.
 */
export type CommandCondition =
  | 'workspace'
  | 'noWorkspace'
  | 'tab'
  | 'file'
  | 'dirty'
  | 'closedTab'
  | 'changes'
  | 'repository'
  | 'document'
  | 'debugging'
  | 'debugRunning'
  | 'debugStopped'
  | 'notebook'
  | 'desktop'
  | 'remote'
  | 'multiRoot'
