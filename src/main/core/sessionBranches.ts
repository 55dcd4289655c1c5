import { randomUUID } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { GitStatusSummary } from '../../shared/git/git.ts'
import type { SessionBranch } from '../../shared/git/sessionRequests.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { GitResult } from '../git/gitProcess.ts'
import { findRepositoryOf } from '../git/view/findRepositories.ts'
import { createGitAccess } from '../git/view/gitAccess.ts'
import { gitFailure, requireGit, restrictedFailure } from '../git/view/gitFailures.ts'
import { withoutHooks } from '../git/view/names.ts'
import type { Operations } from '../git/view/operations.ts'
import { refuseOverwriting } from '../git/view/overwrittenFiles.ts'
import type { BranchState } from '../sessions/sessionBranch.ts'
import type { SessionRecord } from '../sessions/sessionRecords.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isFolder } from '../sessions/sessionWork.ts'
import type { FolderTrust } from '../settings/folderTrust.ts'
import { openWorkspace } from '../workspace/containment.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'

/** Actions on the branch of a session, as the user's git does them: with hooks, and only in a trusted repository. */
export interface SessionBranches {
  /** Compares a session's branch with that of its repository's folder. @throws ToolError `not_found` */
  branch(id: string): Promise<BranchState & SessionBranch>
  /** Returns the session that works on a branch of a repository. */
  ofBranch(repository: string, branch: string): Promise<string | undefined>
  /**
   * Commits all files of a session's worktree.
   *
   * @throws ToolError `conflict` while the session works, has an unfinished operation or another branch checked out
   */
  commit(id: string, message: string): Promise<void>
  /**
   * Merges a session's branch into the branch of the open folder, which is its repository.
   *
   * @throws ToolError `conflict` as for `commit()`, if it would bring protected files or overwrite ignored ones, and if git
   * stops at conflicts; `no_change` without a commit to merge
   */
  merge(id: string, options?: Allowed & { operation?: string }): Promise<GitStatusSummary>
  /**
   * Rebases a session onto the branch of its repository's folder.
   *
   * @throws ToolError `conflict` as for `merge()`, and with uncommitted files; `no_change` if it has all commits of the
   * folder
   */
  rebase(id: string, options?: Allowed): Promise<void>
  /**
   * @param options.confirmed whether uncommitted changes may be discarded
   * @throws ToolError `no_change` if no rebase is unfinished, `conflict` with the files that it would discard
   */
  abortRebase(id: string, options?: { confirmed?: boolean }): Promise<void>
}

interface Allowed {
  /**
   * Whether the session's commits may change protected files. The user has seen their names: those of any commit, or of
   * this one.
   */
  allowProtected?: boolean | string
}

export interface SessionBranchesDeps {
  sessions: Sessions
  trust: Pick<FolderTrust, 'isTrusted' | 'isDecided'>
  /** Whether all folders are trusted in this process. */
  trustAll: boolean
  operations: Pick<Operations, 'run'>
  current(): Pick<WorkspaceSession, 'workspace' | 'sourceControl'>
  places(): PlaceRules
  /** Whether a turn runs in a folder, or waits for the user. */
  isWorking(folder: string): Promise<boolean>
}

type RunGit = (args: readonly string[], input?: string) => Promise<GitResult>

/** Maximum number of files that an error names. */
const maxNamed = 5

type Access = ReturnType<typeof createBranchAccess>

