import { open } from 'node:fs/promises'
import { readFlags } from './heldFolder.ts'

const maxBytes = 1024 * 1024

/**
 * Reads a small text file that is not a link. Returns '' for everything else: a command can have replaced it by a
 * device, a pipe or a huge file.
 */
export async function readUnlinkedFile(file: string): Promise<string> {
  try {
    const handle = await open(file, readFlags)
    try {
      const stats = await handle.stat()
      return stats.isFile() && stats.size <= maxBytes ? await handle.readFile('utf8') : ''
    } finally {
      await handle.close()
    }
  } catch {
    return '' // missing, a link, or not readable
  }
}
