import { readFile, stat } from 'node:fs/promises'
import { errorCode } from './errorCode.ts'

/** Bytes. Files that git writes for itself, and rules that people write, are far smaller. */
const maxSize = 1024 * 1024

/**
 * The text of a small file that may well not be there, or null: missing, unreadable, too big, or no file at all (reading a
 * pipe that somebody put in its place would wait forever).
 * @param encoding `latin1` gives one character a byte
 */
export async function readSmallFile(absolute: string, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<string | null> {
  try {
    const stats = await stat(absolute)
    return stats.isFile() && stats.size <= maxSize ? await readFile(absolute, encoding) : null
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
}

/** Whether something of that name exists, as far as we may see. */
export async function exists(absolute: string): Promise<boolean> {
  try {
    await stat(absolute)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
