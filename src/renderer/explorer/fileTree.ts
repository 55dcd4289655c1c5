import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import type { FileChange, FileEntry } from '../../shared/files/files.ts'
import { topFolder } from '../../shared/files/workspaceFolders.ts'
import { currentWorkspace } from '../platform/appState.ts'
import { request, type Bridge } from '../platform/bridge/bridge.ts'
import { Throttler } from '../../shared/async/throttler.ts'

/** Path of the workspace root. */
export const rootPath = '.'

export interface Folder {
  status: 'loading' | 'ready' | 'failed'
  /** Sorted entries. The previous ones while the folder reloads. */
  entries: readonly FileEntry[]
  /** Why the folder cannot be read. */
  problem?: string
}

/** A name that is being edited in the tree. */
export type NameEdit =
  | { kind: 'create'; parent: string; directory: boolean; error?: string }
  | { kind: 'rename'; path: string; directory: boolean; error?: string }

export interface TreeState {
  /** Loaded folders by path. */
  folders: Readonly<Record<string, Folder>>
  expanded: ReadonlySet<string>
  /** The focused entry. */
  selected: string | null
  /** All selected entries if there are several; otherwise empty. */
  marked: ReadonlySet<string>
  /** Where a Shift selection starts; null means `selected`. */
  anchor: string | null
  edit: NameEdit | null
}

export type TreeRow =
  | { kind: 'entry'; entry: FileEntry; depth: number; expanded: boolean }
  | { kind: 'edit'; depth: number; edit: NameEdit }
  | { kind: 'note'; path: string; depth: number; text: string; failed: boolean }

export const emptyTree: TreeState = {
  folders: {},
  expanded: new Set(),
  selected: null,
  marked: new Set(),
  anchor: null,
  edit: null,
}

export const useTree = create<TreeState>(() => emptyTree)

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? rootPath : path.slice(0, slash)
}