/** What changes to a session's branch have in common. */
function createBranchAccess({ sessions, trust, trustAll, operations, places, isWorking }: SessionBranchesDeps) {
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
    act: (git: RunGit) => Promise<T>,
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

  async function run(worktree: string, args: readonly string[], input?: string): Promise<GitResult> {
    const found = await findRepositoryOf(worktree, { root: worktree })
    if (found?.workTree !== worktree)
      throw new ToolError('not_found', `There is no repository in ${worktree}.`, 'Check the folder.')
    const access = createGitAccess({ workspace: await openWorkspace(worktree), isTrusted: () => true })
    return operations.run(randomUUID(), ({ signal, onErrors, env }) =>
      access.act(found, args, signal, { onErrors, env, ...(input !== undefined && { input }) }),
    )
  }

  /** Returns those paths that are protected, or that git runs as hooks in a folder. */
  async function protectedIn(folder: string, paths: readonly string[]): Promise<string[]> {
    if (paths.length === 0) return []
    // Starts no program, so it needs no trust.
    const { output } = requireGit(
      'The folder for hooks is not known.',
      await run(folder, ['rev-parse', '--git-path', 'hooks']),
    )
    const isHook = await inHooksFolder(folder, path.resolve(folder, output.toString('utf8').replace(/\n$/, '')))
    const rules = places()
    return paths.filter((each) => rules.protection(each) !== undefined || isHook(each))
  }

  async function protectedOf({ folder, worktree }: SessionRecord, paths: readonly string[]): Promise<string[]> {
    return [...new Set([...(await protectedIn(folder, paths)), ...(await protectedIn(worktree, paths))])]
  }

  /** @throws ToolError `conflict` with the protected files. @returns options of git: hooks do not run if there are any */
  async function hookOptions(
    session: SessionRecord,
    paths: readonly string[],
    { done, allowProtected, head }: Allowed & { done: string; head?: string },
  ): Promise<string[]> {
    const protectedPaths = await protectedOf(session, paths)
    if (protectedPaths.length === 0) return []
    if (allowProtected === true || (head !== undefined && allowProtected === head)) return withoutHooks
    throw new ToolError(
      'conflict',
      `The session "${session.name}" changes protected files, so it was not ${done}: ${namesOf(protectedPaths)}.`,
      'Check these files, then confirm.',
      { reason: 'protected_files' },
    )
  }

  return { refuseWorking, inWorktree, protectedOf, hookOptions }
}

export function createSessionBranches(deps: SessionBranchesDeps): SessionBranches {
  const { sessions, current } = deps
  const access = createBranchAccess(deps)
  const { refuseWorking, inWorktree, protectedOf, hookOptions } = access
  return {
    async branch(id) {
      const state = await sessions.branch(id)
      return { ...state, protectedPaths: await protectedOf(await sessions.find(id), state.incoming) }
    },
    async ofBranch(repository, branch) {
      const found = (await sessions.records([repository])).find((each) => each.branch === branch)
      return found && (await isFolder(found.worktree)) ? found.id : undefined
    },
    async commit(id, message) {
      const session = await sessions.find(id)
      await refuseWorking(session)
      await inWorktree(session, 'Committing to a session is disabled in a restricted folder.', async (git) => {
        const branch = await sessions.branch(id)
        refuseOtherState(session, branch, 'committed')
        const paths = [...branch.incoming, ...branch.uncommitted]
        const options = await hookOptions(session, paths, { done: 'committed', allowProtected: true })
        requireGit('The files could not be staged.', await git(['add', '--all']))
        requireGit('The commit failed.', await git([...options, 'commit', '--quiet', '--file=-'], message))
      })
    },
    async merge(id, { allowProtected, operation = randomUUID() } = {}) {
      const session = await sessions.find(id)
      const { name, folder } = session
      const branch = await sessions.branch(id)
      const { source, head, target, ahead, incoming } = branch
      const { workspace, sourceControl } = current()
      if (workspace.root !== folder)
        throw new ToolError(
          'not_found',
          `The session "${name}" does not belong to the open folder.`,
          `Open ${folder} alone, from which it was made.`,
        )
      refuseOtherState(session, branch, 'merged')
      if (ahead === 0)
        throw new ToolError('no_change', `${target ?? folder} already has all commits of "${name}".`, 'Commit first.')
      const allowed = { done: 'merged', head, ...(allowProtected !== undefined && { allowProtected }) }
      const hooks = (await hookOptions(session, incoming, allowed)).length === 0
      if (!hooks) await sessions.stopHooks(id, head)
      return sourceControl.merge(folder, operation, source, { hooks, checked: head }).catch((error: unknown) => {
        throw withSteps(error, `Resolve them in ${folder} and commit, or run: git -C ${folder} merge --abort`)
      })
    },
    ...createRebasing(sessions, access),
  }
}

