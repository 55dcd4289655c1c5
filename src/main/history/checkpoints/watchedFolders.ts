import {
  lstatSync,
  readFileSync,
  statfsSync,
  type BigIntStats,
  closeSync,
  futimesSync,
  mkdtempSync,
  openSync,
  rmSync,
  watch,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { absoluteIn, folderPaths, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { createChangeLog } from './changeLog.ts'
import { childPath } from './entries.ts'
import { rootListing, type FolderListing } from './folderListing.ts'
import { createFolderWatches, maxEnded } from './folderWatches.ts'
import { listFolderSync } from './readEntriesSync.ts'
import { clockStepMs, isSameSurroundings, statsOf, surroundingsOf, type Surroundings } from './surroundings.ts'

/** What has changed in the listed folders. */
export interface Changes {
  /** Logical time when everything had been reported, for the next call. */
  time: number
  /** Paths of changed entries, or of their folders if uncertain; undefined if not all are known. */
  paths?: string[]
}

/** Lists folders, and watches them so that an unchanged one need not be listed again. Blocks its thread. */
export interface WatchedFolders {
  /**
   * Waits until every change so far has been reported, and returns those since an earlier time. Later listings are at
   * least as new as this call.
   *
   * inotify(7) reports the changes of all folders in one queue, so once a change to our own file is reported, all
   * earlier changes have been. It reports neither writes to a memory-mapped file, nor that a file gets another path
   * (hard link) in an unwatched folder, nor writes through that path.
   */
  changesSince(time: number | undefined): Promise<Changes>
  /** Lists a folder. @param known see `FolderRequest` */
  list(place: string, known: string | undefined): FolderListing
}

/**
 * File systems, by statfs(2) number, on which every change of a file causes an event. Network file systems send none.
 */
const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58_46_53_42, // XFS
  0x91_23_68_3e, // Btrfs
  0xf2_f5_20_10, // F2FS
  0xca_45_1a_4e, // bcachefs
  0x2f_c1_2f_c1, // ZFS
  0x01_02_19_94, // tmpfs
  0x79_4c_76_30, // overlayfs
])
/** Share of the user's watches that may be used, because other programs need them too. */
const shareOfWatches = 1 / 8
const maxWatched = 20_000
/** Milliseconds in which the queue does not fill up. */
const shortMs = 20
/** Maximum milliseconds between a file's change time and an earlier reading of the clock. */
const maxLateMs = clockStepMs + 50
/** Listing failures whose end causes an event in the parent folder. */
const lastingFailures: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'])

export function createWatchedFolders(workspace: WorkspaceRoots): WatchedFolders {
  const limits = watchLimits(folderPaths(workspace))
  const log = createChangeLog()
  const linked = createLinkedFiles()
  const watches = createFolderWatches(workspace, {
    watches: limits?.watches ?? 0,
    device: limits?.device ?? 0,
    log,
    onEnd: linked.forget,
  })
  const settling = new Sequencer()
  const allReported = createEventReport()
  const absolute = (place: string) => absoluteIn(workspace, place)
  let surroundings: Surroundings | undefined
  let isBroken = limits === undefined
  /** Whether no watch may start, because events of closed ones may still be queued. */
  let isPaused = true

  async function settle(): Promise<void> {
    try {
      surroundings ??= surroundingsOf(workspace)
      const took = await allReported()
      const now = surroundingsOf(workspace)
      const { events, ended } = watches.count()
      const isSure = isSameSurroundings(now, surroundings) && events <= (limits?.events ?? 0) && ended <= maxEnded
      surroundings = now
      // Until the next report, folders are listed without watches.
      if (!isSure) watches.endAll()
      isPaused = !isSure
      if (isPaused || took < shortMs) watches.closeEnded()
    } catch {
      isBroken = true
      watches.endAll()
      watches.closeEnded()
    }
  }

  /** Folders listed before a file got a new path may contain that file. */
  function onLinked(files: readonly LinkedFile[], place: string): void {
    if (files.length === 0) return
    const since = Math.max(...files.map(({ changedAt }) => changedAt)) + maxLateMs
    let isForgotten = false
    for (const [other, folder] of watches.folders) {
      if (other === place || folder.listedAt > since) continue
      folder.digest = undefined
      isForgotten = true
    }
    if (isForgotten) log.forget()
  }

  /** Determines whether a changed entry is a file that got a new path. */
  function addLinked(place: string): void {
    const stats = statsOf(absolute(place))
    const file = stats && linkedFile(place, stats)
    const folder = path.posix.dirname(place)
    if (file && linked.add(folder, file)) onLinked([file], folder)
  }

  function changesOf(since: number): string[] | undefined {
    const others = [...linked.places(), ...(surroundings?.mountedFiles ?? [])]
    for (const place of log.since(since, others) ?? []) addLinked(place)
    return log.since(since, others)
  }

  return {
    changesSince: (since) =>
      settling.queue(async () => {
        if (!isBroken) await settle()
        const paths = isBroken || since === undefined ? undefined : changesOf(since)
        return { time: log.time(), paths }
      }),
    list(place, known) {
      if (workspace.folders && place === '.') return rootListing(workspace.folders, known)
      const before = watches.folders.get(place)
      if (known !== undefined && before?.digest === known) return { kind: 'unchanged' }
      // Before listing, so that no later change is missed.
      const folder = before ?? (isBroken || isPaused ? undefined : watches.start(place))
      const listedAt = Date.now()
      const files: LinkedFile[] = []
      const listing = listFolderSync(absolute(place), known, (name, stats) => {
        const file = linkedFile(childPath(place, name), stats)
        if (file) files.push(file)
      })
      if (folder) {
        folder.listedAt = listedAt
        folder.digest = files.length === 0 ? digestOf(listing, known) : undefined
      } else if (listing.kind !== 'failed' || !lastingFailures.has(listing.code)) log.forget()
      onLinked(linked.set(place, files), place)
      return listing
    },
  }
}

