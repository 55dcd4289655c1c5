import { open } from 'node:fs/promises'
import { descriptorPath, inFolder, pathOnlyFlags } from '../base/heldFolder.ts'
import type { Workspace } from './containment.ts'
import { fileError } from '../base/fileErrors.ts'
import type { FileSystem } from './fileSystem.ts'
import { isWritable } from './textFile.ts'

export interface FileInfo {
  /** Relative to the workspace. */
  path: string
  /** Bytes. */
  size: number
  is_directory: boolean
  is_file: boolean
  /** Seconds since the epoch. */
  modified: number
  /** Whether this process lacks write permission. */
  readonly: boolean
}

/** Metadata of a file. Follows links. */
export interface FileStats {
  /** Bytes. */
  size: number
  /** Milliseconds since the epoch, with fractions. */
  modifiedMs: number
  /** Permission bits. */
  mode: number
}

/** See `FileOperations.info`. */
export async function fileInfo(workspace: Workspace, fileSystem: FileSystem, requested: string): Promise<FileInfo> {
  const { absolute, relative } = await workspace.resolve(requested)
  try {
    return await inFolder(absolute, async (entry) => {
      const stats = await fileSystem.lstat(entry)
      return {
        path: relative,
        size: stats.size,
        is_directory: stats.isDirectory(),
        is_file: stats.isFile(),
        modified: Math.floor(stats.mtimeMs / 1000),
        readonly: !(await isWritable(entry, fileSystem)),
      }
    })
  } catch (error) {
    throw fileError(error, `"${relative}" could not be accessed.`)
  }
}

/** See `FileOperations.stats`. */
export async function fileStats(workspace: Workspace, fileSystem: FileSystem, requested: string): Promise<FileStats> {
  const { absolute, relative } = await workspace.resolve(requested)
  try {
    const { size, mtimeMs, mode } = await inFolder(absolute, (entry) => fileSystem.lstat(entry))
    return { size, modifiedMs: mtimeMs, mode: mode & 0o7777 }
  } catch (error) {
    throw fileError(error, `"${relative}" could not be accessed.`)
  }
}

/** See `FileOperations.setMode`. */
export async function setFileMode(
  workspace: Workspace,
  fileSystem: FileSystem,
  requested: string,
  mode: number,
): Promise<void> {
  const { absolute, relative } = await workspace.resolve(requested)
  try {
    await inFolder(absolute, async (entry) => {
      // Changing the mode by name would follow a link that replaced the file. The descriptor needs no read permission.
      const handle = await open(entry, pathOnlyFlags)
      try {
        await fileSystem.chmod(descriptorPath(handle, entry), mode)
      } finally {
        await handle.close()
      }
    })
  } catch (error) {
    throw fileError(error, `The permissions of "${relative}" could not be changed.`)
  }
}
