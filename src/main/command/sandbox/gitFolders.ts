import { lstat, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { commonFolder, linkedWorktree, namedGitFolder } from '../../base/linkedWorktree.ts'
import { readUnlinkedFile } from '../../base/unlinkedFile.ts'
import { isInsideAny } from './paths.ts'
import type { Mount } from './bubblewrapArguments.ts'

/** Names in a git folder that make git run programs or read another repository's configuration. */
export const gitReadOnlyNames = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir']
/** Entries of a common git folder that commits in every worktree write. */
const sharedFolders = ['objects', 'refs', 'logs']
const sharedNames = [...sharedFolders, 'packed-refs']
/** The stash of all worktrees, which a command in one of them must not change. */
const stashNames = ['refs/stash', 'logs/refs/stash']
/** Files that can disappear before they are mounted, which would prevent the command. */
const transientName = /\.lock$|^gc\.pid$/
/** Further entries of a common git folder that git creates there without changing what it does later. */
const harmlessName = /\.lock$|^(?:COMMIT_EDITMSG|FETCH_HEAD|ORIG_HEAD|gc\.log|gc\.pid|packed-refs\.new)$/

/** Maximum nesting of submodule git folders below `modules`, and maximum number of folders read there. */
const maxDepth = 50
const maxRead = 5000

/**
 * Returns the mounts for one `.git`: writable, so that commits work, with configuration and hooks read-only. Each git
 * folder is a separate mount, because a folder that only contains mounts could be renamed and replaced. If `.git` is a
 * file (worktree or submodule), mounts the folders that it names, provided they refer back to it. Never follows links,
 * because an earlier command can have created them, and a mount would expose their target.
 * @param workspace real paths of its folders
 */
export async function gitMounts(dotGit: string, workspace: readonly string[]): Promise<Mount[]> {
  const mounts: Mount[] = []
  // Usually the placeholder of another running command.
  if (await isEmptyFolder(dotGit)) return [{ kind: 'emptyFolder', path: dotGit }]
  if ((await kindOf(dotGit)) === 'file') mounts.push({ kind: 'readOnly', path: dotGit })
  const shared = await sharedFolder(dotGit, workspace)
  if (shared !== undefined) mounts.push(...(await sharedMounts(shared)))
  for (const folder of await gitFoldersOf(dotGit)) {
    if (folder === shared) continue
    const kinds = await Promise.all(gitReadOnlyNames.map((name) => kindOf(path.join(folder, name))))
    // A link cannot be covered, and could be replaced in a writable folder.
    const isChecked = !isInsideAny(folder, workspace) && ({ isChecked: true } as const)
    mounts.push({ kind: kinds.includes('other') ? 'readOnly' : 'writable', path: folder, ...isChecked })
    for (const [index, name] of gitReadOnlyNames.entries())
      if (kinds[index] === 'folder' || kinds[index] === 'file')
        mounts.push({ kind: 'readOnly', path: path.join(folder, name) })
  }
  return mounts
}

/** Returns the common git folder of a worktree if the folder is outside the workspace. */
export async function sharedFolder(dotGit: string, workspace: readonly string[]): Promise<string | undefined> {
  const common = (await linkedWorktree(dotGit))?.common
  return common === undefined || isInsideAny(common, workspace) ? undefined : common
}

/**
 * Returns the mounts of the common git folder of a worktree: read-only except for what a commit writes. The folder
 * itself is writable, because git creates `packed-refs.lock` in it and renames it to `packed-refs`. The folders in it
 * are mounts of their own, because a command cannot replace a mount by a link, which the next command would follow.
 */
async function sharedMounts(common: string): Promise<Mount[]> {
  // Otherwise a command could create it as a link. Fails if it exists.
  await mkdir(path.join(common, 'logs')).catch(() => undefined)
  const entries = await readdir(common, { withFileTypes: true }).catch(() => [])
  const stash = (
    await Promise.all(
      stashNames.map(async (name) => ((await kindOf(path.join(common, name))) === 'file' ? [name] : [])),
    )
  ).flat()
  const folders = entries
    .filter((entry) => entry.isDirectory() && sharedFolders.includes(entry.name))
    .map(({ name }): Mount => ({ kind: 'writable', path: path.join(common, name), isChecked: true }))
  // A link cannot be covered, and could be replaced in a writable folder.
  if (entries.some((entry) => !entry.isFile() && !entry.isDirectory()))
    return [{ kind: 'readOnly', path: common, isChecked: true }, ...folders]
  return [
    { kind: 'writable', path: common, isChecked: true },
    ...folders,
    ...[
      ...entries.map(({ name }) => name).filter((name) => !sharedNames.includes(name) && !transientName.test(name)),
      ...stash,
    ].map((name): Mount => ({ kind: 'readOnly', path: path.join(common, name) })),
  ]
}

/**
 * Returns the paths outside the workspace that a commit in a worktree writes, existing or not: its git folder, and what
 * the worktrees of the repository share.
 */
export async function sharedPaths(dotGit: string, workspace: readonly string[]): Promise<string[]> {
  const common = await sharedFolder(dotGit, workspace)
  if (common === undefined) return []
  const gitFolder = (await linkedWorktree(dotGit))?.gitFolder
  const names = [...sharedNames, 'packed-refs.lock', 'packed-refs.new']
  return [...(gitFolder === undefined ? [] : [gitFolder]), ...names.map((name) => path.join(common, name))]
}

/**
 * Returns the entries of a common git folder that commits do not write, for comparison after a command. Git would take
 * a created `rebase-merge` for an interrupted rebase of the main worktree, and follow a link in place of its files.
 */
export async function unsharedEntries(common: string): Promise<string[]> {
  const entries = await readdir(common, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isSymbolicLink() || (!sharedNames.includes(entry.name) && !harmlessName.test(entry.name)))
    .map(({ name }) => path.join(common, name))
}

/** Type of the entry at a path. `other` includes links. */
async function kindOf(file: string): Promise<'file' | 'folder' | 'other' | undefined> {
  const stats = await lstat(file).catch(() => undefined)
  if (stats === undefined) return undefined
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other'
}

async function isEmptyFolder(file: string): Promise<boolean> {
  return (await kindOf(file)) === 'folder' && (await readdir(file).catch(() => ['unreadable'])).length === 0
}

/**
 * Returns the git folders of one `.git`: its own, the common one of a worktree, and those of submodules and worktrees.
 * Omits other worktrees and their submodules for a worktree.
 */
export async function gitFoldersOf(dotGit: string): Promise<string[]> {
  const budget = { left: maxRead }
  const own = await ownGitFolders(dotGit)
  const folders = await Promise.all(
    own.map(async (folder, index) => (index < own.length - 1 ? [folder] : withInnerFolders(folder, 0, budget))),
  )
  return [...new Set(folders.flat())]
}

/**
 * Returns the real path of the git folder of one `.git`, preceded by the common one of a worktree. Ignores an empty
 * folder.
 */
export async function ownGitFolders(dotGit: string): Promise<string[]> {
  const kind = await kindOf(dotGit)
  if (kind === 'folder') return (await isEmptyFolder(dotGit)) ? [] : [dotGit]
  const folder = kind === 'file' ? await linkedGitFolder(dotGit) : undefined
  if (folder === undefined) return []
  return [...new Set([await commonFolder(folder), folder])]
}

interface Budget {
  /** Number of folders that may still be read. */
  left: number
}

async function withInnerFolders(folder: string, depth: number, budget: Budget): Promise<string[]> {
  const folders = [folder]
  for (const group of ['modules', 'worktrees'])
    for (const inner of await gitFoldersBelow(path.join(folder, group), depth, budget))
      folders.push(...(await withInnerFolders(inner, depth + 1, budget)))
  return folders
}

/** Finds git folders by their HEAD. A submodule's name can contain slashes. */
async function gitFoldersBelow(folder: string, depth: number, budget: Budget): Promise<string[]> {
  budget.left -= 1
  if (depth > maxDepth || budget.left < 0 || (await kindOf(folder)) !== 'folder') return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async (entry) => {
        const inner = path.join(folder, entry.name)
        return (await kindOf(path.join(inner, 'HEAD'))) !== undefined
          ? [inner]
          : gitFoldersBelow(inner, depth + 1, budget)
      }),
  )
  return found.flat()
}

/**
 * Returns the folder named in a `.git` file. A hostile file could name any folder, so it must look like a git folder
 * and, for a worktree, its `gitdir` must name the file.
 */
async function linkedGitFolder(dotGit: string): Promise<string | undefined> {
  const folder = await namedGitFolder(dotGit)
  if (folder === undefined || (await kindOf(path.join(folder, 'HEAD'))) === undefined) return undefined
  const back = (await readUnlinkedFile(path.join(folder, 'gitdir'))).trim()
  if (back !== '') return path.resolve(folder, back) === dotGit ? folder : undefined
  // A submodule names its work tree in its configuration.
  const workTree = /^[ \t]*worktree[ \t]*=[ \t]*(\S.*)$/m.exec(await readUnlinkedFile(path.join(folder, 'config')))?.[1]
  return workTree !== undefined && path.resolve(folder, workTree) === path.dirname(dotGit) ? folder : undefined
}
