import { lstat, readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { readSmallFile } from './readSmallFile.ts'
import type { Mount } from './sandboxTypes.ts'

/** Names in a git folder that make git run programs or read another repository's configuration. */
export const gitReadOnlyNames = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir']
/** Maximum nesting of submodule git folders below `modules`, and maximum number of folders read there. */
const maxDepth = 50
const maxRead = 5000

/**
 * Returns the mounts for one `.git`: writable, so that commits work, with configuration and hooks read-only. Each git
 * folder is a separate mount, because a folder that only contains mounts could be renamed and replaced. If `.git` is a
 * file (worktree or submodule), mounts the folders that it names, provided they refer back to it. Never follows links,
 * because an earlier command can have created them, and a mount would expose their target.
 */
export async function gitMounts(dotGit: string): Promise<Mount[]> {
  const mounts: Mount[] = []
  // Usually the placeholder of another running command.
  if (await isEmptyFolder(dotGit)) return [{ kind: 'emptyFolder', path: dotGit }]
  if ((await kindOf(dotGit)) === 'file') mounts.push({ kind: 'readOnly', path: dotGit })
  for (const folder of await gitFoldersOf(dotGit)) {
    const kinds = await Promise.all(gitReadOnlyNames.map((name) => kindOf(path.join(folder, name))))
    // A link cannot be covered, and could be replaced in a writable folder.
    mounts.push({ kind: kinds.includes('other') ? 'readOnly' : 'writable', path: folder })
    for (const [index, name] of gitReadOnlyNames.entries())
      if (kinds[index] === 'folder' || kinds[index] === 'file')
        mounts.push({ kind: 'readOnly', path: path.join(folder, name) })
  }
  return mounts
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
 */
export async function gitFoldersOf(dotGit: string): Promise<string[]> {
  const budget = { left: maxRead }
  const folders = await Promise.all((await ownGitFolders(dotGit)).map((folder) => withInnerFolders(folder, 0, budget)))
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
  const target = /^gitdir: (.+)\n?$/.exec(await readSmallFile(dotGit))?.[1]
  if (target === undefined) return undefined
  const folder = await realpath(path.resolve(path.dirname(dotGit), target)).catch(() => undefined)
  if (folder === undefined || (await kindOf(path.join(folder, 'HEAD'))) === undefined) return undefined
  const back = (await readSmallFile(path.join(folder, 'gitdir'))).trim()
  if (back !== '') return path.resolve(folder, back) === dotGit ? folder : undefined
  // A submodule names its work tree in its configuration.
  const workTree = /^[ \t]*worktree[ \t]*=[ \t]*(\S.*)$/m.exec(await readSmallFile(path.join(folder, 'config')))?.[1]
  return workTree !== undefined && path.resolve(folder, workTree) === path.dirname(dotGit) ? folder : undefined
}

/**
 * Returns the folder named in `commondir`, if git keeps the worktree's folder there: `worktrees/NAME`. A command could
 * name any other folder.
 */
async function commonFolder(folder: string): Promise<string> {
  const named = (await readSmallFile(path.join(folder, 'commondir'))).trim()
  const common = path.dirname(path.dirname(folder))
  const real = named === '' ? undefined : await realpath(path.resolve(folder, named)).catch(() => undefined)
  return real === common && path.basename(path.dirname(folder)) === 'worktrees' ? common : folder
}
