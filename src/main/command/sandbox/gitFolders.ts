import { readFile, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Mount } from './bubblewrapArguments.ts'
import { exists } from './systemFolders.ts'

/** Names in a git folder that make git run programs or read another repository's configuration. */
const readOnlyNames = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir']
/** Maximum depth of git folders of submodules below `modules`. */
const maxDepth = 6

/**
 * Returns the mounts for one `.git`: writable, so that commits work, with configuration and hooks read-only. Each git folder
 * is a mount of its own, because a folder that only contains mounts could be renamed and replaced. For the file `.git` of a
 * worktree or submodule, the folders that it names are mounted, if they refer back to it.
 */
export async function gitMounts(dotGit: string): Promise<Mount[]> {
  const kind = await stat(dotGit).catch(() => undefined)
  if (kind?.isDirectory()) return [{ kind: 'writable', path: dotGit }, ...(await gitFolderMounts(dotGit, 0))]
  if (!kind?.isFile()) return []
  const mounts: Mount[] = [{ kind: 'readOnly', path: dotGit }]
  const folder = await linkedGitFolder(dotGit)
  if (folder === undefined) return mounts
  const common = await commonFolder(folder)
  mounts.push({ kind: 'writable', path: common }, ...(await gitFolderMounts(common, 0)))
  if (common !== folder) mounts.push({ kind: 'writable', path: folder }, ...(await gitFolderMounts(folder, 0)))
  return mounts
}

async function gitFolderMounts(folder: string, depth: number): Promise<Mount[]> {
  const mounts: Mount[] = []
  for (const name of readOnlyNames) {
    const entry = path.join(folder, name)
    if (await exists(entry)) mounts.push({ kind: 'readOnly', path: entry })
  }
  for (const group of ['modules', 'worktrees']) {
    for (const inner of await gitFoldersBelow(path.join(folder, group), depth)) {
      mounts.push({ kind: 'writable', path: inner }, ...(await gitFolderMounts(inner, depth + 1)))
    }
  }
  return mounts
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
