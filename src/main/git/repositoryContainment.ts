import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { absoluteIn, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { ToolError } from '../../shared/errors.ts'
import { errorCode } from '../base/fileErrors.ts'
import { readSmallFile } from '../base/smallFile.ts'
import type { ResolvedPath, Workspace } from '../workspace/containment.ts'

/** Where the parts of a repository may be: the workspace, and for a worktree its common git folder. */
export type GitPlaces = Pick<Workspace, 'resolve'>

interface GitFolders {
  /** Absolute. */
  gitDir: string
  /** Absolute. Equal to `gitDir` except in a linked worktree. */
  commonDir: string
}

/**
 * Entries of a git folder that status, diff and commit do not read: hooks do not run, and other repositories have their
 * own folders.
 */
const unread = new Set(['hooks', 'modules', 'worktrees', 'lfs', 'annex'])
/** Maximum number of entries checked. Git packs loose objects long before that. */
const maxEntries = 500_000
/** Number of folders listed concurrently. */
const concurrency = 16
/** Maximum length of a chain of alternates, as in git. */
const maxAlternates = 5

/**
 * Rejects a repository that reads objects, refs or other data outside the workspace, through links or
 * `objects/info/alternates`. Otherwise it could expose another repository of the user.
 * @throws ToolError `outside_workspace`, `too_large`
 */
export async function refuseExternalData(
  workspace: GitPlaces,
  { gitDir, commonDir }: GitFolders,
  signal: AbortSignal,
): Promise<void> {
  const visited = new Set<string>()
  for (const folder of new Set([gitDir, commonDir])) await checkLinks(workspace, folder, unread, visited, signal)
  await checkAlternates(workspace, path.join(commonDir, 'objects'), visited, signal)
}

/** Checks every link in a folder. Follows a link to a folder inside the workspace. */
async function checkLinks(
  workspace: GitPlaces,
  start: string,
  skipped: ReadonlySet<string>,
  visited: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  let entries = 0
  const level = [start]
  while (level.length > 0) {
    signal.throwIfAborted()
    const some = level.splice(0, concurrency).filter((folder) => !visited.has(folder))
    for (const folder of some) visited.add(folder)
    const listed = (await Promise.all(some.map((folder) => listEntries(folder, false)))).flat()
    entries += listed.length
    if (entries > maxEntries)
      throw new ToolError(
        'too_large',
        `The git folder has more than ${maxEntries} files.`,
        'Ask the user to run "git gc" in a terminal.',
      )
    for (const entry of listed) {
      const absolute = path.join(entry.parentPath, entry.name)
      if (entry.parentPath === start && skipped.has(entry.name)) continue
      if (entry.isDirectory()) level.push(absolute)
      else if (entry.isSymbolicLink()) {
        const target = await resolveInside(
          workspace,
          absolute,
          `"${entry.name}" in the git folder is outside the workspace.`,
        )
        if (target.type === 'directory') level.push(target.absolute)
      }
    }
  }
}

async function checkAlternates(
  workspace: GitPlaces,
  objects: string,
  visited: Set<string>,
  signal: AbortSignal,
  depth = 0,
): Promise<void> {
  const list = await workspace.resolve(path.join(objects, 'info', 'alternates'), { missing: 'allow' })
  if (list.type !== 'file') return
  const message = 'Another repository, whose objects this one uses (objects/info/alternates), is outside the workspace.'
  const text = await readSmallFile(list.absolute)
  if (text === null) throw foreign(message)
  for (const line of text.split('\n')) {
    const named = line.trim()
    if (named === '' || named.startsWith('#')) continue
    if (named.startsWith('"') || depth >= maxAlternates) throw foreign(message)
    const other = await resolveInside(workspace, path.resolve(objects, named), message)
    if (other.type !== 'directory' || visited.has(other.absolute)) continue
    await checkLinks(workspace, other.absolute, new Set(), visited, signal)
    await checkAlternates(workspace, other.absolute, visited, signal, depth + 1)
  }
}

/**
 * Rejects links in the git folder before git writes. Through a link, git could write outside, e.g. append to a file
 * instead of a log.
 * @throws ToolError `outside_workspace`
 */
export async function refuseLinks({ gitDir, commonDir }: GitFolders): Promise<void> {
  const listed = await Promise.all(
    [...new Set([gitDir, commonDir])].flatMap((folder) => [
      listEntries(folder, false),
      ...['refs', 'logs', 'objects'].map((name) => listEntries(path.join(folder, name), name !== 'objects')),
    ]),
  )
  // The hooks folder is excluded: hooks do not run, and the folder is often a link.
  const link = listed
    .flat()
    .find(
      (entry) => entry.isSymbolicLink() && !(entry.name === 'hooks' && [gitDir, commonDir].includes(entry.parentPath)),
    )
  if (link) {
    throw new ToolError(
      'outside_workspace',
      `"${link.name}" in the git folder is a symbolic link, so a commit could write outside it.`,
      'Ask the user to commit in a terminal, or to replace the link.',
    )
  }
}

async function listEntries(folder: string, recursive: boolean) {
  try {
    return await readdir(folder, { withFileTypes: true, recursive })
  } catch (error) {
    // A worktree has no objects folder, and a new repository has no logs.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Resolves a path of a repository. @throws ToolError `outside_workspace` with this message */
export async function resolveInside(workspace: GitPlaces, absolute: string, message: string): Promise<ResolvedPath> {
  try {
    return await workspace.resolve(absolute, { missing: 'allow' })
  } catch (cause) {
    if (!(cause instanceof ToolError && cause.code === 'outside_workspace')) throw cause
    throw foreign(message, cause)
  }
}

function foreign(message: string, cause?: unknown): ToolError {
  return new ToolError('outside_workspace', message, 'Ask the user to open the folder that contains it.', { cause })
}

/**
 * Entries that make git treat a folder as a repository, and obey its configuration and hooks (gitrepository-layout(5)).
 */
const needed = ['head', 'objects', 'refs'] as const
/** If both exist, git looks for the other entries in the folder named in `commondir`. */
const linked = ['head', 'commondir'] as const
/** Entries that change the behavior of such a repository. */
const effective = new Set([...needed, ...linked, 'config', 'config.worktree', 'hooks', 'info', 'worktrees', 'modules'])

/**
 * Returns a folder that is a git repository without `.git` after these writes, because they complete it or change its
 * configuration or hooks. A later `git status` inside it would start the programs named in its configuration.
 * @param writes paths of one call, relative to the workspace
 * @returns relative path, or undefined if there is none
 */
export async function changedBareRepository(
  workspace: WorkspaceRoots,
  writes: readonly string[],
): Promise<string | undefined> {
  const written = new Map<string, Set<string>>()
  for (const place of writes) {
    const names = place.split('/').filter((name) => name !== '' && name !== '.')
    for (const [index, name] of names.entries()) {
      const entry = name.toLowerCase()
      if (!effective.has(entry)) continue
      const folder = names.slice(0, index).join('/')
      written.set(folder, (written.get(folder) ?? new Set()).add(entry))
    }
  }
  for (const [folder, entries] of written) {
    const present = new Set([...entries, ...(await namesIn(absoluteIn(workspace, folder)))])
    if (needed.every((name) => present.has(name)) || linked.every((name) => present.has(name))) return folder || '.'
  }
  return undefined
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).map((name) => name.toLowerCase())
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}
