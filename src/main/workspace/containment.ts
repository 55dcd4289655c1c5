import type { BigIntStats } from 'node:fs'
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import type { WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import {
  absoluteIn,
  folderOf,
  folderPaths,
  relativeIn,
  topFolders,
  type WorkspaceRoots,
} from '../base/workspaceRoots.ts'
import { isAtOrBelow, locateOwnData, type OwnData } from './ownData.ts'
import { isMultiRoot, openMultiRoot, type MultiRoot } from './multiRoot.ts'

export interface ResolvedPath {
  /** Real absolute path. Symlinks are resolved as far as the path exists. */
  absolute: string
  /** Relative to the root with `/` separators; `.` is the root itself. */
  relative: string
  exists: boolean
  /** `symlink` only occurs with the option `symlink: 'keep'`. */
  type: 'file' | 'directory' | 'symlink' | 'other' | 'missing'
}

export interface ResolveOptions {
  missing?: 'allow'
  /** Returns a link itself instead of its target, e.g. to delete or move it. Its parent folders are still resolved. */
  symlink?: 'keep'
  /** For callers that change everything below the path. Fails if the path contains Tizona's own data. */
  below?: 'all'
}

/** The open folder, or folders. Every path from a tool or the window passes through `resolve`. */
export interface Workspace extends WorkspaceRoots {
  /** The file of a multi-root workspace. */
  readonly multiRoot?: MultiRoot | undefined
  /**
   * Resolves a path, relative to the root or absolute, and checks that it is inside the root. The check covers `..`,
   * symlinks, case variants and missing parents. Tizona's own data counts as outside.
   * @throws ToolError `invalid_path`, `outside_workspace`, `permission_denied`; `not_found` unless `missing` is `allow`
   */
  resolve(path: string, options?: ResolveOptions): Promise<ResolvedPath>
  /** Converts an absolute path inside the root to its relative form. @throws ToolError `outside_workspace` */
  relative(absolute: string): string
  /** Tizona's own data below the root, relative to it. No method of the workspace accepts these paths. */
  readonly ownData: readonly string[]
  /** Whether a path relative to the root is part of Tizona's own data. Only compares names, for lists of many paths. */
  isOwnData(relative: string): boolean
}

export interface WorkspaceOptions {
  /** Data folders of Tizona, which no path may lead into. */
  dataFolders?: readonly string[]
  /** Allows a root inside a data folder, for the tour's copy. */
  insideData?: boolean
  /** Folder for the links to the folders of multi-root workspaces. Absent: only single folders can be opened. */
  links?: string
}

/** Maximum length of a chain of symlinks, as on Linux. Longer chains count as a cycle. */
const maxLinks = 40

/**
 * Opens a folder, or the folders of a `.code-workspace` file, as the workspace.
 * @param folder absolute, or relative to the process's working directory
 * @throws ToolError `not_found`, `not_a_directory`, `permission_denied`; `invalid_arguments` for a file that is no
 * workspace; `outside_workspace` for a data folder of Tizona
 */
export async function openWorkspace(folder: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  checkSpelling(folder)
  const folderPath = path.resolve(expandHome(folder))
  const multiRoot =
    options.links !== undefined && (await isMultiRoot(folderPath, options.links))
      ? await openMultiRoot(folderPath, options.links, (each) => openFolder(each, options.dataFolders ?? []))
      : undefined
  if (multiRoot) {
    const roots = { root: multiRoot.root, folders: multiRoot.folders }
    const ownData = await locateOwnData(roots, options.dataFolders ?? [])
    return { ...(await createWorkspace(roots, ownData, multiRoot.renamed)), multiRoot }
  }
  const { root, ownData } = await openFolder(folderPath, options.insideData ? undefined : (options.dataFolders ?? []))
  return createWorkspace({ root }, ownData)
}

/** @param dataFolders undefined: the folder may be one of them */
async function openFolder(
  folderPath: string,
  dataFolders: readonly string[] | undefined,
): Promise<{ root: string; ownData: OwnData }> {
  let root: string
  try {
    root = await realpath(folderPath)
    if (!(await stat(root)).isDirectory()) {
      throw new ToolError('not_a_directory', `"${folderPath}" is a file, not a folder.`, 'Open its parent folder.')
    }
    await readdir(root)
  } catch (error) {
    throw fileError(error, `The folder "${folderPath}" could not be opened.`)
  }
  const ownData = dataFolders ? await locateOwnData({ root }, dataFolders) : noOwnData
  if (await ownData.covers(root)) {
    throw new ToolError(
      'outside_workspace',
      `"${folderPath}" is where Tizona keeps its own data, so it cannot be opened as a workspace.`,
      'Open another folder. Settings are on the settings page.',
    )
  }
  return { root, ownData }
}

/** @param renamed names that the folders had before, which conversations contain */
async function createWorkspace(
  roots: WorkspaceRoots,
  ownData: OwnData,
  renamed?: MultiRoot['renamed'],
): Promise<Workspace> {
  const { root, folders } = roots
  const foldsCase = new Map(
    await Promise.all(folderPaths(roots).map(async (top) => [top, await ignoresCase(top)] as const)),
  )

  function relative(absolute: string): string {
    const found = relativeIn(roots, absolute)
    if (found === null) throw outside(absolute)
    return found
  }

  /** Returns the path below the folder itself instead of below its link. */
  function throughLink(wanted: string, requested: string): string {
    const inside = relativeIn({ root }, wanted)
    if (inside === null || folders === undefined) return wanted
    const [name = '', ...rest] = inside.split('/')
    const named = folderNamed(folders, name, renamed)
    if (!named) throw withoutFolder(requested, roots)
    return path.join(named.path, ...rest)
  }

  /** Returns an existing workspace path as spelled on disk. @param same compares names */
  async function spelled(inside: string, same?: (name: string) => string): Promise<string> {
    const place = folderOf(roots, inside)
    if (!place) return inside
    const spelling = await spellingOnDisk(place.absolute, place.inside, same)
    return place.folder === '.' ? spelling : spelling === '.' ? place.folder : `${place.folder}/${spelling}`
  }

  async function resolve(requested: string, { missing, symlink, below }: ResolveOptions = {}): Promise<ResolvedPath> {
    checkSpelling(requested)
    // Their tabs must not be read by tools.
    if (isOutsideFile(requested)) throw outside(requested)
    const lexical = path.resolve(root, expandHome(requested))
    if (folders && lexical === root) return { absolute: root, relative: '.', exists: true, type: 'directory' }
    const wanted = throughLink(lexical, requested)
    const keep = symlink === 'keep' && wanted !== path.parse(wanted).root
    const find = keep ? locateEntry : (path: string) => locate(path)
    let located = await find(wanted)
    if (!located.exists && requested.normalize('NFC') !== requested.normalize('NFD')) {
      // A name that differs only in its Unicode form is the same name. Writing must not create a look-alike.
      const below = relativeIn(roots, located.real)
      if (below !== null) located = await find(absoluteIn(roots, await spelled(below, composed)))
    }

    let inside = relativeIn(roots, located.real)
    // Looked up once, also for the check for own data. The result or error only counts after the checks.
    const stats = located.exists && inside !== null ? (keep ? lstat : stat)(located.real, { bigint: true }) : undefined
    stats?.catch(() => undefined)
    if (await ownData.covers(located.real, stats)) throw ownDataRefusal(requested)
    if (inside === null) throw outside(requested)
    if (below === 'all' && ownData.inside.some((place) => isAtOrBelow(located.real, absoluteIn(roots, place))))
      throw ownDataRefusal(requested)
    if (located.failure !== undefined) throw fileError(located.failure, `"${requested}" could not be accessed.`)
    if (located.exists && foldsCase.get(folderOf(roots, inside)?.absolute ?? root)) inside = await spelled(inside)
    const absolute = absoluteIn(roots, inside)
    const type = stats ? await typeOf(stats, requested) : 'missing'
    if (type === 'missing' && missing !== 'allow') {
      throw new ToolError(
        'not_found',
        `"${inside}" does not exist in the workspace.`,
        'List the folder or search for the file by name, then use that path.',
        { cause: new MissingPath(inside) },
      )
    }
    return { absolute, relative: inside, exists: type !== 'missing', type }
  }

  const foldedData = ownData.inside.map(fold)
  return {
    root,
    folders,
    resolve,
    relative,
    ownData: ownData.inside,
    isOwnData(candidate) {
      if (foldedData.length === 0) return false
      const name = fold(candidate)
      return foldedData.some((place) => name === place || name.startsWith(`${place}/`))
    },
  }
}

/** Returns a function that resolves the paths of a workspace and of one more folder. @param folder real path */
export async function resolveAlsoIn(workspace: Workspace, folder: string): Promise<Workspace['resolve']> {
  const further = await openWorkspace(folder)
  return async (absolute, options) => {
    try {
      return await workspace.resolve(absolute, options)
    } catch (error) {
      if (!(error instanceof ToolError && error.code === 'outside_workspace') || isOwnDataRefusal(error)) throw error
      return further.resolve(absolute, options)
    }
  }
}

/** Cause of the error for a path that does not exist. */
class MissingPath extends Error {
  readonly path: string

  constructor(path: string) {
    super('The path does not exist.')
    this.path = path
  }
}

/** Returns the workspace path that an error reports as missing; undefined for other errors. */
export function missingPathOf(error: unknown): string | undefined {
  return error instanceof ToolError && error.cause instanceof MissingPath ? error.cause.path : undefined
}

const noOwnData: OwnData = { covers: () => Promise.resolve(false), inside: [] }

interface Located {
  /** Real path as far as it exists, followed by the missing rest. */
  real: string
  exists: boolean
  /** Error that stopped the resolution. Only reported once the path is known to be inside the workspace. */
  failure?: unknown
}

/** Resolves every symlink in a path, even dangling ones, and keeps the part that does not exist. */
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
      failure: above.failure ?? (missing && links < maxLinks ? undefined : error),
    }
  }
}

