import type { BigIntStats } from 'node:fs'

/** A path of a file that has several (hard links). */
export interface LinkedFile {
  place: string
  inode: bigint
  /** When the latest path was added, or later. Milliseconds since the epoch. */
  changedAt: number
}

/** The files of listed folders that have several paths. A change by another path is not reported. */
export interface LinkedFiles {
  places(): string[]
  /** @returns those that the folder did not have before */
  set(folder: string, files: readonly LinkedFile[]): LinkedFile[]
  /** Adds a file. @returns whether the folder did not have it before */
  add(folder: string, file: LinkedFile): boolean
  forget(folder: string): void
}

export function createLinkedFiles(): LinkedFiles {
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
export function linkedFile(place: string, stats: BigIntStats): LinkedFile | undefined {
  if (!stats.isFile() || stats.nlink <= 1n) return undefined
  return { place, inode: stats.ino, changedAt: Number(stats.ctimeMs) }
}
