import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { readUnlinkedFile } from './unlinkedFile.ts'

/** Git folders of a linked worktree. Absolute real paths. */
export interface LinkedWorktree {
  /** `worktrees/NAME` in the common folder. */
  gitFolder: string
  /** Folder that all worktrees of the repository share. */
  common: string
}

/**
 * Returns the git folders of a linked worktree (gitrepository-layout(5)). Undefined unless each refers to the next one
 * and back: a hostile `.git` file or `commondir` can name any folder, but only the repository's owner writes the
 * `gitdir` that names the worktree.
 * @param dotGit real path of its `.git` file
 */
export async function linkedWorktree(dotGit: string): Promise<LinkedWorktree | undefined> {
  const gitFolder = await namedGitFolder(dotGit)
  if (gitFolder === undefined || !(await namesWorktree(gitFolder, dotGit))) return undefined
  const common = await commonFolder(gitFolder)
  return common === gitFolder ? undefined : { gitFolder, common }
}

/** Returns the real path of the folder that a `.git` file names. Does not follow a link in place of the file. */
export async function namedGitFolder(dotGit: string): Promise<string | undefined> {
  const target = /^gitdir: (.+)\n?$/.exec(await readUnlinkedFile(dotGit))?.[1]
  if (target === undefined) return undefined
  return realpath(path.resolve(path.dirname(dotGit), target)).catch(() => undefined)
}

/** Whether the `gitdir` of a worktree's git folder names the `.git` file. */
async function namesWorktree(gitFolder: string, dotGit: string): Promise<boolean> {
  const back = (await readUnlinkedFile(path.join(gitFolder, 'gitdir'))).trim()
  return back !== '' && path.resolve(gitFolder, back) === dotGit
}

/**
 * Returns the folder named in `commondir`, if git keeps the worktree's folder there: `worktrees/NAME`. Otherwise returns
 * the folder itself, because a command could name any other one.
 */
export async function commonFolder(gitFolder: string): Promise<string> {
  const named = (await readUnlinkedFile(path.join(gitFolder, 'commondir'))).trim()
  const common = path.dirname(path.dirname(gitFolder))
  const real = named === '' ? undefined : await realpath(path.resolve(gitFolder, named)).catch(() => undefined)
  return real === common && path.basename(path.dirname(gitFolder)) === 'worktrees' ? common : gitFolder
}
