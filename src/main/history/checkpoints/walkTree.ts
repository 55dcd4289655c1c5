import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ToolError } from '../../../shared/errors.ts'
import { isTopFolder, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { parentFolders } from '../../base/parentFolders.ts'
import { childPath, type Tree } from './entries.ts'
import { cacheMarker } from './generatedFolders.ts'
import { listedEntries, type FolderListing, type ListedEntry } from './folderListing.ts'
import { knownFolder, type KnownFolder, type KnownFolders, type RecordedEntry } from './knownFolders.ts'
import { createEntryReader, type EntryReader } from './readEntries.ts'
import { refuseMissingFolders, type FolderDevices } from './presentRoot.ts'
import type { WatchingReader } from './readingThreads.ts'
import { isMissing, TreeRecorder, type RecorderDeps } from './treeRecorder.ts'
import type { Changes } from './watchedFolders.ts'

export interface WalkDeps extends RecorderDeps {
  workspace: WorkspaceRoots
  /** See `refuseMissingFolders`. */
  devices?: FolderDevices
  /** Whether a name belongs to a write in progress. Such files are not recorded. */
  isTransient(name: string): boolean
  /** Whether a path relative to the root is part of Tizona's own data, which is not recorded. */
  isOwnData?(place: string): boolean
  /** `Blobs.losses` when the scan began. */
  losses?: number | undefined
  /** Folders of earlier scans. The scan reuses those with an unchanged listing, and updates the map. */
  folders?: KnownFolders
  /** Reads many entries, in a thread. If undefined, this thread reads all. */
  thread?: WatchingReader
  /** Whether the thread lists every folder even in a small scan, so that it is watched. */
  isWatched?: boolean
}

export interface WalkResult {
  tree: Tree
  /** Number of files read and hashed. */
  hashed: number
  /** Time for `WatchingReader.changesSince`, if later changes of this state are known. */
  time?: number
  /** `Blobs.losses` when the scan began. If it has grown, blobs that the scan did not read may be missing. */
  losses?: number | undefined
  /** Whether entries were omitted for a reason that may pass without a change of the workspace. */
  isPassing?: boolean
}

/** Name of git's own data: a folder, or a file in a submodule or worktree. */
const gitData = '.git'
/** Number of entries from which a scan uses a thread. Starting one takes as long as reading a few hundred files. */
const entriesInThisThread = 500
/** Number of folders per request to the reader, and maximum number of unfinished requests. */
const foldersAtOnce = 8
const concurrentLists = 3
/** Number of changed entries processed before yielding to other work. */
const entriesAtOnce = 256

/**
 * Scans the workspace, or `paths` and everything inside them. Does not follow links. Skips entries deleted in the
 * meantime; records unreadable, large and special files as omitted.
 * @param tree receives the entries
 * @throws AbortError, errors of `contents`, and ToolError if the workspace folder has disappeared
 */
export async function walkTree(
  deps: WalkDeps,
  paths: readonly string[] = ['.'],
  tree: Tree = new Map(),
): Promise<WalkResult> {
  const walk = new TreeWalk(deps, tree)
  for (const place of paths) await walk.add(place)
  // Checked afterwards, because the folder may disappear during the scan.
  await refuseMissingFolders(deps.workspace, deps.devices)
  await deps.contents.flush()
  walk.rememberFolders(paths.includes('.'))
  const { hashed, isPassing } = walk.recorder
  return { tree, hashed, time: await walk.watchedSince(), losses: deps.losses, isPassing }
}

/** A folder, with the state whose digest its listing is compared with. Another scan may replace it in the meantime. */
interface FolderToList {
  place: string
  known: KnownFolder | undefined
}

/** A folder whose listing differs from earlier scans. */
interface ListedFolder {
  place: string
  digest: string
  recorded: RecordedEntry[]
}

class TreeWalk {
  readonly recorder: TreeRecorder
  readonly #deps: WalkDeps
  readonly #inThisThread: EntryReader
  /** Whether the scan will find many entries, as an earlier one did. */
  #isLarge = false
  /** What the thread reports before its listings. */
  #watched: Promise<Changes | undefined> | undefined
  /** Number of entries found. */
  #entries = 0
  readonly #listing = new Set<Promise<void>>()
  readonly #listed: ListedFolder[] = []
  /** Digests of the folders listed in this thread; undefined if one cannot be read. */
  readonly #listedHere = new Map<string, string | undefined>()

  constructor(deps: WalkDeps, tree: Tree) {
    this.#deps = deps
    this.#isLarge = deps.isWatched ?? false
    this.#inThisThread = createEntryReader(deps.workspace)
    this.recorder = new TreeRecorder(deps, tree, () => this.#reader())
  }

  /** Records a path, its parent folders and everything inside it. */
  async add(place: string): Promise<void> {
    try {
      if (place === '.') {
        this.#isLarge ||= countEntries(this.#deps.folders) > entriesInThisThread
        await this.#addFolders(['.'])
      } else if ((await this.#addParents(place)) && (await this.#addPlace(place))) await this.#addFolders([place])
      await this.recorder.finish()
    } finally {
      // Nothing is being read once the scan has ended or failed.
      await Promise.allSettled([...this.#listing, this.recorder.settled()])
    }
  }

  /** @returns whether all parents are folders. A link could lead outside the workspace */
  async #addParents(place: string): Promise<boolean> {
    for (const parent of parentFolders(place)) {
      if (this.recorder.tree.get(parent)?.kind === 'folder') continue
      if (!(await this.#addPlace(parent))) return false
    }
    return true
  }

  /** Records everything inside folders. The order of entries does not depend on the reader. */
  async #addFolders(folders: readonly string[]): Promise<void> {
    const waiting = [...folders]
    const lists: { group: FolderToList[]; listings: Promise<FolderListing[]> }[] = []
    for (let next = 0; next < waiting.length || lists.length > 0;) {
      this.#deps.signal?.throwIfAborted()
      while (next < waiting.length && lists.length < concurrentLists) {
        // One folder at a time in this thread, because its number of entries is unknown.
        const count = this.#reader() === this.#inThisThread ? 1 : foldersAtOnce
        const group = waiting
          .slice(next, next + count)
          .map((place) => ({ place, known: this.#deps.folders?.get(place) }))
        next += group.length
        lists.push({ group, listings: this.#list(group) })
      }
      const { group, listings } = lists.shift() ?? { group: [], listings: [] }
      for (const [index, listing] of (await listings).entries()) {
        const { place = '', known } = group[index] ?? {}
        this.#deps.signal?.throwIfAborted()
        const unchanged = listing.kind === 'unchanged' ? known && (await this.#addUnchanged(known)) : undefined
        waiting.push(...(unchanged ?? (await this.#addListed(place, listing))))
      }
      await nextTurn()
    }
  }

  async #listNow(folders: readonly FolderToList[]): Promise<FolderListing[]> {
    const reader = this.#reader()
    if (reader === this.#deps.thread) await (this.#watched ??= this.#deps.thread.changesSince(undefined))
    const listings = await reader.list(folders.map(({ place, known }) => ({ place, known: known?.digest })))
    if (reader === this.#inThisThread) {
      for (const [index, listing] of listings.entries()) {
        const { place = '', known } = folders[index] ?? {}
        this.#listedHere.set(place, listing.kind === 'unchanged' ? known?.digest : digestOf(listing))
      }
    }
    return listings
  }

  #list(folders: readonly FolderToList[]): Promise<FolderListing[]> {
    const listings = this.#listNow(folders)
    const ended = listings.then(
      () => void this.#listing.delete(ended),
      () => void this.#listing.delete(ended),
    )
    this.#listing.add(ended)
    return listings
  }

  async #addUnchanged(known: KnownFolder): Promise<string[] | undefined> {
    const folders = await this.recorder.addKnown(known)
    if (folders) this.#entries += known.places.length
    return folders
  }

  /** Records the entries of a folder. Omits unreadable folders and caches. */
  async #addListed(folder: string, given: FolderListing): Promise<string[]> {
    // An unchanged folder that cannot be reused is listed again with its entries.
    const listing = given.kind === 'unchanged' ? (await this.#reader().list([{ place: folder }]))[0] : given
    if (listing?.kind === 'failed' && folder === '.') {
      await refuseMissingFolders(this.#deps.workspace, this.#deps.devices)
      throw new ToolError(
        'io_error',
        `The open folder cannot be read: the system reports ${listing.code}.`,
        'Ask the user to check the folder and its disk.',
      )
    }
    if (listing?.kind === 'failed' && isMissing(listing.code)) this.recorder.tree.delete(folder)
    else if (listing?.kind === 'failed') this.recorder.omitFailed(folder, listing.code)
    if (listing?.kind !== 'listed') return []
    const entries = listedEntries(listing.text)
    this.#entries += entries.length
    const isTop = folder === '.' || isTopFolder(this.#deps.workspace, folder)
    if (!isTop && entries.some(({ name }) => name === cacheMarker)) {
      this.recorder.omit(folder, `Its ${cacheMarker} marks it as a cache.`)
      return []
    }
    return this.#addChanged(folder, listing.digest, entries)
  }

  async #addChanged(folder: string, digest: string, entries: readonly ListedEntry[]): Promise<string[]> {
    const recorded: RecordedEntry[] = []
    const folders: string[] = []
    let certain = true
    for (const [index, { name, entry }] of entries.entries()) {
      if (index % entriesAtOnce === entriesAtOnce - 1) {
        await nextTurn()
        this.#deps.signal?.throwIfAborted()
      }
      const place = childPath(folder, name)
      if (!this.#isRecorded(place)) {
        // Of the names above, only git's own data is never recorded.
        certain &&= name === gitData
        continue
      }
      recorded.push({ place, listed: entry })
      if (await this.recorder.add(place, entry)) folders.push(place)
    }
    if (certain) this.#listed.push({ place: folder, digest, recorded })
    return folders
  }

  /** Remembers the folders listed by this scan. @param whole whether it scanned the whole workspace */
  rememberFolders(whole: boolean): void {
    const { folders, limits } = this.#deps
    if (!folders || this.recorder.isLimited) return
    for (const { place, digest, recorded } of this.#listed) {
      const known = knownFolder(digest, recorded, this.recorder.tree, limits.fileBytes)
      if (known) folders.set(place, known)
      else folders.delete(place)
    }
    if (!whole) return
    for (const place of folders.keys())
      if (place !== '.' && this.recorder.tree.get(place)?.kind !== 'folder') folders.delete(place)
  }

  /** Returns the time since which the thread knows all changes; undefined if it does not. */
  async watchedSince(): Promise<number | undefined> {
    const changes = await this.#watched
    if (!changes || !this.#deps.thread || this.recorder.isLimited || this.recorder.isPassing) return undefined
    // This thread listed these folders before it was known that there are many.
    const others = [...this.#listedHere].map(([place, known]) => ({ place, known }))
    const again = await this.#deps.thread.list(others)
    const isSame = again.every(({ kind }) => kind === 'unchanged') && this.#isCertainHere()
    return isSame ? changes.time : undefined
  }

  /** Whether changes of all files listed in this thread would be noticed. */
  #isCertainHere(): boolean {
    for (const [place, entry] of this.recorder.tree)
      if (entry.kind === 'file' && entry.stamp === '' && this.#listedHere.has(path.posix.dirname(place))) return false
    return true
  }

  /** Reads many entries in a thread. */
  #reader(): EntryReader {
    return (this.#entries > entriesInThisThread || this.#isLarge ? this.#deps.thread : undefined) ?? this.#inThisThread
  }

  #isRecorded(place: string): boolean {
    const name = path.posix.basename(place)
    if (isTopFolder(this.#deps.workspace, place)) return true
    return name !== gitData && !this.#deps.isTransient(name) && !this.#deps.isOwnData?.(place)
  }

  /** Records a path. @returns whether it is a folder to be entered */
  async #addPlace(place: string): Promise<boolean> {
    const [entry] = this.#isRecorded(place) ? await this.#inThisThread.find([place]) : []
    return entry !== undefined && (await this.recorder.add(place, entry))
  }
}

function countEntries(folders: KnownFolders | undefined): number {
  let count = 0
  for (const { places } of folders?.values() ?? []) count += places.length
  return count
}

function digestOf(listing: FolderListing): string | undefined {
  return listing.kind === 'listed' ? listing.digest : undefined
}
