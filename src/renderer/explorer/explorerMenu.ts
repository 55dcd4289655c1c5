import type { FileEntry } from '../../shared/files/files.ts'
import { trashName } from '../platform/platformLabels.ts'
import { currentPlatform, currentWorkspace, hostFeatures } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { gitMenuItems } from '../platform/git/gitMenuItems.ts'
import { previewOf } from '../platform/editor/fileViews.tsx'
import { formatKeys } from '../platform/keymap/keyNotation.ts'
import { copyPathItems } from '../platform/files/copyPath.ts'
import { revealItems } from '../platform/files/fileManager.ts'
import { attempt } from '../platform/notices.ts'
import type { MenuGroup, MenuItem } from '../ui/index.ts'
import { compareFiles, copyEntries, duplicateEntries, openToSide, startCreate, startRename } from './explorerActions.ts'
import { deleteEntries } from './deleteEntry.ts'
import { useFileClipboard } from './fileClipboard.ts'
import { isFolder, isTopFolder, entryOf, parentOf } from './fileTree.ts'
import { targetsOf } from './selection.ts'
import { paste, pasteFolder } from './transfers.ts'

/** Menu items for deleting: one, or two if the host has a trash. */
function deleteItems(entries: readonly FileEntry[]): MenuItem[] {
  const remove = (permanently: boolean) =>
    attempt(() => deleteEntries(entries, { permanently }), 'Some items could not be deleted')
  const common = { icon: 'trash', danger: true }
  if (!hostFeatures().trash)
    return [{ ...common, id: 'delete', label: 'Delete', shortcut: 'Del', run: () => remove(false) }]
  return [
    {
      id: 'trash',
      icon: 'trash',
      label: `Move to ${trashName(currentPlatform())}`,
      shortcut: 'Del',
      run: () => remove(false),
    },
    { ...common, id: 'delete', label: 'Delete permanently', shortcut: 'Shift+Del', run: () => remove(true) },
  ]
}

/** Files that can be debugged without a configuration in launch.json. */
const runnable = /\.(?:py|go|[cm]?[jt]s|rs)$/

function debugItems(entry: FileEntry): MenuItem[] {
  const { path } = entry
  if (isFolder(entry) || !runnable.test(path)) return []
  return [{ id: 'debug', label: 'Debug this file', icon: 'debug-alt', run: () => void runCommand('debug.file', path) }]
}

function duplicateItem(paths: readonly string[]): MenuItem {
  return {
    id: 'duplicate',
    label: 'Duplicate',
    icon: 'files',
    run: () => attempt(() => duplicateEntries(paths), 'Some items could not be duplicated'),
  }
}

function clipboardItems(paths: readonly string[]): MenuItem[] {
  return [
    { id: 'cut', label: 'Cut', shortcut: formatKeys('Mod+X'), run: () => copyEntries(paths, true) },
    { id: 'copy', label: 'Copy', icon: 'copy', shortcut: formatKeys('Mod+C'), run: () => copyEntries(paths, false) },
  ]
}

function pasteItem(path: string | null): MenuItem {
  return {
    id: 'paste',
    label: 'Paste',
    shortcut: formatKeys('Mod+V'),
    disabled: useFileClipboard.getState().paths.length === 0,
    run: () => attempt(() => paste(pasteFolder(path)), 'Some items could not be pasted'),
  }
}

function groupsOfMany(paths: readonly string[]): MenuGroup[] {
  // The folders of a workspace stay where they are.
  const movable = paths.filter((path) => !isTopFolder(path))
  const entries = movable.flatMap((path) => entryOf(path) ?? [])
  const [first, second] = entries
  const files = entries.filter((entry) => !isFolder(entry)).map(({ path }) => path)
  const comparable = entries.length === 2 && !entries.some(isFolder) && first && second
  const compare: MenuItem[] = comparable
    ? [
        {
          id: 'compare',
          label: 'Compare selected',
          icon: 'diff',
          run: () => attempt(() => compareFiles(first.path, second.path), 'The files could not be compared'),
        },
      ]
    : []
  return [
    { items: [...(files.length > 0 ? [sideItem(files)] : []), ...compare] },
    { items: clipboardItems(movable) },
    { items: entries.length === 0 ? [] : [duplicateItem(movable), ...deleteItems(entries)] },
  ]
}

