import {
  futimesSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  watch,
  type FSWatcher,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Sequencer } from '../../../shared/sequencer.ts'
import { createChangeLog } from './changeLog.ts'
import { childPath, isWithin } from './entries.ts'
import { cacheMarker } from './generatedFolders.ts'
import type { FolderListing } from './folderListing.ts'
import { listFolderSync } from './readEntriesSync.ts'

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
   * changes before it have been. Writes to a file that a program has mapped into its memory are not reported.
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
/** Number of watches that may end between two scans. The events of ended ones are not counted. */
const maxEnded = 64
/** Time limit for the report of a change, in milliseconds. */
const maxSettleMs = 2000

interface Watched {
  watcher: FSWatcher
  /** Digest of the listing that is still true; undefined if it may have changed. */
  digest: string | undefined
  /** Paths of files that have other paths too. A change by one of those is not reported. */
  linked: readonly string[]
}

/** @param root real path of the workspace */
export function createWatchedFolders(root: string): WatchedFolders {
  const watched = new Map<string, Watched>()
  const log = createChangeLog()
  const settling = new Sequencer()
  const limits = watchLimits(root)
  const absolute = (place: string) => path.join(root, place)
  let marker: ReturnType<typeof createMarker> | undefined
  let isBroken = limits === undefined
  /** Whether no watch starts, because events of ended ones may still be queued. */
  let isPaused = true
  let mounts = ''
  /** Numbers of events and of ended watches since everything was reported last. */
  let events = 0
  let ended = 0

  function end(isEnded: (place: string) => boolean): void {
    for (const [place, { watcher }] of watched) {
      if (!isEnded(place)) continue
      watcher.close()
      watched.delete(place)
      ended += 1
    }
  }

  function onEvent(place: string, name: string | null): void {
    events += 1
    const folder = watched.get(place)
    if (folder) folder.digest = undefined
    // The folder itself was moved, deleted or changed. An entry may have the same name.
    const isFolder = name === null || name === path.basename(absolute(place))
    const changed = isFolder ? place : childPath(place, name)
    // The marker decides about its folder.
    log.add(name === cacheMarker ? place : changed)
    if (changed === '.') log.forget()
    // A folder at a path may be another one now.
    if (watched.has(changed)) end((other) => isWithin(other, [changed]))
  }

  function start(place: string): Watched | undefined {
    if (isBroken || isPaused || watched.size >= (limits?.watches ?? 0)) return undefined
    try {
      const stats = lstatSync(absolute(place))
      if (!stats.isDirectory() || stats.dev !== limits?.device) return undefined
      const watcher = watch(absolute(place), { persistent: false }, (_, name) => onEvent(place, name))
      watcher.on('error', () => end((other) => isWithin(other, [place])))
      const folder: Watched = { watcher, digest: undefined, linked: [] }
      watched.set(place, folder)
      return folder
    } catch {
      // Without a watch the folder is listed each time.
      return undefined
    }
  }

  async function settle(): Promise<void> {
    try {
      if (!marker) {
        marker = createMarker()
        mounts = mountsOf(root)
      }
      isBroken = !(await marker.isReported())
      const now = mountsOf(root)
      const isSure = !isBroken && events <= (limits?.events ?? 0) && ended <= maxEnded && now === mounts
      mounts = now
      // Until the next report, folders are listed without watches.
      if (!isSure) endAll()
      isPaused = !isSure
    } catch {
      isBroken = true
      endAll()
    }
    events = 0
    ended = 0
  }

  function endAll(): void {
    end(() => true)
    log.forget()
  }

  return {
    changesSince: (since) =>
      settling.queue(async () => {
        if (!isBroken) await settle()
        const linked = [...watched.values()].flatMap((folder) => folder.linked)
        return { time: log.time(), paths: isBroken || since === undefined ? undefined : log.since(since, linked) }
      }),
    list(place, known) {
      const before = watched.get(place)
      if (known !== undefined && before?.digest === known) return { kind: 'unchanged' }
      // Before listing, so that no later change is missed.
      const folder = before ?? start(place)
      const linked: string[] = []
      const listing = listFolderSync(absolute(place), known, (name, stats) => {
        if (stats.isFile() && stats.nlink > 1n) linked.push(childPath(place, name))
      })
      if (folder) {
        folder.linked = linked
        folder.digest = linked.length === 0 ? digestOf(listing, known) : undefined
      } else log.forget()
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

/** Returns a text that differs if another folder is at the path of the root, or if something was mounted. */
function mountsOf(root: string): string {
  const { dev, ino } = lstatSync(root)
  return `${dev} ${ino}\n${readFileSync('/proc/self/mountinfo', 'utf8')}`
}

/** Creates a file that no other program sees, and watches it. @throws errors of the system */
function createMarker() {
  const folder = mkdtempSync(path.join(tmpdir(), 'tizona-marker-'))
  let descriptor: number
  try {
    descriptor = openSync(path.join(folder, 'marker'), 'w')
  } finally {
    rmSync(folder, { recursive: true })
  }
  const watcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false })
  return {
    /** Changes the file. @returns whether the change was reported in time */
    async isReported(): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      watcher.once('change', () => resolve(true))
      const timer = setTimeout(() => resolve(false), maxSettleMs)
      futimesSync(descriptor, new Date(), new Date())
      return promise.finally(() => clearTimeout(timer))
    },
  }
}
