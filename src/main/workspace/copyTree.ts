import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { descriptorPath, readFlags, type HeldFolder } from '../base/heldFolder.ts'
import type { FileSystem } from './fileSystem.ts'

/** An entry of a held folder. */
export interface HeldEntry {
  folder: HeldFolder
  name: string
}

/**
 * Copies a file, a symlink (not its target) or a folder with its content, permission bits included. On failure the
 * caller removes the partial copy.
 * @param relative path of the source, for the result
 * @returns paths of skipped sockets, pipes and devices, relative like the source
 */
export async function copyTree(
  source: HeldEntry,
  target: HeldEntry,
  relative: string,
  fileSystem: FileSystem,
  signal?: AbortSignal,
): Promise<string[]> {
  signal?.throwIfAborted()
  const from = source.folder.entry(source.name)
  const to = target.folder.entry(target.name)
  const stats = await fileSystem.lstat(from)
  if (stats.isSymbolicLink()) {
    await fileSystem.symlink(await fileSystem.readlink(from), to)
    return []
  }
  if (stats.isFile()) {
    await copyFile(from, to, fileSystem)
    return []
  }
  if (!stats.isDirectory()) return [relative]

  await fileSystem.mkdir(to)
  const inside = await source.folder.enter(source.name)
  try {
    const copy = await target.folder.enter(target.name)
    try {
      const skipped: string[] = []
      for (const name of await fileSystem.readdir(inside.path)) {
        const entries = [
          { folder: inside, name },
          { folder: copy, name },
        ] as const
        skipped.push(...(await copyTree(...entries, `${relative}/${name}`, fileSystem, signal)))
      }
      // Set last, because files cannot be created in a folder that is not writable.
      await fileSystem.chmod(copy.path, stats.mode & 0o7777)
      return skipped
    } finally {
      await copy.release()
    }
  } finally {
    await inside.release()
  }
}

/** Copies through a descriptor, because a copy by name would follow a link that replaced the file. */
async function copyFile(from: string, to: string, fileSystem: FileSystem): Promise<void> {
  const handle = await open(from, readFlags)
  try {
    await fileSystem.copyFile(descriptorPath(handle, from), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } finally {
    await handle.close()
  }
}
