import { lstat, opendir, rm } from 'node:fs/promises'
import path from 'node:path'
import { isRunning } from '../base/processIdentity.ts'
import { errorCode } from './fileErrors.ts'
import { temporaryOwner } from './textFile.ts'

/** Entries of a folder that a sweep looks at. */
const maxEntries = 100_000
/** Younger files are left alone: on a shared disk their process may run on another machine. Milliseconds. */
const minAgeMs = 60 * 60 * 1000
/** Folders that other programs fill with more entries than the rest of a workspace has. */
const skipped = new Set(['.git', 'node_modules'])

export interface SweepOptions {
  maxEntries?: number
  minAgeMs?: number
}

/**
 * Removes temporary files that killed writes left below a folder: those whose name holds the identity of a process that has
 * ended. Never follows a link, and leaves what it cannot look at or remove.
 * @param root absolute
 * @returns the absolute paths that are gone
 */
export async function sweepTemporary(root: string, signal: AbortSignal, options: SweepOptions = {}): Promise<string[]> {
  const oldest = Date.now() - (options.minAgeMs ?? minAgeMs)
  let room = options.maxEntries ?? maxEntries
  const gone: string[] = []
  const open = [root]
  for (let folder = open.shift(); folder !== undefined && room > 0; folder = open.shift()) {
    try {
      for await (const entry of await opendir(folder)) {
        signal.throwIfAborted()
        room -= 1
        if (room < 0) break
        const absolute = path.join(folder, entry.name)
        const owner = temporaryOwner(entry.name)
        if (owner) {
          if (isRunning(owner) || (await lstat(absolute)).mtimeMs > oldest) continue
          await rm(absolute, { recursive: true, force: true })
          gone.push(absolute)
        } else if (entry.isDirectory() && !skipped.has(entry.name)) open.push(absolute)
      }
    } catch (error) {
      // A folder that vanished or may not be read.
      if (errorCode(error) === undefined || signal.aborted) throw error
    }
  }
  return gone
}
