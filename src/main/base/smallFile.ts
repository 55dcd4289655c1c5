import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { errorCode } from './fileErrors.ts'

/** Maximum size in bytes. Git's own files and hand-written rules are far smaller. */
const maxSize = 1024 * 1024
/** Opening a pipe must not block. Windows has no such flag. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a small file that may be missing. Null if it is missing, unreadable, too large or not a regular file: reading
 * a pipe would block.
 * @param encoding `latin1` returns one character per byte
 */
export async function readSmallFile(absolute: string, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<string | null> {
  try {
    const handle = await open(absolute, readFlags)
    try {
      const stats = await handle.stat()
      return stats.isFile() && stats.size <= maxSize ? await handle.readFile(encoding) : null
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
}

/** Whether a path exists and is accessible. */
export async function pathExists(absolute: string): Promise<boolean> {
  try {
    await stat(absolute)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
