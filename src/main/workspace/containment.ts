import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { errorCode, fileError } from './fileErrors.ts'

export interface ResolvedPath {
  /** Real absolute path: symlinks followed as far as the path exists. */
  absolute: string
  /** Relative to the root, `/` separated, `.` for the root itself. */
  relative: string
  exists: boolean
  /** `symlink` only with `symlink: 'keep'`. */
  type: 'file' | 'directory' | 'symlink' | 'other' | 'missing'
}

export interface ResolveOptions {
  missing?: 'allow'
  /** The entry itself and not what it points to: for deleting or moving a link. Its parent is resolved as ever. */
  symlink?: 'keep'
}

/** One open folder. Every path a tool or window names passes through `resolve`. */
export interface Workspace {
  /** Real path of the folder. */
  readonly root: string
  /**
   * Resolves a path, relative to the root or absolute, and proves that it lies inside: `..`, symlinks, case variants and
   * missing parents included. Throws `invalid_path`, `outside_workspace`, and `not_found` unless `missing: 'allow'`.
   */
  resolve(path: string, options?: ResolveOptions): Promise<ResolvedPath>
  /** An absolute path inside the root as the relative form that models and windows see. */
  relative(absolute: string): string
}

/** Longer chains of links are taken for a circle, as Linux does. */
const maxLinks = 40

/**
 * Opens a folder. Throws `not_found`, `not_a_directory`, `permission_denied`.
 * @param folder absolute, or relative to the process's folder
 */
export async function openWorkspace(folder: string): Promise<Workspace> {
  checkSpelling(folder)
  const asked = path.resolve(expandHome(folder))
  let root: string
  try {
    root = await realpath(asked)
    if (!(await stat(root)).isDirectory()) {
      throw new ToolError('not_a_directory', `"${asked}" is a file and not a folder.`, 'Open the folder it lies in.')
    }
    await readdir(root)
  } catch (error) {
    throw fileError(error, `open the folder "${asked}"`)
  }
  const caseInsensitive = await ignoresCase(root)

  function relative(absolute: string): string {
    const found = relativeInside(root, absolute)
    if (found === null) throw outside(absolute)
    return found
  }

  async function resolve(given: string, options: ResolveOptions = {}): Promise<ResolvedPath> {
    checkSpelling(given)
    const wanted = path.resolve(root, expandHome(given))
    const keep = options.symlink === 'keep' && wanted !== path.parse(wanted).root
    const located = keep ? await locateEntry(wanted) : await locate(wanted)

    let inside = relativeInside(root, located.real)
    if (inside === null) throw outside(given)
    if (located.trouble !== undefined) throw fileError(located.trouble, `look at "${given}"`)
    if (located.exists && caseInsensitive) inside = await trueCase(root, inside)
    const absolute = inside === '.' ? root : path.join(root, inside)
    const type = located.exists ? await typeOf(absolute, keep, given) : 'missing'
    if (type === 'missing' && options.missing !== 'allow') {
      throw new ToolError(
        'not_found',
        `"${inside}" does not exist in the workspace.`,
        'List the folder or search for the file by name, then use the path you find.',
      )
    }
    return { absolute, relative: inside, exists: type !== 'missing', type }
  }

  return { root, resolve, relative }
}

interface Located {
  /** Real as far as it exists; the rest as it was asked for. */
  real: string
  exists: boolean
  /** Why nothing could be seen beyond some folder on the way. Told only once the path is known to lie inside. */
  trouble?: unknown
}

/** Follows every link of `wanted`, dangling ones included, and keeps the part that does not exist yet. */
async function locate(wanted: string, links = 0): Promise<Located> {
  try {
    return { real: await realpath(wanted), exists: true }
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT'
    const target = missing && links < maxLinks ? await danglingTarget(wanted) : undefined
    if (target !== undefined) return locate(target, links + 1)
    const parent = path.dirname(wanted)
    if (parent === wanted) throw error
    const above = await locate(parent, links)
    return {
      real: path.join(above.real, path.basename(wanted)),
      exists: false,
      trouble: above.trouble ?? (missing && links < maxLinks ? undefined : error),
    }
  }
}