/** Like `locate`, but keeps the last component if it is a symlink. */
async function locateEntry(wanted: string): Promise<Located> {
  const parent = await locate(path.dirname(wanted))
  const real = path.join(parent.real, path.basename(wanted))
  if (!parent.exists) return { ...parent, real }
  try {
    await lstat(real)
    return { real, exists: true }
  } catch (error) {
    return { real, exists: false, failure: errorCode(error) === 'ENOENT' ? undefined : error }
  }
}

/** Returns the target of a dangling symlink, or undefined if there is no such link. */
async function danglingTarget(candidate: string): Promise<string | undefined> {
  try {
    const target = await readlink(candidate)
    return path.resolve(await realpath(path.dirname(candidate)), target)
  } catch (error) {
    const code = errorCode(error)
    // EINVAL: the path is not a link, so it was created after the check.
    if (code === 'ENOENT' || code === 'EINVAL' || code === 'ENOTDIR') return undefined
    throw error
  }
}

async function typeOf(stats: Promise<BigIntStats>, requested: string): Promise<ResolvedPath['type']> {
  try {
    const found = await stats
    if (found.isSymbolicLink()) return 'symlink'
    if (found.isFile()) return 'file'
    return found.isDirectory() ? 'directory' : 'other'
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing'
    throw fileError(error, `"${requested}" could not be accessed.`)
  }
}

