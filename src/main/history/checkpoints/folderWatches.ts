import { lstatSync, watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import type { ChangeLog } from './changeLog.ts'
import { childPath, isWithin } from './entries.ts'
import { cacheMarker } from './generatedFolders.ts'

export interface WatchedFolder {
  readonly watcher: FSWatcher
  /** When it was listed, in milliseconds since the epoch. */
  listedAt: number
  /** Digest of the listing that is still valid; undefined if it may have changed. */
  digest: string | undefined
}

/** Watches folders and writes their events to a log. */
export interface FolderWatches {
  /** Watched folders by path. */
  readonly folders: ReadonlyMap<string, WatchedFolder>
  /** @returns undefined if the folder cannot be watched and must be listed every time */
  start(place: string): WatchedFolder | undefined
  endAll(): void
  /** Returns the numbers of events and of ended watches since the last call. */
  count(): { events: number; ended: number }
  /**
   * Closes the ended watches. They stay open until then, because the queue may be full of their events, which must be
   * counted.
   */
  closeEnded(): void
}

export interface WatchOptions {
  /** Maximum number of watches. */
  watches: number
  /** Device of the root. A folder on another device may be on a network file system. */
  device: number
  log: Pick<ChangeLog, 'add' | 'forget'>
  onEnd(place: string): void
}

/** Number of watches that may end between two scans. Beyond it, listing everything is faster. */
export const maxEnded = 64

export function createFolderWatches(
  workspace: WorkspaceRoots,
  { watches, device, log, onEnd }: WatchOptions,
): FolderWatches {
  const folders = new Map<string, WatchedFolder>()
  const absolute = (place: string) => absoluteIn(workspace, place)
  let events = 0
  let ended: FSWatcher[] = []

  function end(isEnded: (place: string) => boolean): void {
    for (const [place, { watcher }] of folders) {
      if (!isEnded(place)) continue
      folders.delete(place)
      ended.push(watcher)
      onEnd(place)
    }
    if (ended.length > maxEnded) endAll()
  }

  function endAll(): void {
    for (const [place, { watcher }] of folders) {
      watcher.close()
      onEnd(place)
    }
    folders.clear()
    log.forget()
  }

  function onEvent(place: string, folder: WatchedFolder, name: string | null): void {
    events += 1
    if (folders.get(place) !== folder) return
    folder.digest = undefined
    // The folder itself was moved, deleted or changed. An entry may have the same name.
    const isFolder = name === null || name === path.basename(absolute(place))
    const changed = isFolder ? place : childPath(place, name)
    if (name === cacheMarker && place !== '.') {
      // The marker file determines whether the folder and everything in it is listed.
      log.add(place)
      end((other) => other !== place && isWithin(other, [place]))
    } else log.add(changed)
    if (changed === '.') log.forget()
    // The path may now refer to a different folder.
    if (folders.has(changed)) end((other) => isWithin(other, [changed]))
  }

  return {
    folders,
    start(place) {
      if (folders.size + ended.length >= watches) return undefined
      try {
        const stats = lstatSync(absolute(place))
        if (!stats.isDirectory() || stats.dev !== device) return undefined
        const watcher = watch(absolute(place), { persistent: false }, (_, name) => onEvent(place, folder, name))
        const folder: WatchedFolder = { watcher, listedAt: 0, digest: undefined }
        watcher.on('error', endAll)
        folders.set(place, folder)
        return folder
      } catch {
        return undefined
      }
    },
    endAll,
    count() {
      const counted = { events, ended: ended.length }
      events = 0
      return counted
    },
    closeEnded() {
      for (const watcher of ended) watcher.close()
      ended = []
    },
  }
}
