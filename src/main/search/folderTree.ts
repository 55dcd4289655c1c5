import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ToolError } from '../../shared/errors.ts'
import { searchRulesFor, type FolderRules } from '../base/ignoreRules.ts'
import { absoluteIn, folderOf, topFolders, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { SearchCall, SearchDeps } from './searchQuery.ts'
import { compareCodeUnits, createNameComparer } from '../base/nameOrder.ts'
import { checkCancelled, resolveFolder } from './searchScope.ts'

/** Parameters of a folder tree. */
export interface TreeQuery {
  /** Start folder, default the workspace. */
  path?: string
  /** Number of levels; 1 lists only direct children. */
  depth: number
  /** Names of folders to exclude. */
  skip: ReadonlySet<string>
}

/** A file or folder in a tree. */
export interface TreeNode {
  name: string
  /** Relative to the workspace. */
  path: string
  type: 'file' | 'directory' | 'symlink'
  /** Children of a folder above the maximum depth: folders first, then by name. */
  folder?: TreeFolder
}

/** The children of a folder in a tree. */
export interface TreeFolder {
  nodes: TreeNode[]
  /** Why the folder cannot be listed; undefined if it can. */
  unreadable?: string
}

/** The files and folders of a start folder. */
export interface Tree {
  /** Relative to the workspace. */
  path: string
  /** `.` for the folders of a multi-root workspace. */
  absolute: string
  root: TreeFolder
  /** Number of entries down to the depth. */
  total: number
  /** Whether listing stopped at the maximum, so that there are more than `total` entries. */
  totalIsMinimum: boolean
  /** Folders excluded by name, relative to the workspace. */
  skipped: string[]
}

/** Maximum number of entries visited. Tools show far fewer. */
const maxEntries = 100_000
/** Number of folders read concurrently. */
const maxOpen = 32
/** Milliseconds that a listing runs before yielding to other work. */
const yieldInterval = 20

const compareNames = createNameComparer({ numeric: true, sensitivity: 'base' })

/** A folder to be listed. */
interface Visit {
  path: string
  folder: TreeFolder
  rules(has: (name: string) => boolean): Promise<FolderRules>
}

/**
 * Lists files and folders down to a depth. Excludes hidden and ignored entries; lists symlinks but does not follow
 * them. The ignore rules are those of a search and do not apply to the start folder itself. The order is deterministic.
 */
export async function listTree(
  deps: Pick<SearchDeps, 'workspace'>,
  query: TreeQuery,
  { signal }: SearchCall,
): Promise<Tree> {
  checkCancelled(signal)
  const { workspace } = deps
  const start = await resolveFolder(deps.workspace, query.path ?? '.')
  const tree = emptyTree(start, workspace)
  const isRoots = workspace.folders !== undefined && start.relative === '.'
  let level: Visit[] = isRoots
    ? listRoots(workspace, tree, query.depth > 1)
    : [visitOf(workspace, start.relative, tree.root)]
  for (let depth = isRoots ? 2 : 1; depth <= query.depth && level.length > 0; depth++) {
    const next: Visit[] = []
    for (let i = 0; i < level.length && !tree.totalIsMinimum; i += maxOpen) {
      checkCancelled(signal)
      const visits = level.slice(i, i + maxOpen)
      const read = await Promise.all(visits.map(({ path: at }) => readEntries(absoluteIn(workspace, at))))
      for (const [index, visit] of visits.entries()) await list(visit, read[index] ?? { entries: [] }, next)
    }
    level = depth === query.depth || tree.totalIsMinimum ? [] : next
  }
  checkCancelled(signal)
  if (tree.root.unreadable !== undefined) {
    throw new ToolError(
      'permission_denied',
      `"${tree.path}" cannot be listed: ${tree.root.unreadable}.`,
      'Ask the user to change the permissions, or list another folder.',
    )
  }
  tree.skipped = tree.skipped.toSorted(compareCodeUnits)
  return tree

  /** Lists one folder and adds its subfolders to the next level. */
  async function list(visit: Visit, { entries, unreadable }: ReadFolder, next: Visit[]): Promise<void> {
    const { folder } = visit
    if (unreadable !== undefined) folder.unreadable = unreadable
    const present = new Set(entries.map(({ name }) => name))
    const rules = await visit.rules((name) => present.has(name))
    let since = performance.now()
    for (const entry of entries) {
      const node = toNode(visit.path, entry)
      if (node === undefined || deps.workspace.isOwnData(node.path)) continue
      if (node.type === 'directory' && query.skip.has(entry.name)) tree.skipped.push(node.path)
      else if (!rules.ignores(entry.name, entry.isDirectory())) folder.nodes.push(node)
      if (performance.now() - since < yieldInterval) continue
      await nextTurn()
      checkCancelled(signal)
      since = performance.now()
    }
    folder.nodes = folder.nodes.toSorted(order)
    if (tree.total + folder.nodes.length > maxEntries) {
      folder.nodes.length = maxEntries - tree.total
      tree.totalIsMinimum = true
    }
    tree.total += folder.nodes.length
    for (const node of folder.nodes) {
      if (node.type === 'directory')
        next.push({
          path: node.path,
          folder: (node.folder = { nodes: [] }),
          rules: (has) => rules.enter(node.name, has),
        })
    }
  }
}

/** Lists the folders of a multi-root workspace. @returns the visits of them */
function listRoots(workspace: WorkspaceRoots, tree: Tree, deeper: boolean): Visit[] {
  return topFolders(workspace).map((name) => {
    const folder: TreeFolder = { nodes: [] }
    tree.root.nodes.push({ name, path: name, type: 'directory', ...(deeper && { folder }) })
    tree.total += 1
    return visitOf(workspace, name, folder)
  })
}

function visitOf(workspace: WorkspaceRoots, relative: string, folder: TreeFolder): Visit {
  const place = folderOf(workspace, relative)
  return {
    path: relative,
    folder,
    rules: () => searchRulesFor(place?.absolute ?? workspace.root, place?.inside ?? relative),
  }
}

function toNode(folder: string, entry: Dirent): TreeNode | undefined {
  if (entry.name.startsWith('.')) return undefined
  const type = entry.isDirectory()
    ? 'directory'
    : entry.isSymbolicLink()
      ? 'symlink'
      : entry.isFile()
        ? 'file'
        : undefined
  return type && { name: entry.name, path: folder === '.' ? entry.name : `${folder}/${entry.name}`, type }
}

interface ReadFolder {
  entries: Dirent[]
  unreadable?: string
}

/** Reads the entries of a folder, including hidden ones, up to a maximum. */
async function readEntries(absolute: string): Promise<ReadFolder> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(absolute)) {
      entries.push(entry)
      // Twice the maximum, because hidden and ignored entries are read but not listed.
      if (entries.length >= 2 * maxEntries) break
    }
    return { entries }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    return {
      entries,
      unreadable: error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : error.message,
    }
  }
}

function order(a: TreeNode, b: TreeNode): number {
  return (
    Number(b.type === 'directory') - Number(a.type === 'directory') ||
    compareNames(a.name, b.name) ||
    (a.name < b.name ? -1 : 1)
  )
}

/** Creates the tree of a start folder, without entries. */
export function emptyTree(
  { relative, absolute }: { relative: string; absolute: string },
  { folders }: Pick<WorkspaceRoots, 'folders'>,
): Tree {
  // The folder with the links means nothing to a model.
  const shown = folders && relative === '.' ? relative : absolute
  return { path: relative, absolute: shown, root: { nodes: [] }, total: 0, totalIsMinimum: false, skipped: [] }
}
