import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { FileStamp } from '../../shared/files/files.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import { holdFolder, openWithStats, type HeldFolder } from '../base/heldFolder.ts'
import { thisMachine, thisProcess, type ProcessIdentity } from '../base/processIdentity.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import { diskFileSystem, type FileSystem } from './fileSystem.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { changedByOther, requireStamp, stampOf } from './fileStamp.ts'
import { appendBytes, replaceAndCompare, type LateWrite, writeInPlace, type Replacement } from './writeInPlace.ts'
import { decodeText, encodeText, type DecodedText } from '../base/textFormat.ts'

/** Content and metadata of a text file on disk. */
export interface TextFile extends DecodedText {
  stamp: FileStamp
  /** Bytes. */
  size: number
}

/** Maximum bytes of a file opened as text. */
export const maxTextFileSize = 50 * 1024 * 1024

/** The process that created a temporary file. */
export interface TemporaryOwner extends ProcessIdentity {
  /** Whether it ran on this machine; false if the name does not identify a machine, as in older versions. */
  isHere: boolean
}

const temporaryPrefix = '.tizona-write-'

/** Whether a file name belongs to a running or interrupted write. Such files are hidden. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(temporaryPrefix)
}

/** Returns a name for a temporary file in the same folder, where the final rename is atomic. */
export function temporaryPathFor(absolute: string): string {
  const { pid, start } = thisProcess()
  const name = `${temporaryPrefix}${pid}-${start}-${thisMachine()}-${randomBytes(8).toString('hex')}`
  return path.join(path.dirname(absolute), name)
}

/** Returns the process that created a temporary file, from the file's name; null for other names. */
export function temporaryOwner(name: string): TemporaryOwner | null {
  const [, pid, start, machine] = /^\.tizona-write-(\d+)-(\d*)-(?:([0-9a-f]{8})-)?[0-9a-f]{16}$/.exec(name) ?? []
  return pid === undefined || start === undefined
    ? null
    : { pid: Number(pid), start, isHere: machine === thisMachine() }
}

/**
 * Reads a text file.
 * @param absolute real path from `Workspace.resolve`. A link created since, here or above, is not followed
 * @param name path shown in errors
 * @param decode decodes according to what is known about the file's encoding
 * @throws ToolError `not_found`, `is_directory`, `invalid_path` (a device or pipe), `too_large`, `binary_file`,
 * `invalid_encoding`, `permission_denied`, `changed_on_disk` if a folder above it was replaced
 */
export async function readTextFile(
  absolute: string,
  name: string,
  signal?: AbortSignal,
  decode: (content: Buffer, name: string) => DecodedText | Promise<DecodedText> = decodeText,
): Promise<TextFile> {
  signal?.throwIfAborted()
  let handle: FileHandle | undefined
  let closing: Promise<void> | undefined
  try {
    const opened = await openWithStats(absolute)
    handle = opened.handle
    const { stats } = opened
    if (stats.isDirectory())
      throw new ToolError('is_directory', `"${name}" is a directory, not a file.`, 'List it, or pass a file inside it.')
    if (!stats.isFile())
      throw new ToolError('invalid_path', `"${name}" is a device, pipe or socket, not a file.`, 'Use a regular file.')
    const size = Number(stats.size)
    if (size > maxTextFileSize) {
      throw new ToolError(
        'too_large',
        `"${name}" is ${formatSize(size)}; the maximum for text is ${formatSize(maxTextFileSize)}.`,
        'Search in it, or read a range of its lines.',
      )
    }
    const content = await readToEnd(handle, size, signal)
    closing = handle.close()
    const decoded = await decode(content, name)
    release(content)
    return { ...decoded, stamp: stampOf(stats), size }
  } catch (error) {
    throw fileError(error, `"${name}" could not be read.`)
  } finally {
    await (closing ?? handle?.close())
  }
}

/** Maximum bytes of a file that is read in one piece. Reading a larger one can be cancelled. */
const maxPiece = 512 * 1024

/**
 * Reads a file to its end, with one system call unless it changes meanwhile. @param size its size when it was opened
 */
async function readToEnd(handle: FileHandle, size: number, signal: AbortSignal | undefined): Promise<Buffer> {
  if (size > maxPiece) return handle.readFile({ signal })
  const content = Buffer.allocUnsafe(size + 1)
  const { bytesRead } = await handle.read(content, 0, size + 1, 0)
  return bytesRead === size ? content.subarray(0, size) : handle.readFile({ signal })
}

