import { ToolError } from '../../shared/errors.ts'
import { openFile } from '../editor/openTab.ts'
import { locateFile } from '../editor/openOutside.ts'
import { currentWorkspace, displayPath } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { handleCommand } from '../platform/commands.ts'
import { confirm } from '../platform/confirm.ts'
import { pickFolder } from '../platform/files/folderPicker.ts'
import { notify } from '../platform/notices.ts'
import { openFolder } from '../welcome/openFolder.ts'
import { layoutRestored } from './layoutPersistence.ts'

/** Splits an absolute path. The folder of a file at the top keeps its slash. */
function placeOf(path: string): { folder: string; name: string } {
  // Elsewhere, a backslash is part of a name.
  const isWindows = /^(?:[A-Za-z]:|\\\\)/.test(path)
  const at = Math.max(path.lastIndexOf('/'), isWindows ? path.lastIndexOf('\\') : -1)
  const folder = path.slice(0, at)
  return { folder: /^(?:[A-Za-z]:)?$/.test(folder) ? path.slice(0, at + 1) : folder, name: path.slice(at + 1) }
}

/** Asks whether to open the folder of the first file, and opens it with all of them. @throws ToolError if one is no file */
async function openWithFolder(paths: readonly string[]): Promise<void> {
  const located = await request('files.locate', { paths: [...paths] })
  for (const { kind, path } of located) {
    if (kind === 'folder') throw new ToolError('invalid_path', `${path} is a folder.`, 'Name a file in it.')
    if (kind === 'missing') throw new ToolError('not_found', `${path} does not exist.`, 'Check the path.')
  }
  const [first] = located
  if (!first) return
  const { folder, name } = placeOf(first.path)
  const choice = await confirm({
    title: 'Open the folder of the file?',
    message: `No folder is open, and Tizona edits files in a folder. Opening ${name} also opens its folder, in which the explorer, search and the agent then work:`,
    items: [displayPath(folder)],
    choices: [{ id: 'open', label: 'Open file and folder', variant: 'primary' }],
  })
  if (choice !== 'open') return
  if (!(await openFolder(folder))) {
    // The other window has the focus.
    notify('info', `${displayPath(folder)} is open in another window.`, { detail: `Open ${name} there.` })
    return
  }
  // Restoring the layout replaces all tabs.
  await layoutRestored()
  for (const { path } of located) await openFile(await locateFile(path))
}

/** Opens absolute paths, or asks for a file, also outside the folder. Without a folder, the file's folder opens too. */
async function openFiles(paths: unknown): Promise<void> {
  const open = async (absolute: readonly string[]) => {
    if (!currentWorkspace()) return openWithFolder(absolute)
    for (const path of absolute) await openFile(await locateFile(path))
  }
  if (Array.isArray(paths)) return open(paths.map(String))
  await pickFolder({ title: 'Open file', action: 'Open', file: 'all', choose: (path) => open([path]) })
}

/** @returns a function that unregisters the command */
export const registerOpenFile = (): (() => void) => handleCommand('file.open', openFiles)