function digestOf(listing: FolderListing, known: string | undefined): string | undefined {
  if (listing.kind === 'listed') return listing.digest
  return listing.kind === 'unchanged' ? known : undefined
}

interface WatchLimits {
  watches: number
  /** Maximum number of events between two scans. The system silently drops events beyond twice as many. */
  events: number
  /** Device of the workspace's folders. A folder on another device may be on a network file system. */
  device: number
}

/** @returns undefined where events are incomplete or out of order, or if the folders are on several devices */
function watchLimits(folders: readonly string[]): WatchLimits | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    if (!folders.every((folder) => localFileSystems.has(statfsSync(folder).type))) return undefined
    const [device, ...others] = new Set(folders.map((folder) => lstatSync(folder).dev))
    if (device === undefined || others.length > 0) return undefined
    const limit = (name: string) => Number(readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8'))
    return {
      watches: Math.min(maxWatched, limit('max_user_watches') * shareOfWatches),
      events: limit('max_queued_events') / 2,
      device,
    }
  } catch {
    return undefined
  }
}

/** A path of a file with several paths (hard links). */
interface LinkedFile {
  place: string
  inode: bigint
  /** Upper bound of when the latest path was added, in milliseconds since the epoch. */
  changedAt: number
}

/** Files in listed folders that have several paths. Changes through another path are not reported. */
interface LinkedFiles {
  places(): string[]
  /** @returns those that are new in the folder */
  set(folder: string, files: readonly LinkedFile[]): LinkedFile[]
  /** Adds a file. @returns whether it is new in the folder */
  add(folder: string, file: LinkedFile): boolean
  forget(folder: string): void
}

function createLinkedFiles(): LinkedFiles {
  /** Inodes by path, by folder. */
  const folders = new Map<string, Map<string, bigint>>()
  return {
    places: () => [...folders.values()].flatMap((files) => [...files.keys()]),
    set(folder, files) {
      const before = folders.get(folder)
      if (files.length === 0) folders.delete(folder)
      else folders.set(folder, new Map(files.map(({ place, inode }) => [place, inode])))
      return files.filter(({ place, inode }) => before?.get(place) !== inode)
    },
    add(folder, { place, inode }) {
      const files = folders.get(folder) ?? new Map<string, bigint>()
      if (files.get(place) === inode) return false
      folders.set(folder, files.set(place, inode))
      return true
    },
    forget: (folder) => void folders.delete(folder),
  }
}

/** @returns undefined if it is not a file or has a single path */
function linkedFile(place: string, stats: BigIntStats): LinkedFile | undefined {
  if (!stats.isFile() || stats.nlink <= 1n) return undefined
  return { place, inode: stats.ino, changedAt: Number(stats.ctimeMs) }
}

/** Milliseconds to wait for the report of a change, and number of attempts: a full queue drops the change. */
const maxReportMs = 500
const maxAttempts = 4

interface Marker {
  /**
   * Changes the file only once, because a late report could be mistaken for the report of a later change.
   * @returns whether the change was reported in time
   */
  isReported(): Promise<boolean>
  close(): void
}

/**
 * Returns a function that waits until all events before its call have been processed. It changes a private file, whose
 * event is in the same queue as those of all watched files.
 * @returns how long the last attempt took, in milliseconds
 * @throws if events are not reported, and system errors
 */
function createEventReport(): () => Promise<number> {
  let marker: Marker | undefined
  return async () => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      marker ??= createMarker()
      const changed = performance.now()
      if (await marker.isReported()) return performance.now() - changed
      marker.close()
      marker = undefined
    }
    throw new Error('The system does not report changes of files.')
  }
}

function createMarker(): Marker {
  const folder = mkdtempSync(path.join(tmpdir(), 'tizona-marker-'))
  let descriptor: number
  try {
    descriptor = openSync(path.join(folder, 'marker'), 'w')
  } finally {
    rmSync(folder, { recursive: true })
  }
  try {
    const watcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false })
    return {
      async isReported() {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        watcher.once('change', () => resolve(true))
        // After other work of this thread, the event may be waiting: events are read before `setImmediate`.
        const timer = setTimeout(() => setImmediate(() => resolve(false)), maxReportMs)
        futimesSync(descriptor, new Date(), new Date())
        return promise.finally(() => clearTimeout(timer))
      },
      close() {
        watcher.close()
        closeSync(descriptor)
      },
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}
