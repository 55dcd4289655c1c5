import { lstat, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ToolError } from '../../shared/errors.ts'
import type { LocatedPath } from '../../shared/files/files.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import { expandHome, type Workspace } from './containment.ts'

// Models write paths in the notations of other programs. A path that exists as written is never changed.

/** Rewrites a path from another notation. Returns it unchanged if it is not in that notation. */
type Notation = (given: string) => string

/** Notations that mean the same path whether or not it exists. */
const certain: readonly Notation[] = [
  (given) => given.trim(),
  (given) => /^(["'`])(.+)\1$/s.exec(given)?.[2] ?? /^<(.+)>$/s.exec(given)?.[1] ?? given,
  fromFileUrl,
  (given) => (process.platform === 'win32' ? given : given.replaceAll('\\', '/')),
  (given) => given.replace(/^(?:\.\/)+(?=[^/])/, ''),
]
/** Notations that only apply if the resulting path exists, because file names may look like them. */
const possible: readonly Notation[] = [
  // A mention, and a line number after the name.
  (given) => given.replace(/^@/, ''),
  (given) => given.replace(/(?:(?::\d+){1,2}(?:-\d+)?|#L\d+(?:-L?\d+)?|\(\d+(?:,\s*\d+)?\))$/, ''),
]

/**
 * Returns the path that a model means, which is the given one if it exists. Understands quotes, `file://`, backslashes,
 * `@path`, `path:5`, and a leading `/` for the open folder.
 */
export async function respellPath(given: string, workspace: Workspace): Promise<string> {
  if (given.trim() === '' || (await exists(given, workspace))) return given
  const spelled = apply(certain, given)
  const spellings = [...new Set([given, spelled].flatMap((one) => [one, ...alternatives(one)]))]
  for (const one of spellings) if (one !== given && (await exists(one, workspace))) return one
  for (const one of spellings) {
    const inFolder = await belowFolder(one, workspace)
    if (inFolder !== undefined && (await exists(inFolder, workspace))) return inFolder
  }
  return (await belowFolder(spelled, workspace)) ?? (await inOnlyFolder(spelled, workspace)) ?? spelled
}

/** Returns a path with the name of the only folder of a multi-root workspace that contains it. Models leave it out. */
async function inOnlyFolder(given: string, workspace: Workspace): Promise<string | undefined> {
  if (workspace.folders === undefined || path.isAbsolute(given) || given.startsWith('..')) return undefined
  const candidates = workspace.folders.map(({ name }) => `${name}/${given}`)
  const found = await Promise.all(candidates.map((each) => exists(each, workspace)))
  const [only, ...others] = candidates.filter((_, index) => found[index])
  return others.length === 0 ? only : undefined
}

function apply(notations: readonly Notation[], given: string): string {
  return notations.reduce((text, notation) => notation(text) || text, given)
}

function alternatives(given: string): string[] {
  const each = possible.map((notation) => notation(given))
  return [...each, apply(possible, given)].filter((one) => one !== given && one !== '')
}

function fromFileUrl(given: string): string {
  if (!/^file:/i.test(given)) return given
  try {
    return fileURLToPath(given)
  } catch {
    // A relative path after the scheme, or an invalid escape.
    return given.replace(/^file:(?:\/\/)?/i, '')
  }
}

/**
 * Rewrites an absolute path to one in the open folder, which some models take for the file system root. Undefined if
 * the path's parent folder exists on the disk, so that it may be meant.
 */
async function belowFolder(given: string, { root }: Workspace): Promise<string | undefined> {
  if (!path.isAbsolute(given)) return undefined
  const relative = given.replace(/^(?:[a-z]:)?[\\/]+/i, '')
  if (relative === '') return '.'
  const [top = ''] = relative.split('/')
  const above = relative.includes('/') ? path.join(path.parse(root).root, top) : given
  return (await onDisk(above)) ? undefined : relative
}

async function onDisk(absolute: string): Promise<boolean> {
  try {
    await lstat(absolute)
    return true
  } catch (error) {
    return errorCode(error) !== 'ENOENT'
  }
}

async function exists(given: string, workspace: Workspace): Promise<boolean> {
  try {
    return (await workspace.resolve(given, { missing: 'allow', symlink: 'keep' })).exists
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

/**
 * Returns the kind of an absolute path and its path relative to the open folder.
 * @throws ToolError `invalid_path` for a relative path, `permission_denied` if the path is not accessible
 */
export async function locatePath(typed: string, workspace: Workspace | null): Promise<LocatedPath> {
  const requested = expandHome(typed)
  if (requested.includes('\0') || !path.isAbsolute(requested))
    throw new ToolError('invalid_path', `"${requested}" is not an absolute path.`, 'Use the full path.')
  try {
    const kind = (await stat(requested)).isDirectory() ? 'folder' : 'file'
    return { path: requested, kind, inWorkspace: workspace && (await pathInside(workspace, requested)) }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { path: requested, kind: 'missing', inWorkspace: workspace && (await pathInside(workspace, requested)) }
    throw fileError(error, `"${requested}" could not be accessed.`)
  }
}

async function pathInside(workspace: Workspace, requested: string): Promise<string | null> {
  try {
    return (await workspace.resolve(requested, { missing: 'allow' })).relative
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