/** As `locate`, with the last component taken as it stands. */
async function locateEntry(wanted: string): Promise<Located> {
  const parent = await locate(path.dirname(wanted))
  const real = path.join(parent.real, path.basename(wanted))
  if (!parent.exists) return { ...parent, real }
  try {
    await lstat(real)
    return { real, exists: true }
  } catch (error) {
    return { real, exists: false, trouble: errorCode(error) === 'ENOENT' ? undefined : error }
  }
}

/** Where a symlink to nothing points; undefined when there is no link of that name. */
async function danglingTarget(candidate: string): Promise<string | undefined> {
  try {
    const target = await readlink(candidate)
    return path.resolve(await realpath(path.dirname(candidate)), target)
  } catch (error) {
    const code = errorCode(error)
    // EINVAL: it exists and is no link, which means that it was made this very moment.
    if (code === 'ENOENT' || code === 'EINVAL' || code === 'ENOTDIR') return undefined
    throw error
  }
}

async function typeOf(absolute: string, keep: boolean, given: string): Promise<ResolvedPath['type']> {
  try {
    const found = keep ? await lstat(absolute) : await stat(absolute)
    if (found.isSymbolicLink()) return 'symlink'
    if (found.isFile()) return 'file'
    return found.isDirectory() ? 'directory' : 'other'
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing'
    throw fileError(error, `look at "${given}"`)
  }
}

function relativeInside(root: string, absolute: string): string | null {
  const relative = path.relative(root, absolute)
  if (relative === '') return '.'
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) return null
  return relative.split(path.sep).join('/')
}

function checkSpelling(given: string): void {
  if (given.trim() === '')
    throw new ToolError('invalid_path', 'The path is empty.', 'Name a file or folder; "." is the workspace itself.')
  if (given.includes('\0'))
    throw new ToolError(
      'invalid_path',
      'The path holds a NUL character, which no file name can have.',
      'Send the path without it.',
    )
  // `name:stream` opens a hidden stream of a file on NTFS, past every rule on names.
  if (process.platform === 'win32' && given.replace(/^[a-z]:/i, '').includes(':')) {
    throw new ToolError(
      'invalid_path',
      `"${given}" holds a colon, which Windows file names cannot have.`,
      'Send the path without it.',
    )
  }
}

/** `~` is the home folder to every model and shell, so it must not become a folder of that name. `./~` still can. */
function expandHome(given: string): string {
  return given === '~' || given.startsWith('~/') ? path.join(homedir(), given.slice(1)) : given
}

function outside(given: string): ToolError {
  return new ToolError(
    'outside_workspace',
    `"${given}" lies outside the workspace, and only paths inside it may be used.`,
    'Use a path relative to the workspace, without leaving it through "..", "~" or a symbolic link.',
  )
}

/** Whether the disk takes `A` and `a` for the same name, tried on the last name in the root's path that has letters. */
async function ignoresCase(root: string): Promise<boolean> {
  for (let folder = root; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const name = path.basename(folder)
    const variant = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    if (variant === name) continue
    try {
      const [one, other] = await Promise.all([
        stat(folder, { bigint: true }),
        stat(path.join(path.dirname(folder), variant), { bigint: true }),
      ])
      return one.ino === other.ino && one.dev === other.dev
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EACCES') return false
      throw error
    }
  }
  return false
}

/**
 * An existing path spelled as the disk spells it, so that a case or Unicode variant of a name is the same path to every rule
 * (the hole of CVE-2025-59944). A name that cannot be looked up stays as it is.
 */
export async function trueCase(root: string, relative: string): Promise<string> {
  if (relative === '.') return relative
  const spelled: string[] = []
  for (const name of relative.split('/')) {
    const names = await namesIn(path.join(root, ...spelled))
    spelled.push(names.includes(name) ? name : (names.find((other) => fold(other) === fold(name)) ?? name))
  }
  return spelled.join('/')
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** Empty for a folder that may be entered but not listed. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}
