import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import { ToolError } from '../../shared/errors.ts'
import { fileError } from '../base/fileErrors.ts'
import type { Workspace } from './containment.ts'
import type { FileOperations } from './fileOperations.ts'
import { diskFileSystem, type FileSystem } from './fileSystem.ts'
import { temporaryPathFor, withParents } from './textFile.ts'

/**
 * Files that the window sends in pieces, for example those dropped on the explorer. A file is complete or absent:
 * pieces go to a hidden temporary file, which the next start removes after a kill.
 */
export interface Uploads {
  /**
   * Starts a file. @param overwrite replaces a file of this name
   * @returns the id of the upload
   * @throws ToolError `already_exists`, `outside_workspace`, `no_space`, `permission_denied`
   */
  begin(path: string, overwrite: boolean): Promise<string>
  append(id: string, bytes: Uint8Array): Promise<void>
  /** Moves the file to its path. Fails like `FileOperations.move`; the temporary file is then removed. */
  finish(id: string, signal?: AbortSignal): Promise<void>
  /** Discards what was sent. Does nothing if the upload has ended. */
  cancel(id: string): Promise<void>
  /** Cancels all uploads, because the folder is being closed. */
  close(): Promise<void>
}

interface Upload {
  handle: FileHandle
  /** Paths relative to the workspace. */
  temporary: string
  target: string
  overwrite: boolean
  lastAt: number
}

/** Maximum number of concurrent uploads. */
const maxUploads = 8
/**
 * Milliseconds without a piece after which an upload ends if another one starts, because its window no longer exists.
 */
const idleMs = 10 * 60 * 1000

export function createUploads(
  workspace: Workspace,
  files: Pick<FileOperations, 'move' | 'delete'>,
  fileSystem: FileSystem = diskFileSystem,
): Uploads {
  const uploads = new Map<string, Upload>()

  function uploadOf(id: string): Upload {
    const upload = uploads.get(id)
    if (!upload) throw new ToolError('not_found', 'This file is no longer being copied.', 'Copy the file again.')
    return upload
  }

  async function cancel(id: string): Promise<void> {
    const upload = uploads.get(id)
    if (!upload) return
    uploads.delete(id)
    await upload.handle.close()
    await files.delete(upload.temporary)
  }

  return {
    async begin(requested, overwrite) {
      for (const [id, { lastAt }] of uploads) if (Date.now() - lastAt > idleMs) await cancel(id)
      if (uploads.size >= maxUploads)
        throw new ToolError('conflict', 'Too many files are being copied at once.', 'Wait until they are complete.')
      const target = await workspace.resolve(requested, { missing: 'allow', symlink: 'keep' })
      if (target.exists && !(overwrite && target.type === 'file'))
        throw new ToolError('already_exists', `"${target.relative}" already exists.`, 'Choose another name.')
      const temporary = temporaryPathFor(target.absolute)
      try {
        const handle = await withParents(temporary, fileSystem, (entry) => fileSystem.open(entry, 'wx'))
        const id = randomUUID()
        uploads.set(id, {
          handle,
          temporary: path.posix.join(path.posix.dirname(target.relative), path.basename(temporary)),
          target: target.relative,
          overwrite,
          lastAt: Date.now(),
        })
        return id
      } catch (error) {
        throw fileError(error, `"${target.relative}" could not be created.`)
      }
    },
    async append(id, bytes) {
      const upload = uploadOf(id)
      upload.lastAt = Date.now()
      try {
        await upload.handle.appendFile(bytes)
      } catch (error) {
        await cancel(id)
        throw fileError(error, `"${upload.target}" could not be written.`)
      }
    },
    async finish(id, signal) {
      const upload = uploadOf(id)
      const { handle, temporary, target, overwrite } = upload
      try {
        await handle.sync()
        await handle.close()
        await files.move(temporary, target, { overwrite }, signal)
        uploads.delete(id)
      } catch (error) {
        await cancel(id)
        throw fileError(error, `"${target}" could not be written.`)
      }
    },
    cancel,
    async close() {
      await Promise.all([...uploads.keys()].map(cancel))
    },
  }
}