function sideItem(paths: readonly string[]): MenuItem {
  return {
    id: 'side',
    label: 'Open to the side',
    icon: 'split-horizontal',
    shortcut: formatKeys('Mod+Enter'),
    run: () => openToSide(paths),
  }
}

function previewItems(path: string): MenuItem[] {
  const bytes: MenuItem = { id: 'bytes', label: 'Show bytes', run: () => runCommand('preview.bytes', path) }
  if (previewOf(path) === null) return [bytes]
  return [
    { id: 'preview', label: 'Open preview', icon: 'open-preview', run: () => runCommand('preview.open', path) },
    bytes,
  ]
}

function addToChatItem(path: string): MenuItem {
  return { id: 'chat', label: 'Add to chat', icon: 'mention', run: () => void runCommand('chat.addFile', path) }
}

function terminalItem(folder: string): MenuItem {
  return {
    id: 'terminal',
    label: 'Open in terminal',
    icon: 'terminal',
    run: () => void runCommand('terminal.openIn', folder),
  }
}

function folderItems(path: string): MenuItem[] {
  return [
    {
      id: 'find',
      label: 'Find in folder…',
      icon: 'search',
      run: () => void runCommand('search.inFolder', path),
    },
    terminalItem(path),
  ]
}

function addFolderItem(): MenuItem {
  return {
    id: 'add-folder',
    label: 'Add folder to workspace…',
    icon: 'root-folder',
    run: () => void runCommand('workspace.addFolder'),
  }
}

/** Menu of a folder of the workspace, which cannot be renamed, moved or deleted. */
function topFolderGroups(path: string): MenuGroup[] {
  const remove: MenuItem = {
    id: 'remove-folder',
    label: 'Remove folder from workspace',
    shortcut: 'Del',
    run: () => void runCommand('workspace.removeFolder', path),
  }
  return [
    { items: [addToChatItem(path)] },
    { items: [pasteItem(path)] },
    { items: [addFolderItem(), remove] },
    { items: folderItems(path) },
    { items: [...revealItems(path), ...copyPathItems(path)] },
  ]
}

/** Builds the context menu of an entry, or of the empty area if `entry` is undefined. */
export function explorerMenuGroups(entry: FileEntry | undefined): MenuGroup[] {
  const near = entry?.path ?? null
  const create: MenuGroup = {
    items: [
      { id: 'new-file', label: 'New file…', icon: 'new-file', run: () => attempt(() => startCreate(false, near)) },
      { id: 'new-folder', label: 'New folder…', icon: 'new-folder', run: () => attempt(() => startCreate(true, near)) },
    ],
  }
  if (!entry) {
    const refresh: MenuItem = {
      id: 'refresh',
      label: 'Refresh',
      icon: 'refresh',
      run: () => runCommand('explorer.refresh'),
    }
    const reveal = currentWorkspace()?.multiRoot ? [] : revealItems('.')
    return [create, { items: [pasteItem(null)] }, { items: [addFolderItem()] }, { items: [...reveal, refresh] }]
  }
  const targets = targetsOf(entry.path)
  if (targets.length > 1) return groupsOfMany(targets)
  if (isTopFolder(entry.path)) return [create, ...topFolderGroups(entry.path)]
  return [
    create,
    {
      items: [...(isFolder(entry) ? [] : [sideItem([entry.path])]), ...debugItems(entry), addToChatItem(entry.path)],
    },
    { items: [...clipboardItems([entry.path]), pasteItem(entry.path)] },
    {
      items: [
        { id: 'rename', label: 'Rename…', icon: 'edit', shortcut: 'F2', run: () => startRename(entry) },
        duplicateItem([entry.path]),
        ...deleteItems([entry]),
      ],
    },
    {
      items: isFolder(entry)
        ? folderItems(entry.path)
        : [...previewItems(entry.path), terminalItem(parentOf(entry.path))],
    },
    { items: isFolder(entry) ? [] : gitMenuItems(entry.path) },
    {
      items: [...revealItems(entry.path), ...copyPathItems(entry.path)],
    },
  ]
}
