import { stat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { SessionBranch } from '../../shared/git/sessionRequests.ts'
import { commitOf, gitLines, gitOutput, inWorktree, linksOf, withCurrentBase, type RunGit } from './sessionGit.ts'
import type { SessionRecord } from './sessionRecords.ts'
import { uncommittedFiles } from './sessionWork.ts'

/** A session's branch, without what the rules for places say about its files. */
export type BranchState = Omit<SessionBranch, 'protectedPaths'> & {
  /** Commit that `incoming` goes up to. */
  head: string
  /** Last commit that is not the session's own. */
  from: string
  /** Paths that commits change which only the session has, also if a later one restores them: a rebase writes each. */
  incoming: string[]
}

/** Entries in a git folder that an unfinished merge or rebase leaves. */
const unfinished = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']

/**
 * Compares a session's branch with the branch of its repository's folder.
 *
 * @throws ToolError `not_found` if the worktree is gone or one of both has no commit
 */
export async function readBranch(run: RunGit, session: SessionRecord): Promise<BranchState> {
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
  const from = await startOfWork(run, await withCurrentBase(run, session), links.gitFolder, targetHead)
  const states = await Promise.all(
    unfinished.map(async (entry) => stat(path.join(links.gitFolder, entry)).catch(() => undefined)),
  )
  return {
    head,
    source: (await branchAt(run, worktree, inWorktree(session, links))) ?? head,
    folder,
    target: await branchAt(run, folder),
    targetHead,
    ahead,
    behind,
    uncommitted: await uncommittedFiles(run, session, links),
    unfinished: states.some((found) => found !== undefined),
    from,
    incoming: await changedByCommits(run, folder, targetHead, head),
  }
}

/** Returns the last commit before the session's own: its base if the folder has left that line of history. */
async function startOfWork(run: RunGit, { base }: SessionRecord, gitFolder: string, target: string): Promise<string> {
  const isIn = async (commit: string) =>
    (await run(gitFolder, ['merge-base', '--is-ancestor', base, commit])).code === 0
  return (await isIn('HEAD')) && !(await isIn(target)) ? base : target
}

async function changedByCommits(run: RunGit, folder: string, from: string, head: string): Promise<string[]> {
  const names = ['--no-renames', '--no-ext-diff', '--name-only', '-z']
  const { code, stdout } = await run(folder, ['merge-base', from, head])
  const start = code === 0 ? stdout.trim() : from
  const [all, each] = [
    await gitLines(run, folder, ['diff', ...names, start, head, '--']),
    await gitLines(run, folder, ['log', '--format=', ...names, '--no-merges', `${from}..${head}`, '--']),
  ]
  return [...new Set([...all, ...each])]
}

/** Returns the short name of the checked-out branch; null for a detached HEAD. */
async function branchAt(run: RunGit, folder: string, git: readonly string[] = []): Promise<string | null> {
  const { code, stdout } = await run(folder, [...git, 'symbolic-ref', '--quiet', '--short', 'HEAD'])
  return code === 0 ? stdout.trim() : null
}
