import { toFailure } from '../../shared/errors.ts'
import type { FileEntry } from '../../shared/files.ts'
import { Sequencer } from '../../shared/sequencer.ts'
import { on, onConnected, request } from '../platform/bridge/bridge.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { documents } from '../platform/editor/windowDocuments.ts'
import { activePath, renameTabs, useTabs } from '../platform/editor/tabsStore.ts'
import { currentWorkspace } from '../platform/appState.ts'
import { handleCommand } from '../platform/commands.ts'
import { showSideBar } from '../platform/layoutStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { createTree, isFolder, join, nameOf, parentOf, rootPath, useTree, type NameEdit } from './fileTree.ts'

export const tree = createTree(request)

/** Entry at a path; undefined if its folder is not loaded. */
export function entryOf(path: string | null): FileEntry | undefined {
  return path === null
    ? undefined
    : useTree.getState().folders[parentOf(path)]?.entries.find((entry) => entry.path === path)
}

/** Selects an entry. Opens a file, as a preview unless it gets the focus; expands or collapses a folder. */
export function openOrToggle(entry: FileEntry, options: { focus: boolean }): void {
  tree.select(entry.path)
  if (!isFolder(entry)) attempt(() => openFile(entry.path, undefined, { ...options, preview: !options.focus }))
  else if (useTree.getState().expanded.has(entry.path)) tree.collapse(entry.path)
  else attempt(() => tree.expand(entry.path))
}

/** Shows the name field for a new entry. @param near path of the folder to create it in, or of a sibling */
export async function startCreate(directory: boolean, near = useTree.getState().selected): Promise<void> {
  showSideBar('explorer')
  const entry = entryOf(near)
  const parent = entry ? (isFolder(entry) ? entry.path : parentOf(entry.path)) : rootPath
  if (parent !== rootPath) await tree.expand(parent)
  useTree.setState({ edit: { kind: 'create', parent, directory } })
}

/** Shows the name field for renaming an entry. */
export function startRename(entry: FileEntry): void {
  useTree.setState({ edit: { kind: 'rename', path: entry.path, directory: isFolder(entry) }, selected: entry.path })
}

export function cancelEdit(): void {
  useTree.setState({ edit: null })
}

/** Pure: checks a name, in which slashes create folders. @returns the error message, or null if the name is valid */
export function nameProblem(name: string): string | null {
  const trimmed = name.trim()
  if (trimmed === '') return 'Enter a name.'
  if (trimmed.startsWith('/') || trimmed.endsWith('/')) return 'A name cannot start or end with a slash.'
  if (trimmed.includes('\0')) return 'A name cannot contain a NUL character.'
  if (trimmed.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'A name cannot have empty parts, "." or "..".'
  return null
}

/** Creates or renames an entry. Shows errors below the name field, which stays open. */
export async function finishEdit(edit: NameEdit, typed: string): Promise<void> {
  const name = typed.trim()
  if (edit.kind === 'rename' && name === nameOf(edit.path)) return cancelEdit()
  const problem = nameProblem(name)
  if (problem) return useTree.setState({ edit: { ...edit, error: problem } })
  const path = join(edit.kind === 'create' ? edit.parent : parentOf(edit.path), name)
  try {
    if (edit.kind === 'create') await request('files.create', { path, directory: edit.directory })
    else await moveUndoably(edit.path, path)
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

/** Moves or renames an entry on disk. Open tabs follow with their unsaved text. */
async function move(from: string, to: string): Promise<void> {
  await request('files.move', { from, to })
  const moved = documents.paths().filter((path) => path === from || path.startsWith(`${from}/`))
  for (const path of moved) {
    const target = `${to}${path.slice(from.length)}`
    await documents.rename(path, target)
    renameTabs(path, target)
  }
}

/** Moves that Ctrl+Z can undo, latest last. Cleared when another folder opens. */
let moves: Move[] = []
const maxMoves = 100

interface Move {
  from: string
  to: string
}

/**
 * Moves and their undoing run one after another, so that Ctrl+Z during a move undoes that move and not an earlier one.
 */
const moving = new Sequencer()

/** @param entry the latest move by default */
async function undoMove(entry = moves.at(-1)): Promise<void> {
  // A notice can outlive its move: it was undone, or another folder is open.
  if (!entry || !moves.includes(entry)) return
  moves = moves.filter((each) => each !== entry)
  const { from, to } = entry
  await move(to, from)
  await Promise.all([tree.read(parentOf(from)), tree.read(parentOf(to))])
  await tree.reveal(from)
}

/** Undoes the latest move or rename. */
export function undoLastMove(): void {
  attempt(() => moving.queue(() => undoMove()), 'The move could not be undone')
}

/** Moves or renames an entry and shows a notice with Undo. */
async function moveUndoably(from: string, to: string): Promise<void> {
  const made = { from, to }
  await moving.queue(async () => {
    await move(from, to)
    moves = [...moves, made].slice(-maxMoves)
  })
  const what =
    parentOf(from) === parentOf(to)
      ? `Renamed ${nameOf(from)} to ${nameOf(to)}.`
      : `Moved ${nameOf(from)} to ${parentOf(to) === rootPath ? 'the workspace folder' : parentOf(to)}.`
  notify('info', what, {
    actions: [
      { label: 'Undo', run: () => attempt(() => moving.queue(() => undoMove(made)), 'The move could not be undone') },
    ],
  })
}

/** Moves an entry into a folder, for drag and drop. Does nothing if it is already there or the folder is inside it. */
export async function moveInto(path: string, folder: string): Promise<void> {
  const target = join(folder, nameOf(path))
  if (target === path || folder === path || folder.startsWith(`${path}/`)) return
  await moveUndoably(path, target)
  await Promise.all([tree.read(parentOf(path)), folder === rootPath ? undefined : tree.expand(folder)])
  await tree.read(folder)
  tree.select(target)
}

/** Returns a free name for a copy: `a copy.txt` for `a.txt`, then `a copy 2.txt`. */
export function copyName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 1; ; number++) {
    const candidate = `${stem} copy${number === 1 ? '' : ` ${number}`}${ending}`
    if (!taken.has(candidate)) return candidate
  }
}

/** Copies a text file in its folder and starts renaming the copy. */
export async function duplicate(entry: FileEntry): Promise<void> {
  const parent = parentOf(entry.path)
  const taken = new Set(useTree.getState().folders[parent]?.entries.map(({ name }) => name))
  const path = join(parent, copyName(entry.name, taken))
  const { text, format } = await request('files.read', { path: entry.path })
  await request('files.write', { path, text, format })
  await tree.read(parent)
  const copy = entryOf(path)
  if (copy) startRename(copy)
}

/** Registers the explorer's commands and updates the tree when files or the active tab change. @returns unregister */
export function registerExplorer(): () => void {
  const refresh = async () => {
    if (currentWorkspace()) await tree.refresh()
  }
  const stops = [
    on('files.changed', ({ changes, overflow }) => attempt(() => tree.follow(changes, overflow))),
    onConnected(() => attempt(refresh)),
    on('workspace.changed', () => {
      moves = []
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
    // Reveal the file only when the active tab changes, so that a folder that the user collapses stays collapsed.
    useTabs.subscribe((tabs, before) => {
      const path = activePath(tabs)
      if (path !== null && path !== activePath(before) && currentWorkspace()) attempt(() => tree.reveal(path))
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
