import { parentFolders } from '../../base/parentFolders.ts'
import type { Entry, Tree } from './entries.ts'
import { walkTree, type WalkDeps, type WalkResult } from './walkTree.ts'

/** The state of a workspace whose later changes are known. */
export interface WatchedState {
  tree: Tree
  /** See `WatchingReader.changesSince`. */
  time: number
}

/**
 * Scans the whole workspace, or only the changes since an earlier scan if these are known.
 * @param earlier its blobs must still be stored
 * @param tree receives the entries of a full scan
 * @throws like `walkTree`
 */
export async function scanWorkspace(
  deps: WalkDeps,
  earlier: WatchedState | undefined,
  tree: Tree = new Map(),
): Promise<WalkResult> {
  const changes = earlier && (await deps.thread?.changesSince(earlier.time))
  deps.signal?.throwIfAborted()
  if (!earlier || !changes?.paths) return walkTree(deps, undefined, tree)
  const paths = outermost(changes.paths.map((place) => recordedPlace(earlier.tree, place)))
  const found = await walkTree({ ...deps, before: earlier.tree, isWatched: true }, paths)
  const now = withChanges(earlier.tree, paths, found.tree)
  // Which files exceed the limit depends on all other files.
  if (now.size > deps.limits.files && countFiles(now) > deps.limits.files) return walkTree(deps, undefined, tree)
  return { tree: now, hashed: found.hashed, time: found.isPassing ? undefined : changes.time, losses: deps.losses }
}

/** Returns a path, or its omitted parent folder, which decides whether the path is recorded. */
function recordedPlace(tree: Tree, place: string): string {
  return parentFolders(place).find((parent) => !isFolder(tree.get(parent))) ?? place
}

/** Drops paths inside others, which decide whether they are recorded. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return [...all].filter((place) => !parentFolders(place).some((parent) => all.has(parent)))
}

function countFiles(tree: Tree): number {
  let count = 0
  for (const { kind } of tree.values()) if (kind === 'file') count += 1
  return count
}

/**
 * Returns a tree with the new state of some paths; the same tree if nothing differs.
 * @param found these paths, everything inside them and their parent folders, as far as they exist
 */
function withChanges(tree: Tree, paths: readonly string[], found: Tree): Tree {
  const changed = paths.map((place) => parentFolders(place).find((parent) => !isFolder(found.get(parent))) ?? place)
  if (changed.every((place) => !isFolder(tree.get(place)) && tree.get(place) === found.get(place))) return tree
  const replaced = new Set(changed)
  const next: Tree = new Map(tree)
  if (changed.some((place) => isFolder(tree.get(place)))) {
    for (const place of tree.keys()) if (parentFolders(place).some((parent) => replaced.has(parent))) next.delete(place)
  }
  // Added again after their parent folders.
  for (const place of changed) next.delete(place)
  // The hash of a folder with changes belongs to this tree.
  for (const [place, entry] of found) next.set(place, entry.kind === 'folder' ? { ...entry, hash: '' } : entry)
  return next
}

function isFolder(entry: Entry | undefined): boolean {
  return entry?.kind === 'folder'
}
