import { constants } from 'node:fs'
import path from 'node:path'
import type { FileSystem } from './fileSystem.ts'

/**
 * Copies a file, a symlink (not its target) or a folder with its content, permission bits included. On failure the
 * caller removes the partial copy.
 * @returns skipped sockets, pipes and devices
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
  // Last, because files cannot be created in a folder that is not writable.
  await fileSystem.chmod(target, stats.mode & 0o7777)
  return skipped
}
