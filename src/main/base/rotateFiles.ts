import { rename, rm, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { errorCode } from './errorCode.ts'

/** Returns the path of an older file: `name.1.log` for the first one before `name.log`. */
export function rotatedPath(path: string, index: number): string {
  if (index === 0) return path
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.${index}${extension}`
}

/**
 * Renames a file that exceeds `maxBytes`, and the older ones, so that a new one can begin. Deletes the oldest. Several
 * processes may do so.
 * @param maxFiles number of files, the current one included
 */
export async function rotateFiles(path: string, maxBytes: number, maxFiles: number): Promise<void> {
  if ((await stat(path)).size <= maxBytes) return
  await rm(rotatedPath(path, maxFiles - 1), { force: true })
  for (let index = maxFiles - 2; index >= 0; index--) {
    // Another process may have renamed the full file a moment ago.
    if (index === 0 && (await stat(path)).size <= maxBytes) return
    await rename(rotatedPath(path, index), rotatedPath(path, index + 1)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    })
  }
}
