import { constants } from 'node:fs'
import path from 'node:path'
import type { FileSystem } from './fileSystem.ts'

/**
 * Copies a file, a symlink (as a link, never what it points to) or a folder with everything in it to a new name, permission
 * bits included. What was copied so far stays when it fails: the caller clears up.
 * @returns sockets, pipes and devices, which cannot be copied
 */
export async function copyTree(
  source: string,
  target: string,
  fileSystem: FileSystem,
  signal?: AbortSignal,
): Promise<string[]> {
  signal?.throwIfAborted()
  const stats = await fileSystem.lstat(source)
  if (stats.isSymbolicLink()) {
    await fileSystem.symlink(await fileSystem.readlink(source), target)
    return []
  }
  if (stats.isFile()) {
    await fileSystem.copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return []
  }
  if (!stats.isDirectory()) return [source]

  await fileSystem.mkdir(target)
  const skipped: string[] = []
  for (const name of await fileSystem.readdir(source)) {
    skipped.push(...(await copyTree(path.join(source, name), path.join(target, name), fileSystem, signal)))
  }
  // Last, for a folder that is not writable could not be filled.
  await fileSystem.chmod(target, stats.mode & 0o7777)
  return skipped
}
