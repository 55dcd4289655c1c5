import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { childPath, isWithin, type Entry, type Tree } from './entries.ts'
import { cacheMarker, isGenerated } from './generatedFolders.ts'
import type { ContentBatch } from './packWriter.ts'
import { createEntryReader, failedEntry, type EntryReader, type FoundEntry } from './readEntries.ts'

/** Limits of a scan. */
export interface WalkLimits {
  /** Maximum size of a stored file in bytes. */
  fileBytes: number
  files: number
  /** Maximum number of bytes read by one scan. */
  readBytes: number
}

export interface WalkDeps {
  /** Real path of the workspace. */
  root: string
  limits: WalkLimits
  /** Whether a name belongs to a running write. Such files are not recorded. */
  isTransient(name: string): boolean
  /** Whether a path, relative to the root, is part of Tizona's own data. It is not recorded. */
  isOwnData?(place: string): boolean
  /** Earlier state. A file with the same size, times and inode is not read again. */
  before: Pick<Tree, 'get'>
  /** Receives the contents of files. Everything is stored when the scan ends. */
  contents: Pick<ContentBatch, 'has' | 'put' | 'flush'>
  /** Reads many entries, in a thread. If undefined, all are read in this one. */
  thread?: EntryReader
  signal?: AbortSignal
}

export interface WalkResult {
  tree: Tree
  /** Number of files read and hashed. */
  hashed: number
}

/** Number of entries from which a scan reads in a thread. Starting one takes as long as reading a few hundred files. */
const entriesInThisThread = 500
/** Number of folders listed concurrently. */
const concurrentFolders = 8
/** Limits of one request to the reader, so that the scan can be cancelled and uses little memory. */
const placesAtOnce = 256
const filesAtOnce = 64
const bytesAtOnce = 2 * 1024 * 1024
/** Number of requests for contents that are not finished yet. */
const concurrentReads = 3

/**
 * Scans the workspace, or `paths` and their content. Links are not followed. Entries deleted in the meantime are
 * skipped; unreadable and large files and special files are recorded as omitted.
 * @param tree receives the entries
 * @throws AbortError, and errors of `contents`
 */
export async function walkTree(
  deps: WalkDeps,
  paths: readonly string[] = ['.'],
  tree: Tree = new Map(),
): Promise<WalkResult> {
  const walk = new TreeWalk(deps, tree)
  for (const place of paths) await walk.add(place)
  await deps.contents.flush()
  return { tree: walk.tree, hashed: walk.hashed }
}

/** A file whose content must be read. */
interface ChangedFile {
  place: string
  mode: number
  size: number
}

class TreeWalk {
  readonly tree: Tree
  hashed = 0
  readonly #deps: WalkDeps
  readonly #inThisThread: EntryReader
  /** Number of entries found. */
  #entries = 0
  /** Number of recorded files. */
  #files = 0
  #bytesRead = 0
  #toRead: ChangedFile[] = []
  readonly #reading = new Set<Promise<void>>()

  constructor(deps: WalkDeps, tree: Tree) {
    this.#deps = deps
    this.tree = tree
    this.#inThisThread = createEntryReader(deps.root)
  }

