import { isGenerated } from './generatedFolders.ts'
import type { ListedEntry } from './folderListing.ts'
import type { Entry, Tree } from './entries.ts'

/** A folder whose entries all had a certain state when it was listed. */
export interface KnownFolder {
  /** Digest of the listing. */
  digest: string
  /** Paths of the recorded entries, and what was recorded. */
  places: readonly string[]
  entries: readonly Entry[]
  /** Number of stored files. */
  files: number
}

/** Folders as the latest scans recorded them, by path. A folder with an unchanged listing has the same entries. */
export type KnownFolders = Map<string, KnownFolder>

/** An entry of a listing that a scan recorded. */
export interface RecordedEntry {
  place: string
  listed: ListedEntry['entry']
}

/**
 * Returns a folder for later scans; undefined if a later scan could record other entries for the same listing.
 * @param recorded the entries of the listing that are recorded
 * @param maxBytes maximum size of a stored file
 */
export function knownFolder(
  digest: string,
  recorded: readonly RecordedEntry[],
  tree: Pick<Tree, 'get'>,
  maxBytes: number,
): KnownFolder | undefined {
  const entries: Entry[] = []
  for (const { place, listed } of recorded) {
    const entry = tree.get(place)
    if (!entry || !isCertain(listed, entry, maxBytes)) return undefined
    entries.push(entry)
  }
  const files = entries.filter(({ kind }) => kind === 'file').length
  return { digest, places: recorded.map(({ place }) => place), entries, files }
}

/** Whether the entry depends on nothing but the listing. */
function isCertain(listed: ListedEntry['entry'], entry: Entry, maxBytes: number): boolean {
  switch (listed.kind) {
    case 'file':
      // A file that changed when it was read has no stamp, or another one.
      return entry.kind === 'file' ? entry.stamp === listed.stamp : entry.kind === 'omitted' && listed.size > maxBytes
    case 'link':
      return entry.kind === 'link' && entry.target === listed.target
    case 'folder':
      // One that cannot be read or is a cache may be different the next time, without a change of its parent.
      return entry.kind === 'folder' || isGenerated(entry.name)
    case 'special':
      return entry.kind === 'omitted'
    default:
      return false
  }
}
