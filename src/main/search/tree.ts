import { opendir } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { Ripgrep } from './ripgrep.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { listFiles } from './fileSearch.ts'
import { ignoreFlags } from './ignoreFlags.ts'
import { asArgument, byText, checkCancelled, resolveFolder } from './scope.ts'
import type { SearchCall, SearchParts } from './query.ts'

export interface TreeQuery {
  /** Folder to start from, default the workspace. */
  path?: string
  /** 1: only what lies directly in it. */
  depth: number
  /** Folders of these names are not listed. */
  skip: ReadonlySet<string>
}

export interface TreeNode {
  name: string
  /** Relative to the workspace. */
  path: string
  type: 'file' | 'directory' | 'symlink'
  /** What lies in it: folders first, then by name. Only for folders above the depth. */
  folder?: TreeFolder
}

export interface TreeFolder {
  nodes: TreeNode[]
  /** Why it could not be listed. */
  unreadable?: string
}

export interface Tree {
  /** Relative to the workspace. */
  path: string
  absolute: string
  root: TreeFolder
  /** Entries down to the depth. */
  total: number
  /** The tree is larger than what is ever walked. */
  atLeast: boolean
  /** Folders left out because of their name, relative to the workspace. */
  skipped: string[]
}

/** Entries walked at most; what a tool shows is far less. */
const maxEntries = 100_000
/** How long the deeper look takes at most that tells an ignored folder from one whose files lie further down, in milliseconds. */
const deepLookMs = 2000

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/**
 * Files and folders down to a depth, hidden and ignored ones left out, symlinks shown but not followed. What is ignored is what
 * ripgrep does not list, so that a listing and a search agree.
 */
export async function listTree(parts: SearchParts, query: TreeQuery, { signal }: SearchCall): Promise<Tree> {
  checkCancelled(signal)
  const start = await resolveFolder(parts.workspace, query.path ?? '.')
  const visible = await VisiblePaths.read(parts, start.relative, query.depth, signal)
  const tree: Tree = { path: start.relative, absolute: start.absolute, root: { nodes: [] }, total: 0, atLeast: false, skipped: [] }

  let level = [{ path: start.relative, folder: tree.root }]
  for (let depth = 1; depth <= query.depth && level.length > 0; depth++) {
    const listed: TreeNode[] = []
    for (let i = 0; i < level.length; i += 32) {
      checkCancelled(signal)
      const found = await Promise.all(level.slice(i, i + 32).map((at) => list(at.path, at.folder)))
      // Not as arguments of one call: a folder may hold more entries than a call takes.
      for (const node of found.flat()) listed.push(node)
    }
    await visible.lookDeeper(listed.filter((node) => node.type === 'directory').map((node) => node.path))
    for (const { folder } of level) {
      folder.nodes = folder.nodes.filter((node) => node.type !== 'directory' || visible.isFolderVisible(node.path)).toSorted(order)
      tree.total += folder.nodes.length
    }
    const folders = level.flatMap(({ folder }) => folder.nodes).filter((node) => node.type === 'directory')
    level = depth === query.depth || tree.atLeast ? [] : folders.map((node) => ({ path: node.path, folder: (node.folder = { nodes: [] }) }))
  }
  checkCancelled(signal)
  if (tree.root.unreadable !== undefined) {
    throw new ToolError('permission_denied', `"${tree.path}" cannot be listed: ${tree.root.unreadable}.`, 'Ask the user to change the permissions, or list another folder.')
  }
  tree.skipped = tree.skipped.toSorted(byText)
  return tree

  /** Reads one folder into `folder.nodes`; ignored folders are taken out once it is known which they are. */
  async function list(at: string, folder: TreeFolder): Promise<TreeNode[]> {
    try {
      for await (const entry of await opendir(path.join(parts.workspace.root, at))) {
        if (entry.name.startsWith('.')) continue
        const child = at === '.' ? entry.name : `${at}/${entry.name}`
        if (entry.isDirectory()) {
          if (query.skip.has(entry.name)) tree.skipped.push(child)
          else folder.nodes.push({ name: entry.name, path: child, type: 'directory' })
        } else if (entry.isSymbolicLink()) folder.nodes.push({ name: entry.name, path: child, type: 'symlink' })
        else if (entry.isFile() && visible.isFileVisible(child)) folder.nodes.push({ name: entry.name, path: child, type: 'file' })
        if (tree.total + folder.nodes.length >= maxEntries) {
          tree.atLeast = true
          break
        }
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
      folder.unreadable = error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : error.message
    }
    return folder.nodes
  }
}

function order(a: TreeNode, b: TreeNode): number {
  return Number(b.type === 'directory') - Number(a.type === 'directory') || byName.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
}

/** Which files and folders ripgrep sees below a folder. */
class VisiblePaths {
  readonly #files: ReadonlySet<string>
  readonly #folders: Set<string>
  readonly #lookFor: (folders: Set<string>) => Promise<void>
  /** Folders found empty or unreadable: nothing in them can be ignored. */
  readonly #plain = new Set<string>()
  readonly #root: string

  private constructor(root: string, files: ReadonlySet<string>, folders: Set<string>, lookFor: (folders: Set<string>) => Promise<void>) {
    this.#root = root
    this.#files = files
    this.#folders = folders
    this.#lookFor = lookFor
  }

  static async read(parts: { workspace: Workspace; ripgrep: Ripgrep }, start: string, depth: number, signal: AbortSignal): Promise<VisiblePaths> {
    const flags = await ignoreFlags(parts.workspace.root)
    const files = new Set<string>()
    const folders = new Set<string>()
    const run = (depthFlags: string[], untilAborted: AbortSignal, use: (file: string) => boolean): Promise<unknown> =>
      listFiles(parts, [...flags, ...depthFlags, '--', asArgument(start)], untilAborted, (listed) => listed.every((file) => use(file.slice(2))))
    await run([`--max-depth=${depth + 1}`], signal, (file) => {
      files.add(file)
      addParents(file, folders)
      return files.size < maxEntries
    })
    return new VisiblePaths(parts.workspace.root, files, folders, async (wanted) => {
      await run([], AbortSignal.any([signal, AbortSignal.timeout(deepLookMs)]), (file) => {
        for (const folder of addParents(file, folders)) wanted.delete(folder)
        return wanted.size > 0
      })
    })
  }

  isFileVisible(file: string): boolean {
    return this.#files.has(file)
  }

  isFolderVisible(folder: string): boolean {
    return this.#folders.has(folder) || this.#plain.has(folder)
  }

  /** Settles folders in which no visible file was seen so far: it may lie deeper, or the folder is empty, or ignored. */
  async lookDeeper(folders: string[]): Promise<void> {
    const unknown = new Set(folders.filter((folder) => !this.isFolderVisible(folder)))
    for (const folder of unknown) {
      if (!(await isPlain(path.join(this.#root, folder)))) continue
      this.#plain.add(folder)
      unknown.delete(folder)
    }
    if (unknown.size > 0) await this.#lookFor(unknown)
  }
}

/** Adds every folder on the way to a file. @returns those that were new */
function addParents(file: string, folders: Set<string>): string[] {
  const added: string[] = []
  for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
    const folder = file.slice(0, end)
    if (folders.has(folder)) break
    folders.add(folder)
    added.push(folder)
  }
  return added
}

async function isPlain(absolute: string): Promise<boolean> {
  try {
    const folder = await opendir(absolute)
    try {
      return (await folder.read()) === null
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return true
    throw error
  }
}
