import { hash } from 'node:crypto'
import { closeSync, fstatSync, lstatSync, readdirSync, readlinkSync, readSync, type BigIntStats } from 'node:fs'
import path from 'node:path'
import { openInPlaceSync } from '../../base/heldFolder.ts'
import { folderListing, type FolderListing } from './folderListing.ts'
import type { FoundEntry } from './entries.ts'
import {
  failedEntry,
  failedRead,
  foundEntry,
  settledStamp,
  stampOf,
  type FileToRead,
  type ReadFile,
} from './readEntries.ts'

// Synchronous versions of `createEntryReader`'s functions, for a thread that may block: an asynchronous call takes
// several times as long as the system call itself.

/**
 * @param known see `FolderRequest`
 * @param onStats receives the stats of each entry
 */
export function listFolderSync(
  absolute: string,
  known: string | undefined,
  onStats?: (name: string, stats: BigIntStats) => void,
): FolderListing {
  try {
    const names = readdirSync(absolute)
    const found = names.map((name) => findEntrySync(absolute + path.sep + name, (stats) => onStats?.(name, stats)))
    return folderListing(names, found, known)
  } catch (error) {
    return failedEntry(error)
  }
}

export function findEntrySync(absolute: string, onStats?: (stats: BigIntStats) => void): FoundEntry {
  try {
    const stats = lstatSync(absolute, { bigint: true })
    onStats?.(stats)
    return stats.isSymbolicLink() ? { kind: 'link', target: readlinkSync(absolute) } : foundEntry(stats)
  } catch (error) {
    return failedEntry(error)
  }
}

export function readFileSync(absolute: string, found: Pick<FileToRead, 'size' | 'stamp'>, maxBytes: number): ReadFile {
  try {
    const descriptor = openInPlaceSync(absolute)
    try {
      return readUnchanged(descriptor, found) ?? readOpened(descriptor, maxBytes)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    return failedRead(error)
  }
}

/**
 * Reads a file that is unchanged since it was found, which saves a system call.
 * @returns undefined if it has changed
 */
function readUnchanged(descriptor: number, { size, stamp }: Pick<FileToRead, 'size' | 'stamp'>): ReadFile | undefined {
  try {
    const content = readBytes(descriptor, size)
    const stats = fstatSync(descriptor, { bigint: true })
    return stampOf(stats) === stamp ? contentOf(content, settledStamp(stamp, stats)) : undefined
  } catch {
    // A pipe, for example, cannot be read at an offset. `readOpened` reports what is there.
    return undefined
  }
}

function readOpened(descriptor: number, maxBytes: number): ReadFile {
  const stats = fstatSync(descriptor, { bigint: true })
  if (!stats.isFile() || stats.size > maxBytes) return { kind: 'replaced' }
  const content = readBytes(descriptor, Number(stats.size))
  return contentOf(content, settledStamp(stampOf(stats), fstatSync(descriptor, { bigint: true })))
}

function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < bytes.length) {
    const bytesRead = readSync(descriptor, bytes, filled, bytes.length - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

function contentOf(content: Buffer, stamp: string): ReadFile {
  return { kind: 'content', content, hash: hash('sha256', content), stamp }
}