function createRebasing(
  sessions: Sessions,
  { refuseWorking, inWorktree, hookOptions }: Access,
): Pick<SessionBranches, 'rebase' | 'abortRebase'> {
  return {
    async rebase(id, { allowProtected } = {}) {
      const session = await sessions.find(id)
      const { name, worktree } = session
      await refuseWorking(session)
      const branch = await sessions.branch(id)
      const { target, targetHead, from, behind, uncommitted, incoming, head } = branch
      refuseOtherState(session, branch, 'rebased')
      if (uncommitted.length > 0) throw uncommittedError(session, uncommitted)
      if (behind === 0)
        throw new ToolError('no_change', `"${name}" already has all commits of ${target ?? 'the folder'}.`)
      await inWorktree(session, 'Rebasing is disabled in a restricted folder.', async (git) => {
        const allowed = { done: 'rebased', head, ...(allowProtected !== undefined && { allowProtected }) }
        const options = await hookOptions(session, incoming, allowed)
        await refuseOverwriting(worktree, git, targetHead, 'checkout')
        if (options.length > 0) await sessions.stopHooks(id, head)
        await sessions.rebaseOnto(id, targetHead)
        // Commits of another line of history, on which the session started, are not its work.
        const onto = from === targetHead ? [targetHead] : ['--onto', targetHead, from]
        const outcome = await git([...options, 'rebase', '--no-autostash', ...onto])
        if (outcome.code !== 0)
          throw withSteps(
            gitFailure(`The rebase of "${name}" onto ${target ?? targetHead.slice(0, 8)} stopped.`, outcome),
            `Resolve them in the worktree and continue the rebase there, or run: git -C ${worktree} rebase --abort`,
          )
      })
    },
    async abortRebase(id, { confirmed = false } = {}) {
      const session = await sessions.find(id)
      await refuseWorking(session)
      const { unfinished, uncommitted } = await sessions.branch(id)
      if (!unfinished) throw new ToolError('no_change', `The session "${session.name}" has no unfinished rebase.`)
      if (!confirmed && uncommitted.length > 0)
        throw new ToolError(
          'conflict',
          `Aborting the rebase of "${session.name}" would discard changes in ${namesOf(uncommitted)}.`,
          'Copy what you need, then confirm.',
        )
      await inWorktree(session, 'Aborting is disabled in a restricted folder.', async (git) => {
        requireGit('The rebase could not be aborted.', await git([...withoutHooks, 'rebase', '--abort']))
      })
    },
  }
}

/** @throws ToolError `conflict` if an operation is unfinished or another branch is checked out */
function refuseOtherState(
  { name, branch }: SessionRecord,
  { source, unfinished }: Pick<SessionBranch, 'source' | 'unfinished'>,
  done: string,
): void {
  if (unfinished)
    throw new ToolError(
      'conflict',
      `The session "${name}" has an unfinished merge or rebase, so it was not ${done}.`,
      'Open the worktree, then continue or abort it.',
    )
  // With a tag of the same name, git says which one is meant.
  if (source === branch || source === `heads/${branch}`) return
  throw new ToolError(
    'conflict',
    `The session "${name}" has ${visibleText(source)} checked out, and not ${branch}, so it was not ${done}.`,
    `Switch to ${branch} in the worktree, or use git there.`,
  )
}

/** Returns a predicate that reports whether a path is in a folder for hooks, or replaces it. */
async function inHooksFolder(root: string, hooks: string): Promise<(file: string) => boolean> {
  const real = await realpath(hooks).catch(() => hooks)
  const folders = [hooks, real].map((each) => path.relative(root, each).split(path.sep).join('/').toLowerCase())
  return (file) => {
    const name = file.toLowerCase()
    return folders.some((each) => each === '' || `${name}/`.startsWith(`${each}/`) || each.startsWith(`${name}/`))
  }
}

function namesOf(files: readonly string[]): string {
  const named = files.slice(0, maxNamed).map(visibleText).join(', ')
  return files.length > maxNamed ? `${named} and ${files.length - maxNamed} more` : named
}

function uncommittedError({ name }: SessionRecord, files: readonly string[]): ToolError {
  return new ToolError(
    'conflict',
    `The session "${name}" has ${plural(files.length, 'uncommitted file')}, so it was not rebased: ${namesOf(files)}.`,
    'Commit them in the worktree first.',
  )
}

/** Replaces the next step of a failure at conflicts. */
function withSteps(error: unknown, next: string): unknown {
  if (!(error instanceof ToolError) || error.reason !== 'conflicts') return error
  const { code, message, reason, detail } = error
  return new ToolError(code, message, next, { reason, ...(detail !== undefined && { detail }) })
}
