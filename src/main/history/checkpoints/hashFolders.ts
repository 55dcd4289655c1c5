import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entry, Tree } from './entries.ts'
import { serializeFolder } from './manifests.ts'
import { groupByFolder } from './entries.ts'

/** Folder hashes by path, with the entries that they were computed from. */
export type HashedFolders = Map<string, { entries: readonly Entry[]; hash: string }>

/** Number of folders hashed before yielding to other work. */
const foldersAtOnce = 50

/**
 * Sets the hash of each folder in `tree`, innermost first.
 * @param earlier hashes of the last checkpoint, reused for equal folders and then replaced
 * @returns the hash of the workspace itself, and the serialized entries of each folder by hash
 */
export async function hashFolders(
  tree: Tree,
  earlier: HashedFolders,
): Promise<{ top: string; folders: Map<string, () => string> }> {
  const children = groupByFolder(tree)
  const folders = new Map<string, () => string>()
  const hashed: HashedFolders = new Map()
  const places = [...children.keys()].map((place) => ({ place, depth: place === '.' ? 0 : place.split('/').length }))
  let top = ''
  for (const [index, { place }] of places.toSorted((a, b) => b.depth - a.depth).entries()) {
    if (index % foldersAtOnce === 0) await nextTurn()
    const entries = children.get(place) ?? []
    const known = earlier.get(place)
    top = known && isEqual(known.entries, entries) ? known.hash : serializeFolder(entries).hash
    // Copies of folders, because a later checkpoint of some paths may set another hash.
    hashed.set(place, { entries: entries.map((entry) => (entry.kind === 'folder' ? { ...entry } : entry)), hash: top })
    folders.set(top, () => serializeFolder(entries).entries)
    const entry = tree.get(place)
    if (entry?.kind === 'folder') entry.hash = top
  }
  earlier.clear()
  for (const [place, folder] of hashed) earlier.set(place, folder)
  return { top, folders }
}

/** Whether two folders have the same entries in the same order. Unchanged entries are the same objects. */
function isEqual(one: readonly Entry[], other: readonly Entry[]): boolean {
  return one.length === other.length && one.every((entry, index) => isSame(entry, other[index]))
}

function isSame(one: Entry, other: Entry | undefined): boolean {
  if (one === other) return true
  return one.kind === 'folder' && other?.kind === 'folder' && one.name === other.name && one.hash === other.hash
}
