import { lstat, opendir, rm } from 'node:fs/promises'
import path from 'node:path'
import { inFolder } from '../base/heldFolder.ts'
import { isRunning } from '../base/processIdentity.ts'
import { errorCode } from '../base/fileErrors.ts'
import { temporaryOwner } from './textFile.ts'

/** Maximum number of entries checked. */
const maxEntries = 100_000
/**
 * Minimum age in milliseconds of a file written on another machine (on a shared disk), whose processes are not known
 * here.
 */
const minAgeMs = 60 * 60 * 1000
/** Skipped folders, which have many entries from other programs. */
const skipped = new Set(['.git', 'node_modules'])

export interface SweepOptions {
  maxEntries?: number
  minAgeMs?: number
}

/**
 * Deletes temporary files of interrupted writes: those of dead processes on this machine, and those older than an hour
 * from elsewhere. Does not follow links, and skips entries that it cannot access or delete.
 * @param root absolute
 * @returns absolute paths of the deleted files
 */
export async function sweepTemporary(root: string, signal: AbortSignal, options: SweepOptions = {}): Promise<string[]> {
  const oldest = Date.now() - (options.minAgeMs ?? minAgeMs)
  let remaining = options.maxEntries ?? maxEntries
  const deleted: string[] = []
  const open = [root]
  for (let folder = open.shift(); folder !== undefined && remaining > 0; folder = open.shift()) {
    try {
      for await (const entry of await opendir(folder)) {
        signal.throwIfAborted()
        remaining -= 1
        if (remaining < 0) break
        const absolute = path.join(folder, entry.name)
        const owner = temporaryOwner(entry.name)
        if (owner) {
          const mayRun = owner.isHere ? isRunning(owner) : (await lstat(absolute)).mtimeMs > oldest
          if (mayRun) continue
          await inFolder(absolute, (temporary) => rm(temporary, { recursive: true, force: true }))
          deleted.push(absolute)
        } else if (entry.isDirectory() && !skipped.has(entry.name)) open.push(absolute)
      }
    } catch (error) {
      // The folder was deleted or is not readable.
      if (errorCode(error) === undefined || signal.aborted) throw error
    }
  }
  return deleted
}
