import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  lstatSync,
  type BigIntStats,
  type Stats,
} from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'

/*
 * Between the check of a path and its use, another process can replace a parent folder by a link. On Linux these
 * functions open the parent first, verify where its descriptor points, and reach each entry through the descriptor
 * (`/proc/self/fd/N/name`), so replacing the parent has no effect. macOS and Windows have no such paths. There the
 * real path is compared just before each use, which leaves a short race.
 */

/** A folder that stays the same while it is held, even if its path is replaced. */
export interface HeldFolder {
  /** Path of the folder for file system calls. Valid until `release`. */
  readonly path: string
  /** Path of an entry for system calls that do not follow links. Valid until `release`. */
  entry(name: string): string
  /** Holds a subfolder. Fails with `ENOTDIR` or `ELOOP` for a link. */
  enter(name: string): Promise<HeldFolder>
  release(): Promise<void>
}

/** Linux's O_PATH: a descriptor that only refers to a path. Opening needs no read permission. */
const openPath = 0o10000000
/** Flags to open an entry only for `descriptorPath`, without following a link and, on Linux, without reading. */
export const pathOnlyFlags = process.platform === 'linux' ? openPath | constants.O_NOFOLLOW : constants.O_RDONLY
const folderFlags = openPath | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
/** O_NONBLOCK: opening a pipe must not wait for a writer. None of these flags exists on Windows. */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd')

/** Returns a path to the file of an open handle; `otherwise` on systems without such paths. */
export function descriptorPath({ fd }: Pick<FileHandle, 'fd'>, otherwise: string): string {
  return hasDescriptorPaths ? `/proc/self/fd/${fd}` : otherwise
}

/**
 * Holds a folder.
 * @param real real path, already checked
 * @throws ToolError `changed_on_disk` if the path now leads to another folder
 */
export async function holdFolder(real: string): Promise<HeldFolder> {
  if (!hasDescriptorPaths) {
    if (!sameSpelling(await realpath(real), real)) throw replaced(real)
    return namedFolder(real)
  }
  const handle = await open(real, folderFlags)
  try {
    if (!sameSpelling(await readlink(`/proc/self/fd/${handle.fd}`), real)) throw replaced(real)
    return descriptorFolder(handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Runs `act` with the path of an entry while its folder is held.
 * @param absolute real path of the folder, plus the entry's name
 */
export async function inFolder<T>(
  absolute: string,
  act: (entry: string, folder: HeldFolder) => Promise<T>,
): Promise<T> {
  const folder = await holdFolder(path.dirname(absolute))
  try {
    return await act(folder.entry(path.basename(absolute)), folder)
  } finally {
    await folder.release()
  }
}

function descriptorFolder(handle: FileHandle): HeldFolder {
  const own = `/proc/self/fd/${handle.fd}`
  return {
    path: own,
    entry: (name) => `${own}/${name}`,
    enter: async (name) => descriptorFolder(await open(`${own}/${name}`, folderFlags)),
    release: () => handle.close(),
  }
}

function namedFolder(real: string): HeldFolder {
  return {
    path: real,
    entry: (name) => path.join(real, name),
    async enter(name) {
      const child = path.join(real, name)
      if (!(await lstat(child)).isDirectory())
        throw Object.assign(new Error(`${child} is not a folder`), { code: 'ENOTDIR', syscall: 'open' })
      return namedFolder(child)
    },
    release: () => Promise.resolve(),
  }
}

/**
 * Opens a file for reading and verifies that it is the file at this path, not one reached through a replaced parent
 * folder. Does not follow a link.
 * @param absolute real path, already checked
 * @throws ToolError `changed_on_disk`
 */
export async function openInPlace(absolute: string, openFile: typeof open = open): Promise<FileHandle> {
  const handle = await openFile(absolute, readFlags)
  try {
    if (!(await isInPlace(handle, absolute))) throw replaced(absolute)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Like `openInPlace`, and returns the file's stats. */
export async function openWithStats(absolute: string): Promise<{ handle: FileHandle; stats: BigIntStats }> {
  const handle = await open(absolute, readFlags)
  try {
    const [isThere, stats] = await Promise.all([isInPlace(handle, absolute), handle.stat({ bigint: true })])
    if (!isThere) throw replaced(absolute)
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function isInPlace(handle: FileHandle, absolute: string): Promise<boolean> {
  if (hasDescriptorPaths) return isAt(await readlink(`/proc/self/fd/${handle.fd}`), absolute)
  if (!sameSpelling(await realpath(absolute), absolute)) return false
  const [opened, now] = await Promise.all([handle.stat({ bigint: true }), lstat(absolute, { bigint: true })])
  return opened.ino === now.ino && opened.dev === now.dev
}

/** Synchronous `openInPlace`, for threads that may block. */
export function openInPlaceSync(absolute: string): number {
  const descriptor = openSync(absolute, readFlags)
  try {
    if (!isInPlaceSync(descriptor, absolute)) throw replaced(absolute)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function isInPlaceSync(descriptor: number, absolute: string): boolean {
  if (hasDescriptorPaths) return isAt(readlinkSync(`/proc/self/fd/${descriptor}`), absolute)
  if (!sameSpelling(realpathSync(absolute), absolute)) return false
  const [opened, now] = [fstatSync(descriptor, { bigint: true }), lstatSync(absolute, { bigint: true })]
  return opened.ino === now.ino && opened.dev === now.dev
}

/** Opens a file like `openInPlace` and reads it as text. For processes that may block. */
export function readTextInPlaceSync(absolute: string): string {
  return readLimitedInPlaceSync(absolute, Infinity).content?.toString('utf8') ?? ''
}

/** Like `readTextInPlaceSync`, but returns bytes and stats. `content` is null if it exceeds `maxBytes`. */
export function readLimitedInPlaceSync(absolute: string, maxBytes: number): { stats: Stats; content: Buffer | null } {
  const descriptor = openSync(absolute, readFlags)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw replaced(absolute)
    if (hasDescriptorPaths && !isAt(readlinkSync(`/proc/self/fd/${descriptor}`), absolute)) throw replaced(absolute)
    return { stats, content: stats.size <= maxBytes ? readFileSync(descriptor) : null }
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a descriptor still refers to a path. Linux marks a file that was replaced after it was opened. */
function isAt(location: string, absolute: string): boolean {
  return sameSpelling(location, absolute) || sameSpelling(location, `${absolute} (deleted)`)
}

/** File systems that ignore case or normalize Unicode report their own spelling of a name. */
function sameSpelling(one: string, other: string): boolean {
  return one === other || one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase()
}

function replaced(absolute: string): ToolError {
  return new ToolError(
    'changed_on_disk',
    `Another program replaced "${absolute}" or a folder above it during the call.`,
    'Try again. If it fails again, find out which program moves or links this folder.',
  )
}
