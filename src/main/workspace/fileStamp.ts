import { ToolError } from '../../shared/errors.ts'
import type { FileStamp } from '../../shared/files/files.ts'
import { errorCode } from '../base/fileErrors.ts'
import type { FileSystem } from './fileSystem.ts'

/**
 * Modification time, size and inode. Two writes within one clock tick have different stamps: each creates an inode, and
 * a write in place sets the time.
 */
export function stampOf(stats: { mtimeNs: bigint; size: bigint; ino: bigint }): FileStamp {
  return `${stats.mtimeNs}-${stats.size}-${stats.ino}`
}

/** Returns the modification time of a stamp in milliseconds since the epoch; 0 if it has none. */
export function timeOfStamp(stamp: FileStamp): number {
  return Math.floor(Number(stamp.split('-')[0]) / 1e6) || 0
}

/** @throws ToolError `changed_on_disk` if the file does not have this stamp */
export async function requireStamp(
  absolute: string,
  name: string,
  expected: FileStamp | null,
  fileSystem: FileSystem,
): Promise<void> {
  const now = await fileSystem.lstat(absolute, { bigint: true }).then(stampOf, (error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (now === expected) return
  if (now === null) throw changedMeanwhile(`"${name}" was deleted a moment ago, so nothing was written.`)
  if (expected !== null) throw changedByOther(name)
  throw changedMeanwhile(`Another program created "${name}" a moment ago, so nothing was written.`)
}

/** Returns the error for a file that another program changed during a write. */
export const changedByOther = (name: string): ToolError =>
  changedMeanwhile(`Another program changed "${name}" a moment ago, so nothing was written.`)

function changedMeanwhile(message: string): ToolError {
  return new ToolError('changed_on_disk', message, 'Read it again and repeat the change on the new content.')
}
