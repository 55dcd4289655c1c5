import type { LocatedPath } from '../../shared/files/files.ts'
import { outsidePath } from '../../shared/files/outsideFiles.ts'
import { isWorkspaceFile } from '../../shared/files/workspaceFolders.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { currentWorkspace, isRemote } from '../platform/appState.ts'
import { attempt, notify } from '../platform/notices.ts'
import { openFolder } from './openFolder.ts'

/** Maximum number of items in one drop. The protocol has the same limit. */
const maxDropped = 200

export interface DropPlan {
  /** Absolute path of the folder or `.code-workspace` file to open; null if none was dropped. */
  folder: string | null
  /** Files to open: their tab paths, in the open folder or outside it, or without a folder their absolute paths. */
  files: string[]
  /** Messages about items that cannot be opened. */
  notices: { message: string; detail: string }[]
}

const nameOf = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== '') ?? path

function listNames(names: readonly string[]): string {
  return names.length > 3
    ? `${names.slice(0, 2).join(', ')} and ${plural(names.length - 2, 'other file')}`
    : names.join(', ')
}

/** Pure: decides what to open. A folder takes precedence over files, because opening it replaces the open folder. */
export function planDrop(located: readonly LocatedPath[], folderIsOpen: boolean): DropPlan {
  const opens = ({ kind, path }: LocatedPath) => kind === 'folder' || (kind === 'file' && isWorkspaceFile(path))
  const folder = located.find(opens)
  if (folder) {
    const others = located.length - 1
    const message = `Opened ${nameOf(folder.path)} and skipped ${plural(others, 'other item')}.`
    return {
      folder: folder.path,
      files: [],
      notices: others === 0 ? [] : [{ message, detail: 'To show several folders, drop them on the explorer.' }],
    }
  }
  const notices: DropPlan['notices'] = []
  const missing = located.filter(({ kind }) => kind === 'missing').map(({ path }) => nameOf(path))
  if (missing.length > 0)
    notices.push({
      message: `${listNames(missing)} could not be found.`,
      detail: missing.length === 1 ? 'It may have been moved or deleted.' : 'They may have been moved or deleted.',
    })
  const dropped = located.filter(({ kind }) => kind === 'file')
  const files = dropped.map(({ path, inWorkspace }) => (folderIsOpen ? (inWorkspace ?? outsidePath(path)) : path))
  return { folder: null, files, notices }
}

async function openDropped(files: readonly File[]): Promise<void> {
  // Paths of this machine mean nothing on another one.
  const pathOf = isRemote() ? undefined : window.tizona?.pathOf
  const paths = pathOf ? files.map(pathOf).filter((path) => path !== '') : []
  if (paths.length === 0) {
    notify('info', 'The dropped items cannot be opened here.', {
      detail: pathOf
        ? 'They are not files on this machine.'
        : isRemote()
          ? 'They are on this machine, and the folder is on another one.'
          : 'The browser does not reveal their paths. Use File > Open folder.',
    })
    return
  }
  const located = await request('files.locate', { paths: paths.slice(0, maxDropped) })
  const folderIsOpen = currentWorkspace() !== null
  const plan = planDrop(located, folderIsOpen)
  for (const { message, detail } of plan.notices) notify('warning', message, { detail })
  if (plan.folder !== null) return void (await openFolder(plan.folder))
  if (folderIsOpen) for (const path of plan.files) await openFile(path)
  else if (plan.files.length > 0) runCommand('file.open', plan.files)
}

/** Opens files and folders that are dropped on the window. @returns a function that unregisters it */
export function registerDrop(): () => void {
  const over = (event: DragEvent): void => {
    // Keep the page from navigating to the dropped file.
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  }
  const drop = (event: DragEvent): void => {
    // Another component may have handled the drop, for example the message field for pictures.
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    // Copy the list, because it is empty after the event.
    const files = [...event.dataTransfer.files]
    attempt(() => openDropped(files), 'The dropped items could not be opened')
  }
  addEventListener('dragover', over)
  addEventListener('drop', drop)
  return () => {
    removeEventListener('dragover', over)
    removeEventListener('drop', drop)
  }
}
