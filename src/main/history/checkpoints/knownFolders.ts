import { isGenerated } from './generatedFolders.ts'
import type { ListedEntry } from './folderListing.ts'
import type { Entry, Tree } from './entries.ts'

/** A folder and the recorded state of its entries when it was listed. */
export interface KnownFolder {
  /** Digest of the listing. */
  digest: string
  /** Paths of the recorded entries, with what was recorded. */
  places: readonly string[]
  entries: readonly Entry[]
  /** Number of stored files. */
  files: number
}

/** Folders as recorded by the latest scans, by path. An unchanged listing means the same entries. */
export type KnownFolders = Map<string, KnownFolder>

/** An entry in a listing that a scan recorded. */
export interface RecordedEntry {
  place: string
  listed: ListedEntry['entry']
}

/**
 * Returns a folder for later scans; undefined if a later scan of the same listing could record different entries.
 * @param recorded the recorded entries of the listing
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

/** Whether the entry depends only on the listing. */
function isCertain(listed: ListedEntry['entry'], entry: Entry, maxBytes: number): boolean {
  switch (listed.kind) {
    case 'file':
      // A file that changed while it was read has no stamp, or another one.
      return entry.kind === 'file' ? entry.stamp === listed.stamp : entry.kind === 'omitted' && listed.size > maxBytes
    case 'link':
      return entry.kind === 'link' && entry.target === listed.target
    case 'folder':
      // A cache or an unreadable folder may be recorded differently next time, without a change of its parent.
      return entry.kind === 'folder' || isGenerated(entry.name)
    case 'special':
      return entry.kind === 'omitted'
    default:
      return false
  }
}
