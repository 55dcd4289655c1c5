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
import { createChangeLog } from './changeLog.ts'
import { childPath } from './entries.ts'
import type { FolderListing } from './folderListing.ts'
import { createFolderWatches, maxEnded } from './folderWatches.ts'
import { listFolderSync } from './readEntriesSync.ts'
import { clockStepMs, isSameSurroundings, statsOf, surroundingsOf, type Surroundings } from './surroundings.ts'

/** What has changed in the listed folders. */
export interface Changes {
  /** When everything had been reported, for the next question. Not a time of the clock. */
  time: number
  /** Paths of changed entries, and of their folders where that is not certain; undefined if not all are known. */
  paths?: string[]
}

/** Lists folders, and watches them so that an unchanged one need not be listed again. Blocks its thread. */
export interface WatchedFolders {
  /**
   * Waits until every change so far has been reported, and returns those since an earlier time. Later listings are at
   * least as new as this call.
   *
   * inotify(7) reports the changes of all folders in one queue, so once a change of a file of our own is reported, all
   * changes before it have been. It does not report writes to a file that a program has mapped into its memory, nor
   * that a file gets a further path (a hard link) in a folder without a watch, nor the writes by that path.
   */
  changesSince(time: number | undefined): Promise<Changes>
  /** Lists a folder. @param known see `FolderRequest` */
  list(place: string, known: string | undefined): FolderListing
}

/** Where files only change with an event: by the numbers of statfs(2). A server of a network file system sends none. */
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
/** Share of the user's watches that may be used: other programs need them too. */
const shareOfWatches = 1 / 8
const maxWatched = 20_000
/** Time in which the queue does not fill, in milliseconds. */
const shortMs = 20
/** Maximum difference between the time of a file's change and the clock before it. Milliseconds. */
const maxLateMs = clockStepMs + 50
/** Failures of a listing that end with an event of the folder above it. */
const lastingFailures: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'])

/** @param root real path of the workspace */
export function createWatchedFolders(root: string): WatchedFolders {
  const limits = watchLimits(root)
  const log = createChangeLog()
  const linked = createLinkedFiles()
  const watches = createFolderWatches(root, {
    watches: limits?.watches ?? 0,
    device: limits?.device ?? 0,
    log,
    onEnd: linked.forget,
  })
  const settling = new Sequencer()
  const allReported = createEventReport()
  const absolute = (place: string) => path.join(root, place)
  let surroundings: Surroundings | undefined
  let isBroken = limits === undefined
  /** Whether no watch starts, because events of closed ones may still be queued. */
  let isPaused = true

  async function settle(): Promise<void> {
    try {
      surroundings ??= surroundingsOf(root)
      const took = await allReported()
      const now = surroundingsOf(root)
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

  /** Folders that were listed before a file got a new path may contain the file. */
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

  /** Finds out whether a changed entry is a file that got a new path. */
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
  /** Maximum number of events between two scans. The system drops those beyond twice as many without telling. */
  events: number
  /** Device of the root. A folder of another one may be of a network file system. */
  device: number
}

/** @returns undefined where the events are not complete, or not in order */
function watchLimits(root: string): WatchLimits | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    if (!localFileSystems.has(statfsSync(root).type)) return undefined
    const limit = (name: string) => Number(readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8'))
    return {
      watches: Math.min(maxWatched, limit('max_user_watches') * shareOfWatches),
      events: limit('max_queued_events') / 2,
      device: lstatSync(root).dev,
    }
  } catch {
    return undefined
  }
}

/** A path of a file that has several (hard links). */
interface LinkedFile {
  place: string
  inode: bigint
  /** When the latest path was added, or later. Milliseconds since the epoch. */
  changedAt: number
}

/** The files of listed folders that have several paths. A change by another path is not reported. */
interface LinkedFiles {
  places(): string[]
  /** @returns those that the folder did not have before */
  set(folder: string, files: readonly LinkedFile[]): LinkedFile[]
  /** Adds a file. @returns whether the folder did not have it before */
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

/** @returns undefined if it is not a file or has one path */
function linkedFile(place: string, stats: BigIntStats): LinkedFile | undefined {
  if (!stats.isFile() || stats.nlink <= 1n) return undefined
  return { place, inode: stats.ino, changedAt: Number(stats.ctimeMs) }
}

/** Time limit for the report of a change, in milliseconds, and number of attempts: a full queue drops the change. */
const maxReportMs = 500
const maxAttempts = 4

interface Marker {
  /**
   * Changes the file, once: a late report would count as the one of a later change.
   * @returns whether the change was reported in time
   */
  isReported(): Promise<boolean>
  close(): void
}

/**
 * Returns a function that waits until all events before its call have been processed. It changes a file that no other
 * program sees, whose event is in one queue with those of all watched files.
 * @returns how long the last attempt took, in milliseconds
 * @throws if events are not reported, and errors of the system
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
