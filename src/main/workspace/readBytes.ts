import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { ToolError } from '../../shared/errors.ts'
import { openInPlace } from '../base/heldFolder.ts'
import { fileError } from '../base/fileErrors.ts'
import type { FileSystem } from './fileSystem.ts'
import { formatSize } from '../../shared/text/formatSize.ts'

/** Bytes per read. A signal can stop the work between reads. */
const chunkBytes = 4 * 1024 * 1024

/**
 * Reads a whole file as bytes.
 * @param absolute real path from `Workspace.resolve`. A link created since, here or above, is not followed
 * @param name path shown in errors
 * @param limit maximum size in bytes
 * @throws ToolError `is_directory`, `invalid_path` (a device or pipe), `too_large`, `not_found`, `permission_denied`,
 * `changed_on_disk` if a folder above it was replaced
 */
export async function readWholeFile(
  absolute: string,
  name: string,
  limit: number,
  fileSystem: FileSystem,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted()
  let handle: FileHandle | undefined
  try {
    handle = await openInPlace(absolute, fileSystem.open)
    const stats = await fileStats(handle, name)
    if (stats.size > limit) {
      throw new ToolError(
        'too_large',
        `"${name}" is ${formatSize(stats.size)}, more than the maximum of ${formatSize(limit)}.`,
        'Use a smaller file, or a command that reads part of it.',
      )
    }
    // Reads only the bytes that the file had when it was opened, even if it grows.
    return await readPart(handle, 0, stats.size, signal)
  } catch (error) {
    throw fileError(error, `"${name}" could not be read.`)
  } finally {
    await handle?.close()
  }
}

/**
 * Reads part of a file of any size. Returns fewer bytes at its end.
 * @throws like `readWholeFile`, except `too_large`
 */
export async function readFilePart(
  absolute: string,
  name: string,
  { offset, length }: { offset: number; length: number },
  signal?: AbortSignal,
): Promise<{ bytes: Buffer; size: number }> {
  signal?.throwIfAborted()
  let handle: FileHandle | undefined
  try {
    handle = await openInPlace(absolute)
    const { size } = await fileStats(handle, name)
    const wanted = Math.max(0, Math.min(length, size - offset))
    return { bytes: Buffer.from((await readPart(handle, offset, wanted, signal)).buffer), size }
  } catch (error) {
    throw fileError(error, `"${name}" could not be read.`)
  } finally {
    await handle?.close()
  }
}

async function fileStats(handle: FileHandle, name: string): Promise<Stats> {
  const stats = await handle.stat()
  if (stats.isDirectory())
    throw new ToolError('is_directory', `"${name}" is a directory, not a file.`, 'List it, or pass a file inside it.')
  if (!stats.isFile())
    throw new ToolError('invalid_path', `"${name}" is a device, pipe or socket, not a file.`, 'Use a regular file.')
  return stats
}

async function readPart(
  handle: FileHandle,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(length)
  let filled = 0
  while (filled < content.length) {
    signal?.throwIfAborted()
    const wanted = Math.min(chunkBytes, content.length - filled)
    const { bytesRead } = await handle.read(content, filled, wanted, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled === content.length ? content : content.slice(0, filled)
}
