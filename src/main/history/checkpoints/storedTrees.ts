import { hashFolders } from './hashFolders.ts'
import { isWithin, type Entry, type Tree } from './entries.ts'
import type { Manifests } from './manifests.ts'

/** A stored state of the workspace or of some paths: a stored tree, and the entries that differ from it. */
export interface StoredTree {
  /** Hash of the tree's root folder. Absent if all entries are in `entries`. */
  root?: string | undefined
  /** Differing entries by path. Null if missing. */
  entries: Record<string, Entry | null>
}

/** Stores file states that are not checkpoints. Clean-up keeps those that the review of a running call references. */
export interface StoredTrees {
  /**
   * Stores a state whose blobs are already stored. A large one is stored as a difference from the last known tree.
   * Store the reference to it at once, or clean-up could delete it.
   * @param paths the paths that the state is limited to; undefined for the whole workspace
   */
  store(tree: Tree, paths: readonly string[] | undefined): Promise<StoredTree>
  /** Returns a state, which may have entries outside its paths. @throws ToolError `not_found` if it was deleted */
  read(stored: StoredTree): Promise<Tree>
}

/** Maximum number of entries stored without a tree. */
const maxEntries = 500

/** The stored trees of one workspace. Knows the last tree whose folders are stored. */
export function createStoredTrees(
  manifests: Pick<Manifests, 'addFolders' | 'hasFolder' | 'tree'>,
): StoredTrees & { known(tree: Tree, root: string): void } {
  let base: { tree: Tree; root: string } | undefined

  return {
    known(tree, root) {
      base = { tree, root }
    },
    async store(tree, paths) {
      if (tree.size <= maxEntries) return { entries: Object.fromEntries(tree) }
      const entries = base && manifests.hasFolder(base.root) ? differingEntries(base.tree, tree, paths) : null
      if (base && entries) return { root: base.root, entries }
      // Copies of folders, because a checkpoint being stored sets their hashes too.
      const copy: Tree = new Map(
        [...tree].map(([path, entry]) => [path, entry.kind === 'folder' ? { ...entry, hash: '' } : entry]),
      )
      const { top, folders } = await hashFolders(copy, new Map())
      await manifests.addFolders(folders)
      if (paths === undefined) base = { tree, root: top }
      return { root: top, entries: {} }
    },
    async read({ root, entries }) {
      const tree: Tree = root === undefined ? new Map() : await manifests.tree(root)
      for (const [path, entry] of Object.entries(entries)) {
        if (entry) tree.set(path, entry)
        else tree.delete(path)
      }
      return tree
    },
  }
}

/** Returns the difference from a tree of the whole workspace; null if it is too large. */
function differingEntries(base: Tree, tree: Tree, paths: readonly string[] | undefined): StoredTree['entries'] | null {
  const entries: StoredTree['entries'] = {}
  let differing = 0
  let common = 0
  const add = (path: string, entry: Entry | null): boolean => {
    entries[path] = entry
    differing += 1
    return differing <= maxEntries
  }
  for (const [path, entry] of tree) {
    const old = base.get(path)
    if (old) common += 1
    // A folder's hash depends on its entries, which are compared themselves.
    const isSame = old === entry || (old?.kind === 'folder' && entry.kind === 'folder')
    if (!isSame && !add(path, entry)) return null
  }
  if (common < base.size)
    for (const path of base.keys()) if (!tree.has(path) && isWithin(path, paths) && !add(path, null)) return null
  return entries
}
