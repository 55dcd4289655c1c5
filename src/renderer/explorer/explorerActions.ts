import { toFailure } from '../../shared/errors.ts'
import { pathInFolder } from '../../shared/files/workspaceFolders.ts'
import type { FileEntry } from '../../shared/files/files.ts'
import { on, onConnected, request } from '../platform/bridge/bridge.ts'
import { folderSettingsPath } from '../platform/editor/editorSettings.ts'
import { currentText } from '../platform/editor/documents/fileChanges.ts'
import { openDiff, openFile } from '../platform/editor/editorService.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { currentWorkspace, useApp } from '../platform/appState.ts'
import { copyPath } from '../platform/files/copyPath.ts'
import { handleCommand } from '../platform/commands.ts'
import { showSideBar } from '../platform/layout/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { emptyClipboard, useFileClipboard } from './fileClipboard.ts'
import {
  defaultFolder,
  entryOf,
  isFolder,
  isTopFolder,
  join,
  nameOf,
  parentOf,
  rootPath,
  tree,
  useTree,
  type NameEdit,
} from './fileTree.ts'
import { forgetSteps } from './undoSteps.ts'
import { duplicate, rename } from './transfers.ts'

/** Selects an entry. Opens a file, as a preview unless it takes the focus, or expands or collapses a folder. */
export function openOrToggle(entry: FileEntry, options: { focus: boolean }): void {
  tree.select(entry.path)
  if (!isFolder(entry)) attempt(() => openFile(entry.path, undefined, { ...options, preview: !options.focus }))
  else if (useTree.getState().expanded.has(entry.path)) tree.collapse(entry.path)
  else attempt(() => tree.expand(entry.path))
}

/** Opens files in the editor group on the right. */
export function openToSide(paths: readonly string[]): void {
  attempt(async () => {
    for (const [index, path] of paths.entries()) await openFile(path, undefined, { toSide: index === 0 })
  })
}

/** Shows the name field for a new entry. @param near path of the parent folder, or of a sibling */
export async function startCreate(directory: boolean, near = useTree.getState().selected): Promise<void> {
  showSideBar('explorer')
  const entry = entryOf(near)
  const parent = entry ? (isFolder(entry) ? entry.path : parentOf(entry.path)) : defaultFolder()
  if (parent !== rootPath) await tree.expand(parent)
  useTree.setState({ edit: { kind: 'create', parent, directory } })
}

/** Shows the name field for renaming an entry. The folders of a workspace keep their names. */
export function startRename(entry: FileEntry): void {
  if (isTopFolder(entry.path)) return
  useTree.setState({
    edit: { kind: 'rename', path: entry.path, directory: isFolder(entry) },
    selected: entry.path,
    marked: new Set(),
  })
}

export function cancelEdit(): void {
  useTree.setState({ edit: null })
}

/** Pure: validates a name, in which slashes create folders. @returns the error message, or null if the name is valid */
export function nameProblem(name: string): string | null {
  const trimmed = name.trim()
  if (trimmed === '') return 'Enter a name.'
  if (trimmed.startsWith('/') || trimmed.endsWith('/')) return 'A name cannot start or end with a slash.'
  if (trimmed.includes('\0')) return 'A name cannot contain a NUL character.'
  if (trimmed.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'A name cannot have empty parts, "." or "..".'
  return null
}

/** Creates or renames an entry. The name field stays open to show errors. */
export async function finishEdit(edit: NameEdit, typed: string): Promise<void> {
  const name = typed.trim()
  if (edit.kind === 'rename' && name === nameOf(edit.path)) return cancelEdit()
  const problem = nameProblem(name)
  if (problem) return useTree.setState({ edit: { ...edit, error: problem } })
  const path = join(edit.kind === 'create' ? edit.parent : parentOf(edit.path), name)
  try {
    if (edit.kind === 'create') await request('files.create', { path, directory: edit.directory })
    else await rename(edit.path, path)
  } catch (error) {
    const { message, next } = toFailure(error)
    useTree.setState({ edit: { ...edit, error: next ? `${message} ${next}` : message } })
    return
  }
  useTree.setState({ edit: null })
  await tree.read(parentOf(path))
  await tree.reveal(path)
  if (edit.kind === 'create' && !edit.directory) await openFile(path)
}

/** Copies entries next to the originals. Starts renaming a single copy. */
export async function duplicateEntries(paths: readonly string[]): Promise<void> {
  const last = await duplicate(paths)
  const copy = paths.length === 1 ? entryOf(last ?? null) : undefined
  if (copy) startRename(copy)
}

/** Shows two files side by side, with their unsaved text. */
export async function compareFiles(original: string, modified: string): Promise<void> {
  const deps = { request, documents }
  const [before, after] = await Promise.all([currentText(deps, original), currentText(deps, modified)])
  const title = `${nameOf(original)} ↔ ${nameOf(modified)}`
  openDiff({ path: modified, title, original: before, modified: after })
}

/** Stores entries for pasting. */
export function copyEntries(paths: readonly string[], cut: boolean): void {
  const movable = cut ? paths.filter((path) => !isTopFolder(path)) : paths
  if (movable.length > 0) useFileClipboard.setState({ paths: movable, cut })
}

function copyActivePath(kind: { relative: boolean }): void {
  const path = activePath()
  if (path !== null) copyPath(path, kind)
}

/**
 * Registers the explorer's commands and updates the tree when files or the active tab change.
 * @returns a function that unregisters them
 */
export function registerExplorer(): () => void {
  const refresh = async () => {
    if (currentWorkspace()) await tree.refresh()
  }
  const stops = [
    on('files.changed', ({ changes, overflow }) => {
      attempt(() => tree.follow(changes, overflow))
      // The folder's settings decide what is shown.
      const settings = [folderSettingsPath, '.vscode/settings.json']
      if (changes.some(({ path }) => settings.includes(pathInFolder(currentWorkspace(), path)))) attempt(refresh)
    }),
    useApp.subscribe((app, before) => {
      const [excluded, old] = [app, before].map(({ state }) => JSON.stringify(state?.settings.files.exclude))
      if (before.state && excluded !== old) attempt(refresh)
    }),
    onConnected(() => attempt(refresh)),
    useApp.subscribe((app, before) => {
      // The same folder can change too, for example its branch.
      if (app.state?.workspace?.root === before.state?.workspace?.root) return
      forgetSteps()
      useFileClipboard.setState(emptyClipboard)
    }),
    handleCommand('file.new', () => startCreate(false)),
    handleCommand('file.newFolder', () => startCreate(true)),
    handleCommand('explorer.collapseAll', () => tree.collapseAll()),
    handleCommand('explorer.refresh', refresh),
    handleCommand('explorer.reveal', async () => {
      const path = activePath()
      if (path === null) return
      showSideBar('explorer')
      await tree.reveal(path)
    }),
    handleCommand('file.copyPath', () => copyActivePath({ relative: false })),
    handleCommand('file.copyRelativePath', () => copyActivePath({ relative: true })),
    // Reveal the file only when the active tab changes, so that a collapsed folder stays collapsed.
    useTabs.subscribe((tabs, before) => {
      const path = activePath(tabs)
      if (path !== null && path !== activePath(before) && currentWorkspace()) attempt(() => tree.reveal(path))
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
