import type { BigIntStats } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import { openInPlace } from '../../base/heldFolder.ts'
import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { isMarked } from '../../base/placeholderFolder.ts'
import { hashOf, type FailedEntry, type FoundEntry } from './entries.ts'
import { folderListing, rootListing, type FolderListing, type FolderRequest } from './folderListing.ts'
import { systemCode } from './systemCode.ts'

export type ReadFile =
  /** `stamp` is '' if the file changed during or shortly before the read, so that a further change may be invisible. */
  | { kind: 'content'; content: Buffer; hash: string; stamp: string }
  /** Another program replaced the file or a folder above it. */
  | { kind: 'replaced' }
  | FailedEntry

/** A file to read, with its size and stamp when it was found. */
export interface FileToRead {
  place: string
  size: number
  stamp: string
}

/** Reads entries of a workspace. Results are in the order of the paths, which are relative to the root. */
export interface EntryReader {
  list(folders: readonly FolderRequest[]): Promise<FolderListing[]>
  find(places: readonly string[]): Promise<FoundEntry[]>
  /** @param maxBytes larger files count as replaced */
  read(files: readonly FileToRead[], maxBytes: number): Promise<ReadFile[]>
}

/** Number of files processed concurrently. */
const concurrentFiles = 8
/**
 * Milliseconds. A file modified this shortly before it was read may change again without a new time (git calls it
 * racy).
 */
const racyMs = 100
/**
 * Replaces `racyMs` on file systems that store whole seconds: HFS+, some network file systems, and FAT with every
 * second one.
 */
const coarseRacyMs = 2100

export function createEntryReader(workspace: WorkspaceRoots): EntryReader {
  const at = (place: string): string => absoluteIn(workspace, place)
  return {
    list: (requests) =>
      inGroups(requests, async ({ place, known }) =>
        workspace.folders && place === '.' ? rootListing(workspace.folders, known) : listFolder(at(place), known),
      ),
    find: (places) => inGroups(places, (place) => findEntry(at(place))),
    read: (files, maxBytes) => inGroups(files, ({ place }) => readFile(at(place), maxBytes)),
  }
}

async function listFolder(absolute: string, known: string | undefined): Promise<FolderListing> {
  try {
    const names = await readdir(absolute)
    return folderListing(names, await inGroups(names, (name) => findEntry(path.join(absolute, name))), known)
  } catch (error) {
    return failedEntry(error)
  }
}

async function inGroups<P, T>(places: readonly P[], act: (place: P) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let at = 0; at < places.length; at += concurrentFiles)
    results.push(...(await Promise.all(places.slice(at, at + concurrentFiles).map(act))))
  return results
}

async function findEntry(absolute: string): Promise<FoundEntry> {
  try {
    const stats = await lstat(absolute, { bigint: true })
    return stats.isSymbolicLink() ? { kind: 'link', target: await readlink(absolute) } : foundEntry(stats)
  } catch (error) {
    return failedEntry(error)
  }
}

/** Treats a sandbox placeholder as missing. @param stats of anything but a link */
export function foundEntry(stats: BigIntStats): FoundEntry {
  if (isMarked(stats)) return { kind: 'failed', code: 'ENOENT' }
  if (stats.isDirectory()) return { kind: 'folder' }
  if (!stats.isFile()) return { kind: 'special' }
  return { kind: 'file', mode: Number(stats.mode & 0o777n), size: Number(stats.size), stamp: stampOf(stats) }
}

/** @throws anything but a system failure */
export function failedEntry(error: unknown): FailedEntry {
  const code = systemCode(error)
  if (code === undefined) throw error
  return { kind: 'failed', code }
}

async function readFile(absolute: string, maxBytes: number): Promise<ReadFile> {
  try {
    const handle = await openInPlace(absolute)
    try {
      const stats = await handle.stat({ bigint: true })
      if (!stats.isFile() || stats.size > maxBytes) return { kind: 'replaced' }
      const bytes = Buffer.alloc(Number(stats.size))
      let filled = 0
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      const stamp = settledStamp(stampOf(stats), await handle.stat({ bigint: true }))
      const content = bytes.subarray(0, filled)
      return { kind: 'content', content, hash: await hashOf(content), stamp }
    } finally {
      await handle.close()
    }
  } catch (error) {
    return failedRead(error)
  }
}

/** @throws anything but a system failure or a replaced folder */
export function failedRead(error: unknown): ReadFile {
  return error instanceof ToolError ? { kind: 'replaced' } : failedEntry(error)
}

/** Returns a file's stamp if its stamp before and state after reading agree; '' if it is uncertain. */
export function settledStamp(before: string, after: BigIntStats): string {
  return stampOf(after) === before && settledFrom(after) < Date.now() ? before : ''
}

/** Returns the time in milliseconds from which a further change is visible. */
function settledFrom({ mtimeNs, ctimeNs, mtimeMs, ctimeMs }: BigIntStats): number {
  const isCoarse = mtimeNs % 1_000_000_000n === 0n && ctimeNs % 1_000_000_000n === 0n
  // A program may have reset the modification time.
  return Math.max(Number(mtimeMs), Number(ctimeMs)) + (isCoarse ? coarseRacyMs : racyMs)
}

/** Returns a value that differs between two versions of a file. */
export function stampOf(stats: BigIntStats): string {
  return `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`
}
