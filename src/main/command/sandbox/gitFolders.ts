import { readFile, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Mount } from './bubblewrapArguments.ts'
import { exists } from './systemFolders.ts'

/** Names in a git folder that make git run programs or read another repository's configuration. */
export const gitReadOnlyNames = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir']
/** Maximum depth of git folders of submodules below `modules`. */
const maxDepth = 6

/**
 * Returns the mounts for one `.git`: writable, so that commits work, with configuration and hooks read-only. Each git folder
 * is a mount of its own, because a folder that only contains mounts could be renamed and replaced. For the file `.git` of a
 * worktree or submodule, the folders that it names are mounted, if they refer back to it.
 */
export async function gitMounts(dotGit: string): Promise<Mount[]> {
  const mounts: Mount[] = []
  if ((await stat(dotGit).catch(() => undefined))?.isFile()) mounts.push({ kind: 'readOnly', path: dotGit })
  for (const folder of await gitFoldersOf(dotGit)) {
    mounts.push({ kind: 'writable', path: folder })
    for (const name of gitReadOnlyNames) {
      const entry = path.join(folder, name)
      if (await exists(entry)) mounts.push({ kind: 'readOnly', path: entry })
    }
  }
  return mounts
}

/** Returns the git folders behind one `.git`: its own, the common one of a worktree, and those of submodules and worktrees. */
export async function gitFoldersOf(dotGit: string): Promise<string[]> {
  const folders = await Promise.all((await ownGitFolders(dotGit)).map((folder) => withInnerFolders(folder, 0)))
  return [...new Set(folders.flat())]
}

/** Returns the git folder behind one `.git`, and before it the common one of a worktree. */
export async function ownGitFolders(dotGit: string): Promise<string[]> {
  const kind = await stat(dotGit).catch(() => undefined)
  if (kind?.isDirectory()) return [dotGit]
  const folder = kind?.isFile() ? await linkedGitFolder(dotGit) : undefined
  return folder === undefined ? [] : [...new Set([await commonFolder(folder), folder])]
}

async function withInnerFolders(folder: string, depth: number): Promise<string[]> {
  const folders = [folder]
  for (const group of ['modules', 'worktrees'])
    for (const inner of await gitFoldersBelow(path.join(folder, group), depth))
      folders.push(...(await withInnerFolders(inner, depth + 1)))
  return folders
}

/** Finds git folders, by their HEAD. The name of a submodule can have slashes. */
async function gitFoldersBelow(folder: string, depth: number): Promise<string[]> {
  if (depth > maxDepth) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async (entry) => {
        const inner = path.join(folder, entry.name)
        return (await exists(path.join(inner, 'HEAD'))) ? [inner] : gitFoldersBelow(inner, depth + 1)
      }),
  )
  return found.flat()
}

/**
 * Returns the folder that a `.git` file names. A hostile file could name any folder, so it must look like a git folder and,
 * for a worktree, its `gitdir` must name the file.
 */
async function linkedGitFolder(dotGit: string): Promise<string | undefined> {
  const target = /^gitdir: (.+)\n?$/.exec(await readText(dotGit))?.[1]
  if (target === undefined) return undefined
  const folder = path.resolve(path.dirname(dotGit), target)
  if (!(await exists(path.join(folder, 'HEAD')))) return undefined
  const back = (await readText(path.join(folder, 'gitdir'))).trim()
  if (back !== '') return path.resolve(folder, back) === dotGit ? folder : undefined
  // A submodule names its work tree in its configuration.
  const workTree = /^[ \t]*worktree[ \t]*=[ \t]*(\S.*)$/m.exec(await readText(path.join(folder, 'config')))?.[1]
  return workTree !== undefined && path.resolve(folder, workTree) === path.dirname(dotGit) ? folder : undefined
}

async function commonFolder(folder: string): Promise<string> {
  const common = (await readText(path.join(folder, 'commondir'))).trim()
  return common === '' ? folder : path.resolve(folder, common)
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
