import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { FileStamp, TextFormat } from '../../shared/files.ts'
import { thisProcess, type ProcessIdentity } from '../base/processIdentity.ts'
import { errorCode, fileError } from './fileErrors.ts'
import { diskFileSystem, type FileSystem } from './fileSystem.ts'
import { formatSize } from '../../shared/formatSize.ts'
import { decodeText, encodeText, type DecodedText } from './textFormat.ts'

/** A text file as it stands on disk. */
export interface TextFile extends DecodedText {
  stamp: FileStamp
  /** Bytes. */
  size: number
}

/** Bytes. A larger file is not opened as text. */
export const maxTextFileSize = 50 * 1024 * 1024

const temporaryPrefix = '.tizona-write-'

/** Whether a file name is that of a write under way, which nobody should see. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(temporaryPrefix)
}

/** A name for a file that becomes another by renaming; in the same folder, so that renaming is atomic. */
export function temporaryBeside(absolute: string): string {
  const { pid, start } = thisProcess()
  return path.join(path.dirname(absolute), `${temporaryPrefix}${pid}-${start}-${randomBytes(8).toString('hex')}`)
}

/** The process that made a temporary file, from its name; null for any other name. */
export function temporaryOwner(name: string): ProcessIdentity | null {
  const [, pid, start] = /^\.tizona-write-(\d+)-(\d*)-[0-9a-f]{16}$/.exec(name) ?? []
  return pid === undefined || start === undefined ? null : { pid: Number(pid), start }
}

/**
 * Reads a text file. Throws `not_found`, `is_directory`, `invalid_path` (a device or pipe), `too_large` (over 50 MB),
 * `binary_file`, `invalid_encoding`, `permission_denied`.
 * @param absolute real path, as `Workspace.resolve` gives it: a link that appeared since is not followed
 * @param name as the user knows it, for messages
 */
export async function readTextFile(absolute: string, name: string, signal?: AbortSignal): Promise<TextFile> {
  signal?.throwIfAborted()
  let handle: FileHandle | undefined
  try {
    // O_NONBLOCK: opening a pipe must not wait for a writer. Neither flag exists on Windows.
    handle = await diskFileSystem.open(
      absolute,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    )
    const stats = await handle.stat({ bigint: true })
    if (stats.isDirectory())
      throw new ToolError(
        'is_directory',
        `"${name}" is a directory and not a file.`,
        'List it, or name a file inside it.',
      )
    if (!stats.isFile())
      throw new ToolError(
        'invalid_path',
        `"${name}" is a device, pipe or socket and not a file.`,
        'Name an ordinary file.',
      )
    const size = Number(stats.size)
    if (size > maxTextFileSize) {
      throw new ToolError(
        'too_large',
        `"${name}" has ${formatSize(size)}; files over ${formatSize(maxTextFileSize)} are not opened.`,
        'Search in it, or look at a part with a command such as head, tail or sed -n.',
      )
    }
    const content = await handle.readFile({ signal })
    return { ...decodeText(content, name), stamp: stampOf(stats), size }
  } catch (error) {
    throw fileError(error, `read "${name}"`)
  } finally {
    await handle?.close()
  }
}

export interface WriteTextOptions {
  /** What stands there now: its line ends are kept where it mixes them. Absent for a new file. */
  before?: DecodedText
  /** The file that is to be replaced, null for none. Another one is left alone: `changed_on_disk`. */
  expected?: FileStamp | null
  signal?: AbortSignal
  fileSystem?: FileSystem
}

/**
 * Writes a whole text file at once or not at all: to a temporary file beside it, which is synced and renamed. Permission bits
 * stay. Missing parent folders are made (and removed again when the write fails).
 * Throws `permission_denied`, `no_space`, `is_directory`, `invalid_encoding`.
 * @param absolute real path, so that a file behind a symlink is written and the link stays
 */
export async function writeTextFile(
  absolute: string,
  name: string,
  text: string,
  format: TextFormat,
  options: WriteTextOptions = {},
): Promise<FileStamp> {
  const { before, expected, signal, fileSystem = diskFileSystem } = options
  const content = encodeText(text, format, before)
  signal?.throwIfAborted()
  try {
    return await withParents(absolute, fileSystem, () =>
      replaceFile(absolute, content, fileSystem, { name, expected, signal }),
    )
  } catch (error) {
    throw fileError(error, `write "${name}"`)
  }
}

/**
 * As `writeTextFile` for bytes as they are, with the permission bits they had. A link that stands there is replaced, not followed.
 * @param absolute real path of the parent with the file's own name, as `Workspace.resolve` gives it with `symlink: 'keep'`
 */
