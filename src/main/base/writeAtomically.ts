import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file atomically: an interruption leaves the old file.
 * @param mode permissions of the file. Default: only the user can read it
 */
export async function writeAtomically(path: string, text: string, mode = 0o600): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(text)
      // The mode of an existing file is kept, whatever the umask is.
      if (mode !== 0o600) await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
