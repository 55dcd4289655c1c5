import { randomUUID } from 'node:crypto'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { findRepositoryOf } from '../git/view/findRepositories.ts'
import { createGitAccess } from '../git/view/gitAccess.ts'
import { gitFailure, requireGit, restrictedFailure } from '../git/view/gitFailures.ts'
import type { Operations } from '../git/view/operations.ts'
import type { SessionRecord } from '../sessions/sessionRecords.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { FolderTrust } from '../settings/folderTrust.ts'
import { openWorkspace } from '../workspace/containment.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'

/** Actions on the branch of a session, as the user's git does them: with hooks, and only in a trusted repository. */
export interface SessionBranches {
  /** Commits all files of a session's worktree. @throws ToolError `conflict` while the session works */
  commit(id: string, message: string): Promise<void>
  /**
   * Merges a session's branch into the branch of the open folder, which is its repository.
   *
   * @throws ToolError `conflict` if git stops at conflicts, `no_change` without a commit to merge
   */
  merge(id: string): Promise<void>
  /**
   * Rebases a session onto the branch of its repository's folder.
   *
   * @throws ToolError `conflict` while the session works, has uncommitted files or an unfinished operation, and if git
   * stops at conflicts; `no_change` if it has all commits of the folder
   */
  rebase(id: string): Promise<void>
  /** @throws ToolError `no_change` if no rebase is unfinished */
  abortRebase(id: string): Promise<void>
}

export interface SessionBranchesDeps {
  sessions: Sessions
  trust: Pick<FolderTrust, 'isTrusted' | 'isDecided'>
  /** Whether all folders are trusted in this process. */
  trustAll: boolean
  operations: Pick<Operations, 'run'>
  current(): Pick<WorkspaceSession, 'workspace' | 'sourceControl'>
  /** Whether a turn runs in a folder, or waits for the user. */
  isWorking(folder: string): Promise<boolean>
}

/** Maximum number of files that an error names. */
const maxNamed = 5

export function createSessionBranches(deps: SessionBranchesDeps): SessionBranches {
  const { sessions, trust, trustAll, operations, current, isWorking } = deps

  async function refuseWorking({ name, worktree }: SessionRecord): Promise<void> {
    if (await isWorking(worktree))
      throw new ToolError(
        'conflict',
        `The session "${name}" is working, so its branch was not changed.`,
        'Wait until its turn has ended, or stop it.',
      )
  }

  /** Runs git in the worktree while no other process of Tizona can remove it. @throws ToolError `untrusted_folder` */
  async function inWorktree<T>(
    { folder, worktree }: SessionRecord,
    restricted: string,
    act: (git: (args: readonly string[], input?: string) => ReturnType<typeof run>) => Promise<T>,
  ): Promise<T> {
    // Like a window of the worktree (workspaceTrust.ts).
    const isTrusted = trust.isTrusted(worktree) || (!trust.isDecided(worktree) && trust.isTrusted(folder))
    if (!trustAll && !isTrusted) throw restrictedFailure(restricted)
    const release = await sessions.use(worktree)
    try {
      return await act((args, input) => run(worktree, args, input))
    } finally {
      await release()
    }
  }

  async function run(worktree: string, args: readonly string[], input?: string) {
    const found = await findRepositoryOf(worktree, worktree)
    if (found?.workTree !== worktree)
      throw new ToolError('not_found', `There is no repository in ${worktree}.`, 'Check the folder.')
    const access = createGitAccess({ workspace: await openWorkspace(worktree), isTrusted: () => true })
    return operations.run(randomUUID(), ({ signal, onErrors, env }) =>
      access.act(found, args, signal, { onErrors, env, ...(input !== undefined && { input }) }),
    )
  }

  return {
    async commit(id, message) {
      const session = await sessions.find(id)
      await refuseWorking(session)
      await inWorktree(session, 'Committing to a session is disabled in a restricted folder.', async (git) => {
        requireGit('The files could not be staged.', await git(['add', '--all']))
        requireGit('The commit failed.', await git(['commit', '--quiet', '--file=-'], message))
      })
    },
    async merge(id) {
      const { name, folder } = await sessions.find(id)
      const { source, target, ahead } = await sessions.branch(id)
      const { workspace, sourceControl } = current()
      if (workspace.root !== folder)
        throw new ToolError(
          'not_found',
          `The session "${name}" does not belong to ${workspace.root}.`,
          'Open the repository that it was made from.',
        )
      if (ahead === 0)
        throw new ToolError('no_change', `${target ?? folder} already has all commits of "${name}".`, 'Commit first.')
      await sourceControl.merge(folder, randomUUID(), source).catch((error: unknown) => {
        throw withSteps(error, `Resolve them in ${folder} and commit, or run: git -C ${folder} merge --abort`)
      })
    },
    async rebase(id) {
      const session = await sessions.find(id)
      const { name, worktree } = session
      await refuseWorking(session)
      const { target, targetHead, behind, uncommitted, unfinished } = await sessions.branch(id)
      if (unfinished)
        throw new ToolError(
          'conflict',
          `The session "${name}" has an unfinished merge or rebase.`,
          'Open the worktree, then continue or abort it.',
        )
      if (uncommitted.length > 0) throw uncommittedError(session, uncommitted)
      if (behind === 0)
        throw new ToolError('no_change', `"${name}" already has all commits of ${target ?? 'the folder'}.`)
      await inWorktree(session, 'Rebasing is disabled in a restricted folder.', async (git) => {
        await sessions.rebaseOnto(id, targetHead)
        const outcome = await git(['rebase', '--no-autostash', targetHead])
        if (outcome.code !== 0)
          throw withSteps(
            gitFailure(`The rebase of "${name}" onto ${target ?? targetHead.slice(0, 8)} stopped.`, outcome),
            `Resolve them in the worktree and continue the rebase there, or run: git -C ${worktree} rebase --abort`,
          )
      })
    },
    async abortRebase(id) {
      const session = await sessions.find(id)
      await refuseWorking(session)
      if (!(await sessions.branch(id)).unfinished)
        throw new ToolError('no_change', `The session "${session.name}" has no unfinished rebase.`)
      await inWorktree(session, 'Aborting is disabled in a restricted folder.', async (git) => {
        requireGit('The rebase could not be aborted.', await git(['rebase', '--abort']))
      })
    },
  }
}

function uncommittedError({ name }: SessionRecord, files: readonly string[]): ToolError {
  const named = files.slice(0, maxNamed).map(visibleText)
  const more = files.length - named.length
  return new ToolError(
    'conflict',
    `The session "${name}" has ${plural(files.length, 'uncommitted file')}, so it was not rebased: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    'Commit them in the worktree first.',
  )
}

/** Replaces the next step of a failure at conflicts. */
function withSteps(error: unknown, next: string): unknown {
  if (!(error instanceof ToolError) || error.reason !== 'conflicts') return error
  const { code, message, reason, detail } = error
  return new ToolError(code, message, next, { reason, ...(detail !== undefined && { detail }) })
}