/**
 * Frees the bytes of a large file immediately. They have no other user, and the garbage collector would keep them for
 * long.
 */
function release({ buffer, length }: Buffer): void {
  if (length > maxPiece && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

export interface WriteTextOptions {
  /** Previous content, whose mixed line endings are kept. Omitted for a new file. */
  before?: DecodedText
  /** Stamp of the file to replace, or null for a new file. Any other state fails with `changed_on_disk`. */
  expected?: FileStamp | null
  /**
   * Writes in place if the file has other names (hard links), has an owner or group that a new file could not have, or
   * cannot be replaced because of its folder or because it is a mount point. Only for saves by the user: another name
   * can be outside the folder, where no tool may write.
   */
  keepIdentity?: boolean
  signal?: AbortSignal
  fileSystem?: FileSystem
}

/**
 * Writes a whole text file atomically: to a temporary file next to it, which is synced and renamed. Keeps permission
 * bits. Creates missing parent folders, and removes them if the write fails.
 * @param absolute real path, so that a symlink stays and its target is written
 * @throws ToolError `permission_denied`, `no_space`, `is_directory`, `invalid_encoding`, `changed_on_disk`
 */
export async function writeTextFile(
  absolute: string,
  name: string,
  text: string,
  format: TextFormat,
  options: WriteTextOptions = {},
): Promise<FileStamp> {
  const { before, expected, keepIdentity, signal, fileSystem = diskFileSystem } = options
  const content = encodeText(text, format, before)
  signal?.throwIfAborted()
  try {
    return await withParents(absolute, fileSystem, (entry) =>
      replaceFile(entry, content, fileSystem, {
        name,
        expected,
        keepIdentity,
        signal,
        original: before && (() => encodeText(before.text, before.format, before)),
      }),
    )
  } catch (error) {
    throw fileError(error, `"${name}" could not be written.`)
  }
}

/**
 * Like `writeTextFile`, for bytes and permission bits of an earlier version. Replaces a link at this path instead of
 * following it.
 * @param absolute real path of the parent plus the file's own name, from `Workspace.resolve` with `symlink: 'keep'`
 */
export async function writeBytes(
  absolute: string,
  name: string,
  content: Buffer,
  mode: number,
  fileSystem: FileSystem = diskFileSystem,
): Promise<FileStamp> {
  try {
    return await withParents(absolute, fileSystem, (entry) => replaceFile(entry, content, fileSystem, { name, mode }))
  } catch (error) {
    throw fileError(error, `"${name}" could not be written.`)
  }
}

interface CreatedFolder {
  parent: HeldFolder
  name: string
}

/**
 * Creates the missing parent folders of `absolute`, and runs `make` with the entry's path in its held parent. Removes
 * the created folders if `make` fails.
 * @param absolute real path from `Workspace.resolve`
 */
export async function withParents<T>(
  absolute: string,
  fileSystem: FileSystem,
  make: (entry: string, parent: HeldFolder) => Promise<T>,
): Promise<T> {
  const held: HeldFolder[] = []
  const created: CreatedFolder[] = []
  try {
    const { folder, missing } = await deepestFolder(path.dirname(absolute))
    held.push(folder)
    let parent = folder
    for (const name of missing) {
      if (await createFolder(parent.entry(name), fileSystem)) created.push({ parent, name })
      parent = await parent.enter(name)
      held.push(parent)
    }
    return await make(parent.entry(path.basename(absolute)), parent)
  } catch (error) {
    await removeEmptyFolders(created, fileSystem)
    throw error
  } finally {
    await Promise.all(held.map((folder) => folder.release()))
  }
}

/** Holds the deepest existing folder of a path. @returns the names below it that do not exist */
async function deepestFolder(real: string): Promise<{ folder: HeldFolder; missing: string[] }> {
  const missing: string[] = []
  for (let current = real; ; current = path.dirname(current)) {
    try {
      return { folder: await holdFolder(current), missing: missing.toReversed() }
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || current === path.dirname(current)) throw error
      missing.push(path.basename(current))
    }
  }
}

/** @returns whether the folder was created; another program may have created it in the meantime */
async function createFolder(entry: string, fileSystem: FileSystem): Promise<boolean> {
  try {
    await fileSystem.mkdir(entry)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function removeEmptyFolders(created: readonly CreatedFolder[], fileSystem: FileSystem): Promise<void> {
  for (const { parent, name } of created.toReversed()) {
    try {
      await fileSystem.rmdir(parent.entry(name))
    } catch (error) {
      // Another program added files, so the folder stays. The original failure is reported.
      if (errorCode(error) !== undefined) return
      throw error
    }
  }
}

/** Errors for a folder in which no file can be created, and for a file that is a mount point. */
const unreplaceable: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EBUSY'])

/** @param entry path in a held folder */
async function replaceFile(
  entry: string,
  content: Buffer,
  fileSystem: FileSystem,
  {
    keepIdentity,
    mode,
    ...replacement
  }: Replacement & { keepIdentity?: boolean | undefined; mode?: number; original?: (() => Buffer) | undefined },
): Promise<FileStamp> {
  const existing = await existingStats(entry, fileSystem)
  const file = existing?.link === false ? existing : null
  // A rename only needs write permission for the folder, so write-protected files are checked explicitly.
  if (file) await fileSystem.access(entry, constants.W_OK)
  if (!keepIdentity || !file) return replaceByRename(entry, content, fileSystem, { ...replacement, file, mode })
  if (!mustStayInPlace(file)) {
    try {
      return await replaceByRename(entry, content, fileSystem, { ...replacement, file, mode })
    } catch (error) {
      if (!unreplaceable.has(errorCode(error))) throw error
    }
  }
  return writeInPlace(entry, content, fileSystem, replacement)
}

async function replaceByRename(
  entry: string,
  content: Buffer,
  fileSystem: FileSystem,
  {
    name,
    expected,
    file,
    mode,
    signal,
    original,
  }: Replacement & { file: ExistingStats | null; mode?: number | undefined; original?: (() => Buffer) | undefined },
): Promise<FileStamp> {
  const temporary = temporaryPathFor(entry)
  const handle = await fileSystem.open(temporary, 'wx', 0o666)
  let late: LateWrite | undefined
  try {
    try {
      await handle.writeFile(content, { signal })
      if (file) await keepOwnerAndMode(handle, file)
      if (mode !== undefined) await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    signal?.throwIfAborted()
    // Checked last, because programs that do not use Tizona's locks may write during the write and sync.
    if (expected !== undefined) await requireStamp(entry, name, expected, fileSystem)
    const rename = () => fileSystem.rename(temporary, entry)
    if (expected && original) late = await replaceAndCompare(entry, expected, original, rename)
    else await rename()
  } catch (error) {
    await fileSystem.rm(temporary, { force: true })
    throw error
  }
  const stamp = stampOf(await fileSystem.lstat(entry, { bigint: true }))
  // The stamp of the write itself, so that a tab notices the appended text as a change on disk.
  if (late?.kind === 'appended') await appendBytes(entry, late.content)
  if (late?.kind === 'rewritten') {
    await replaceByRename(entry, late.content, fileSystem, { name, expected: stamp, file })
    throw changedByOther(name)
  }
  return stamp
}

interface ExistingStats {
  mode: number
  uid: number
  gid: number
  /** Number of hard links. */
  nlink: number
  link: boolean
}

async function existingStats(absolute: string, fileSystem: FileSystem): Promise<ExistingStats | null> {
  try {
    const stats = await fileSystem.lstat(absolute)
    if (stats.isDirectory())
      throw new ToolError(
        'is_directory',
        `"${path.basename(absolute)}" is a directory, so no file can be written there.`,
        'Pass a file inside it.',
      )
    const { uid, gid, nlink } = stats
    return { mode: stats.mode & 0o7777, uid, gid, nlink, link: stats.isSymbolicLink() }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Whether replacing the file would lose something: its other names, or its owner or group. */
function mustStayInPlace({ uid, gid, nlink }: ExistingStats): boolean {
  if (nlink > 1) return true
  const user = process.geteuid?.()
  // Root may give files to others. Windows has no owners here.
  if (user === undefined || user === 0) return false
  return uid !== user || (gid !== process.getegid?.() && process.getgroups?.().includes(gid) !== true)
}

async function keepOwnerAndMode(handle: FileHandle, existing: ExistingStats): Promise<void> {
  const now = await handle.stat()
  if (now.uid !== existing.uid || now.gid !== existing.gid) {
    try {
      await handle.chown(existing.uid, existing.gid)
    } catch (error) {
      // Only root may change owners. Otherwise this user becomes the owner, as in other editors that replace files.
      if (errorCode(error) !== 'EPERM') throw error
    }
  }
  // After chown, because chown clears the set-user-id bits.
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