export async function writeBytes(
  absolute: string,
  name: string,
  content: Buffer,
  mode: number,
  fileSystem: FileSystem = diskFileSystem,
): Promise<FileStamp> {
  try {
    return await withParents(absolute, fileSystem, () => replaceFile(absolute, content, fileSystem, { name, mode }))
  } catch (error) {
    throw fileError(error, `write "${name}"`)
  }
}

/** Runs `make` with the folders above `absolute` in place; those made for it are taken away again when it fails. */
export async function withParents<T>(absolute: string, fileSystem: FileSystem, make: () => Promise<T>): Promise<T> {
  const parent = path.dirname(absolute)
  const first = await fileSystem.mkdir(parent, { recursive: true })
  try {
    return await make()
  } catch (error) {
    if (first !== undefined) await removeEmptyFolders(parent, first, fileSystem)
    throw error
  }
}

async function removeEmptyFolders(from: string, to: string, fileSystem: FileSystem): Promise<void> {
  for (let folder = from; folder.length >= to.length; folder = path.dirname(folder)) {
    try {
      await fileSystem.rmdir(folder)
    } catch (error) {
      // Somebody put something into it meanwhile, so it stays; the failure that led here is the one to report.
      if (errorCode(error) !== undefined) return
      throw error
    }
  }
}

interface Replacement {
  /** As the user knows the file. */
  name: string
  expected?: FileStamp | null
  /** Permission bits. */
  mode?: number
  signal?: AbortSignal
}

async function replaceFile(
  absolute: string,
  content: Buffer,
  fileSystem: FileSystem,
  { name, expected, mode, signal }: Replacement,
): Promise<FileStamp> {
  const existing = await existingStats(absolute, fileSystem)
  // Renaming asks for the folder's permission only; a file that is write-protected must be refused all the same.
  if (existing && !existing.link) await fileSystem.access(absolute, constants.W_OK)
  const temporary = temporaryBeside(absolute)
  const handle = await fileSystem.open(temporary, 'wx', 0o666)
  try {
    try {
      await handle.writeFile(content, { signal })
      if (existing && !existing.link) await keepOwnerAndMode(handle, existing)
      if (mode !== undefined) await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    signal?.throwIfAborted()
    // At the last moment: writing and syncing took a while, and whoever does not know Tizona's locks may have written meanwhile.
    if (expected !== undefined) await refuseOther(absolute, name, expected, fileSystem)
    await fileSystem.rename(temporary, absolute)
  } catch (error) {
    await fileSystem.rm(temporary, { force: true })
    throw error
  }
  return stampOf(await fileSystem.stat(absolute, { bigint: true }))
}

/** Throws `changed_on_disk` when the file is not the one of the stamp any more. */
export async function refuseOther(
  absolute: string,
  name: string,
  expected: FileStamp | null,
  fileSystem: FileSystem,
): Promise<void> {
  const now = await fileSystem.lstat(absolute, { bigint: true }).then(stampOf, (error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (now === expected) return
  const how =
    now === null
      ? 'is gone from the disk'
      : expected === null
        ? 'was created by another program'
        : 'was changed by another program'
  throw new ToolError(
    'changed_on_disk',
    `"${name}" ${how} a moment ago, so nothing was written.`,
    'Read it again and repeat the change on what it holds now.',
  )
}

interface ExistingStats {
  mode: number
  uid: number
  gid: number
  link: boolean
}

async function existingStats(absolute: string, fileSystem: FileSystem): Promise<ExistingStats | null> {
  try {
    const stats = await fileSystem.lstat(absolute)
    if (stats.isDirectory())
      throw new ToolError(
        'is_directory',
        `"${path.basename(absolute)}" is a directory, so no file can be written there.`,
        'Name a file inside it.',
      )
    return { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid, link: stats.isSymbolicLink() }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

async function keepOwnerAndMode(handle: FileHandle, existing: ExistingStats): Promise<void> {
  const now = await handle.stat()
  if (now.uid !== existing.uid || now.gid !== existing.gid) {
    try {
      await handle.chown(existing.uid, existing.gid)
    } catch (error) {
      // Only root may give files away: another's file that we may write becomes ours, as with every editor that replaces files.
      if (errorCode(error) !== 'EPERM') throw error
    }
  }
  // After chown, which clears the set-user-id bits.
  await handle.chmod(existing.mode)
}

/** Whether this process may write an existing file. */
export async function isWritable(absolute: string, fileSystem: FileSystem = diskFileSystem): Promise<boolean> {
  try {
    await fileSystem.access(absolute, constants.W_OK)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

/** Time of change, size and inode: a file written again in the same instant has another inode, since writes replace it. */
function stampOf(stats: { mtimeNs: bigint; size: bigint; ino: bigint }): FileStamp {
  return `${stats.mtimeNs}-${stats.size}-${stats.ino}`
}