  /** Records a path, its parent folders and its content. */
  async add(place: string): Promise<void> {
    try {
      if (place === '.') await this.#addFolders(['.'])
      else if (await this.#addParents(place)) await this.#addFolders(await this.#addEntries([place]))
      await this.#readFiles()
    } finally {
      // Nothing reads any more when the scan has ended or failed.
      await Promise.allSettled(this.#reading)
    }
  }

  /** @returns whether all parents are folders. A link could lead outside the workspace */
  async #addParents(place: string): Promise<boolean> {
    for (const parent of parentsOf(place)) {
      if (this.tree.get(parent)?.kind === 'folder') continue
      if ((await this.#addEntries([parent])).length === 0) return false
    }
    return true
  }

  /** Records the content of folders. */
  async #addFolders(folders: readonly string[]): Promise<void> {
    const waiting = [...folders]
    while (waiting.length > 0) {
      this.#deps.signal?.throwIfAborted()
      const listed = await Promise.all(waiting.splice(-concurrentFolders).map((folder) => this.#list(folder)))
      const places = listed.flat()
      this.#entries += places.length
      for (let at = 0; at < places.length; at += placesAtOnce) {
        this.#deps.signal?.throwIfAborted()
        waiting.push(...(await this.#addEntries(places.slice(at, at + placesAtOnce))))
      }
      await nextTurn()
    }
  }

  /** Returns the entries of a folder that may be recorded. Omits a folder that cannot be read, and caches. */
  async #list(folder: string): Promise<string[]> {
    try {
      const names = await readdir(path.join(this.#deps.root, folder))
      if (folder === '.' || !names.includes(cacheMarker)) return names.map((name) => childPath(folder, name))
      this.#omit(folder, `a cache, by its ${cacheMarker}`)
    } catch (error) {
      const { code } = failedEntry(error)
      if (isMissing(code)) this.tree.delete(folder)
      else this.#omit(folder, `the system reports ${code}`)
    }
    return []
  }

  /** Reads many entries in a thread. */
  #reader(): EntryReader {
    return (this.#entries > entriesInThisThread ? this.#deps.thread : undefined) ?? this.#inThisThread
  }

  #isRecorded(place: string): boolean {
    const name = path.posix.basename(place)
    // Excludes git's own data, which is a file in a submodule or worktree.
    return name !== '.git' && !this.#deps.isTransient(name) && !this.#deps.isOwnData?.(place)
  }

  /** @returns folders whose content must be added */
  async #addEntries(listed: readonly string[]): Promise<string[]> {
    const places = listed.filter((place) => this.#isRecorded(place))
    const found = await this.#reader().find(places)
    const folders: string[] = []
    for (const [index, place] of places.entries()) {
      const entry = found[index]
      const name = path.posix.basename(place)
      if (entry?.kind === 'link') this.tree.set(place, { kind: 'link', name, target: entry.target })
      else if (entry?.kind === 'special') this.#omit(place, 'it is a device, pipe or socket')
      else if (entry?.kind === 'failed') this.#omitFailed(place, entry.code)
      else if (entry?.kind === 'file') await this.#addFile(place, entry)
      else if (entry?.kind === 'folder' && isGenerated(name)) this.#omit(place, 'its content is generated by tools')
      else if (entry?.kind === 'folder') {
        this.tree.set(place, { kind: 'folder', name, hash: '' })
        folders.push(place)
      }
    }
    return folders
  }

  async #addFile(place: string, file: Extract<FoundEntry, { kind: 'file' }>): Promise<void> {
    const { limits } = this.#deps
    if (file.size > limits.fileBytes)
      return this.#omit(place, `larger than the maximum of ${limits.fileBytes} bytes per file`)
    if (this.#files >= limits.files) return this.#omit(place, `beyond the maximum of ${limits.files} files`)
    this.#files += 1
    const unchanged = await this.#unchangedEntry(place, file.stamp)
    if (unchanged) {
      this.tree.set(place, unchanged)
      return
    }
    if (this.#bytesRead + file.size > limits.readBytes)
      return this.#omit(place, `beyond the maximum of ${limits.readBytes} bytes per checkpoint`)
    this.#bytesRead += file.size
    this.#toRead.push({ place, mode: file.mode, size: file.size })
    const bytes = this.#toRead.reduce((sum, { size }) => sum + size, 0)
    if (this.#toRead.length < filesAtOnce && bytes < bytesAtOnce) return
    this.#startReading()
    while (this.#reading.size >= concurrentReads) await Promise.race(this.#reading)
  }

  #startReading(): void {
    const files = this.#toRead
    this.#toRead = []
    const reading = this.#read(files).then(() => void this.#reading.delete(reading))
    // A failure stays in the set, so that the next wait for it throws.
    reading.catch(() => undefined)
    this.#reading.add(reading)
  }

  /** Reads the files that remain, and waits for all. */
  async #readFiles(): Promise<void> {
    if (this.#toRead.length > 0) this.#startReading()
    await Promise.all(this.#reading)
  }

  async #read(files: readonly ChangedFile[]): Promise<void> {
    const { limits, contents, signal } = this.#deps
    signal?.throwIfAborted()
    const read = await this.#reader().read(
      files.map(({ place }) => place),
      limits.fileBytes,
    )
    for (const [index, { place, mode }] of files.entries()) {
      const file = read[index]
      if (file?.kind === 'replaced') this.#omit(place, 'it was replaced while it was read')
      else if (file?.kind === 'failed') this.#omitFailed(place, file.code)
      else if (file) {
        const { hash, content, stamp } = file
        await contents.put(hash, content)
        this.hashed += 1
        const name = path.posix.basename(place)
        this.tree.set(place, { kind: 'file', name, hash, mode, size: content.length, stamp })
      }
    }
  }

  /** Returns the earlier entry of a file that has not changed since and whose content is stored. */
  async #unchangedEntry(place: string, stamp: string): Promise<Entry | undefined> {
    const known = this.#deps.before.get(place)
    if (known?.kind !== 'file' || known.stamp === '' || known.stamp !== stamp) return undefined
    return (await this.#deps.contents.has(known.hash)) ? known : undefined
  }

  /** Omits an entry that cannot be read, unless it was deleted in the meantime. */
  #omitFailed(place: string, code: string): void {
    if (!isMissing(code)) this.#omit(place, `the system reports ${code}`)
  }

  #omit(place: string, why: string): void {
    this.tree.set(place, { kind: 'omitted', name: path.posix.basename(place), why })
  }
}

function isMissing(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Returns the parent folders of a path, outermost first, without the workspace itself. */
export function parentsOf(place: string): string[] {
  const names = place.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** Returns the entries of a tree within `paths`. */
export function entriesWithin(tree: Tree, paths: readonly string[] | undefined): Tree {
  return paths === undefined ? tree : new Map([...tree].filter(([place]) => isWithin(place, paths)))
}

/** Groups entries by the path of their folder. */
export function groupByFolder(tree: Tree): Map<string, Entry[]> {
  const folders = new Map<string, Entry[]>([['.', []]])
  for (const [place, entry] of tree) {
    if (entry.kind === 'folder') folders.set(place, folders.get(place) ?? [])
    const parent = path.posix.dirname(place)
    const siblings = folders.get(parent)
    if (siblings) siblings.push(entry)
    else folders.set(parent, [entry])
  }
  return folders
}
