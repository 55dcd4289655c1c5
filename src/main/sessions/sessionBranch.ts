import { stat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { SessionBranch } from '../../shared/git/sessionRequests.ts'
import { commitOf, gitOutput, inWorktree, linksOf, type RunGit } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'
import { uncommittedFiles } from './sessionWork.ts'

/** Entries in a git folder that an unfinished merge or rebase leaves. */
const unfinished = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']

/**
 * Compares a session's branch with the branch of its repository's folder.
 *
 * @throws ToolError `not_found` if the worktree is gone or one of both has no commit
 */
export async function readBranch(run: RunGit, session: SessionRecord): Promise<SessionBranch> {
  const { folder, name, worktree } = session
  const links = await linksOf(session)
  const [head, targetHead] = await Promise.all([
    links && commitOf(run, links.gitFolder, 'HEAD'),
    commitOf(run, folder, 'HEAD'),
  ])
  if (links === undefined || head === undefined || targetHead === undefined)
    throw new ToolError(
      'not_found',
      `The worktree of "${name}" is missing or has no commit: ${worktree}.`,
      'Check the folder, or remove the session.',
    )
  const counts = await gitOutput(run, folder, ['rev-list', '--left-right', '--count', `${targetHead}...${head}`])
  const [behind = 0, ahead = 0] = counts.trim().split('\t').map(Number)
  const states = await Promise.all(
    unfinished.map(async (entry) => stat(path.join(links.gitFolder, entry)).catch(() => undefined)),
  )
  return {
    source: (await branchAt(run, worktree, inWorktree(session, links))) ?? head,
    folder,
    target: await branchAt(run, folder),
    targetHead,
    ahead,
    behind,
    uncommitted: await uncommittedFiles(run, session, links),
    unfinished: states.some((found) => found !== undefined),
  }
}

/** Returns the short name of the checked-out branch; null for a detached HEAD. */
async function branchAt(run: RunGit, folder: string, git: readonly string[] = []): Promise<string | null> {
  const { code, stdout } = await run(folder, [...git, 'symbolic-ref', '--quiet', '--short', 'HEAD'])
  return code === 0 ? stdout.trim() : null
}