function checkSpelling(requested: string): void {
  if (requested.trim() === '')
    throw new ToolError('invalid_path', 'The path is empty.', 'Pass a file or folder; "." is the workspace itself.')
  if (requested.includes('\0'))
    throw new ToolError(
      'invalid_path',
      'The path contains a NUL character, which file names cannot contain.',
      'Send the path without it.',
    )
  // On NTFS, `name:stream` opens an alternate data stream, which bypasses rules on file names.
  if (process.platform === 'win32' && requested.replace(/^[a-z]:/i, '').includes(':')) {
    throw new ToolError(
      'invalid_path',
      `"${requested}" contains a colon, which Windows file names cannot contain.`,
      'Send the path without it.',
    )
  }
}

/**
 * Returns the folder that the first part of a path means: by its name, also in other case, or by its earlier name.
 * @param renamed names by earlier ones
 */
export function folderNamed(
  folders: readonly WorkspaceFolder[],
  name: string,
  renamed: Readonly<Record<string, string>> | undefined,
): WorkspaceFolder | undefined {
  return (
    folders.find((each) => each.name === name) ??
    folders.find((each) => fold(each.name) === fold(name)) ??
    folders.find((each) => each.name === renamed?.[name])
  )
}

/** Expands `~`, which models and shells use for the home folder. A folder named `~` can be reached as `./~`. */
export function expandHome(requested: string): string {
  return requested === '~' || requested.startsWith('~/') ? path.join(homedir(), requested.slice(1)) : requested
}

function outside(requested: string): ToolError {
  return new ToolError(
    'outside_workspace',
    `"${requested}" is outside the workspace. Only paths inside it are allowed.`,
    'Use a path relative to the workspace, without leaving it through "..", "~" or a symbolic link.',
  )
}

/** Error for a path of a multi-root workspace that does not begin with the name of a folder. */
function withoutFolder(requested: string, roots: WorkspaceRoots): ToolError {
  const names = topFolders(roots).map((name) => `"${name}/"`)
  return new ToolError(
    'not_found',
    `"${requested}" is in no folder of the workspace.`,
    `Begin the path with the name of a folder: ${names.join(', ')}.`,
  )
}

/** Cause of errors for paths that lead to Tizona's own data, inside the workspace or not. */
const ownDataCause = { reason: 'own data' }

/** Whether `Workspace.resolve` refused a path because it leads to Tizona's own data. */
export function isOwnDataRefusal(error: unknown): boolean {
  return error instanceof ToolError && error.cause === ownDataCause
}

function ownDataRefusal(requested: string): ToolError {
  return new ToolError(
    'outside_workspace',
    `"${requested}" contains Tizona's own data (settings, keys, conversations), which is never accessible here.`,
    'Work on other paths. Only the user changes settings, on the settings page.',
    { cause: ownDataCause },
  )
}

/** Whether the file system ignores case. Checks the last name in the root's path that contains letters. */
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
 * Returns an existing path as spelled on disk, so that rules see one path for all case and Unicode variants of a name
 * (compare CVE-2025-59944). A name that cannot be looked up stays unchanged.
 */
export async function spellingOnDisk(root: string, relative: string, same = fold): Promise<string> {
  if (relative === '.') return relative
  const spelled: string[] = []
  for (const name of relative.split('/')) {
    const names = await namesIn(path.join(root, ...spelled))
    spelled.push(names.includes(name) ? name : (names.find((other) => same(other) === same(name)) ?? name))
  }
  return spelled.join('/')
}

function composed(name: string): string {
  return name.normalize('NFC')
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** Returns the names in a folder; empty if it may be entered but not listed. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}