export function join(folder: string, name: string): string {
  return folder === rootPath ? name : `${folder}/${name}`
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a path is an entry's path or inside it. */
export function isWithin(path: string, entry: string): boolean {
  return path === entry || path.startsWith(`${entry}/`)
}

export function isFolder(entry: FileEntry): boolean {
  return entry.type === 'directory' || entry.directory
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Sorts by folders first, then by name, and removes `.git`. */
export function sortEntries(entries: readonly FileEntry[]): FileEntry[] {
  return entries
    .filter(({ name }) => name !== '.git')
    .toSorted((a, b) => Number(isFolder(b)) - Number(isFolder(a)) || names.compare(a.name, b.name))
}

/** Pure: builds the visible rows, top to bottom. */
export function treeRows({ folders, expanded, edit }: Pick<TreeState, 'folders' | 'expanded' | 'edit'>): TreeRow[] {
  const rows: TreeRow[] = []
  function add(path: string, depth: number): void {
    const folder = folders[path]
    const createHere = edit?.kind === 'create' && edit.parent === path ? edit : null
    if (createHere?.directory) rows.push({ kind: 'edit', depth, edit: createHere })
    let createShown = createHere === null || createHere.directory
    for (const entry of folder?.entries ?? []) {
      if (!createShown && createHere && !isFolder(entry)) {
        rows.push({ kind: 'edit', depth, edit: createHere })
        createShown = true
      }
      const open = isFolder(entry) && expanded.has(entry.path)
      if (edit?.kind === 'rename' && edit.path === entry.path) rows.push({ kind: 'edit', depth, edit })
      else rows.push({ kind: 'entry', entry, depth, expanded: open })
      if (open) add(entry.path, depth + 1)
    }
    if (!createShown && createHere) rows.push({ kind: 'edit', depth, edit: createHere })
    if (folder?.status === 'failed')
      rows.push({ kind: 'note', path, depth, text: folder.problem ?? 'The folder cannot be read.', failed: true })
    else if (folder && folder.entries.length === 0 && !createHere && path !== rootPath) {
      rows.push({ kind: 'note', path, depth, text: folder.status === 'loading' ? 'Loading…' : 'Empty', failed: false })
    }
  }
  add(rootPath, 0)
  return rows
}

/** Sorts the folders of a multi-root workspace as in its file, and other entries as in any folder. */
function sortRoot(entries: readonly FileEntry[]): FileEntry[] {
  const folders = currentWorkspace()?.multiRoot?.folders
  if (!folders) return sortEntries(entries)
  return folders.flatMap(({ name }) => entries.find((entry) => entry.path === name) ?? [])
}

/** Whether a path is a folder of a multi-root workspace, which cannot be moved, renamed or deleted here. */
export function isTopFolder(path: string): boolean {
  return topFolder(currentWorkspace(), path) !== undefined
}

/**
 * Returns the folder for new entries if none is chosen. The top of a multi-root workspace has no files, so there it is
 * one of the folders.
 * @param last whether the last folder is meant, which is nearest to the empty area of the explorer
 */
export function defaultFolder({ last = false } = {}): string {
  const folders = currentWorkspace()?.multiRoot?.folders
  return folders?.at(last ? -1 : 0)?.name ?? rootPath
}

/** Reads folders into the store. Reads a folder again if it changed in the meantime. */
function createFolderReader(request: Bridge['request']): (path: string) => Promise<void> {
  const reads = new Map<string, Throttler>()

  async function readOnce(path: string): Promise<void> {
    try {
      const entries = await request('files.list', { path })
      setFolder(path, { status: 'ready', entries: path === rootPath ? sortRoot(entries) : sortEntries(entries) })
    } catch (error) {
      const failure = toFailure(error)
      if (failure.code === 'not_found' && path !== rootPath) return forgetFolder(path)
      const entries = useTree.getState().folders[path]?.entries ?? []
      setFolder(path, { status: 'failed', entries, problem: failure.message })
    }
  }

  return function read(path) {
    const throttler = reads.get(path) ?? new Throttler()
    reads.set(path, throttler)
    if (!useTree.getState().folders[path]) setFolder(path, { status: 'loading', entries: [] })
    return throttler.queue(() => readOnce(path))
  }
}

function setFolder(path: string, folder: Folder): void {
  useTree.setState(({ folders }) => ({ folders: { ...folders, [path]: folder } }))
}

/** Removes a deleted folder and its subfolders from the store. */
function forgetFolder(path: string): void {
  const isInside = (other: string) => other === path || other.startsWith(`${path}/`)
  useTree.setState(({ folders, expanded }) => ({
    folders: Object.fromEntries(Object.entries(folders).filter(([other]) => !isInside(other))),
    expanded: new Set([...expanded].filter((other) => !isInside(other))),
  }))
}

/** Actions on the file tree in `useTree`. Loads folders when they are expanded and when they change on disk. */
export function createTree(request: Bridge['request']) {
  const read = createFolderReader(request)

  return {
    read,

    /** Reloads the root and all expanded folders. */
    async refresh(): Promise<void> {
      const { expanded, folders } = useTree.getState()
      const shown = [rootPath, ...expanded]
      // Forget collapsed folders. They load again when expanded.
      useTree.setState({
        folders: Object.fromEntries(Object.entries(folders).filter(([path]) => shown.includes(path))),
      })
      await Promise.all(shown.map((path) => read(path)))
    },

    async expand(path: string): Promise<void> {
      useTree.setState(({ expanded }) => ({ expanded: new Set(expanded).add(path) }))
      if (!useTree.getState().folders[path]) await read(path)
    },

    collapse(path: string): void {
      useTree.setState(({ expanded }) => ({ expanded: new Set([...expanded].filter((other) => other !== path)) }))
    },

    collapseAll(): void {
      useTree.setState({ expanded: new Set() })
    },

    select(path: string | null): void {
      useTree.setState({ selected: path, anchor: null, marked: new Set() })
    },

    /** Expands the parent folders of an entry and selects it. */
    async reveal(path: string): Promise<void> {
      const parts = path.split('/')
      if (!useTree.getState().folders[rootPath]) await read(rootPath)
      for (let depth = 1; depth < parts.length; depth++) await this.expand(parts.slice(0, depth).join('/'))
      if (useTree.getState().selected !== path) this.select(path)
    },

    /** Reloads the loaded folders that changes on disk affect. */
    async follow(changes: readonly FileChange[], overflow: boolean): Promise<void> {
      if (overflow || changes.some(({ path }) => nameOf(path) === '.gitignore')) return this.refresh()
      const { folders } = useTree.getState()
      const touched = new Set<string>()
      for (const { path, change, directory } of changes) {
        if (change === 'deleted' && directory) forgetFolder(path)
        if (change !== 'changed' && folders[parentOf(path)]) touched.add(parentOf(path))
      }
      await Promise.all([...touched].map((path) => read(path)))
    },

    reset(expanded: readonly string[] = []): void {
      useTree.setState({ ...emptyTree, expanded: new Set(expanded) })
    },
  }
}

/** The file tree of this window. */
export const tree = createTree(request)

/** Entry at a path; undefined if its folder is not loaded. */
export function entryOf(path: string | null): FileEntry | undefined {
  return path === null
    ? undefined
    : useTree.getState().folders[parentOf(path)]?.entries.find((entry) => entry.path === path)
}
