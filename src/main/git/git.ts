import type { Workspace } from '../workspace/containment.ts'
import { commitIndex, checkCommittable, type GitCommit } from './gitCommit.ts'
import { diffOf, type DiffOptions, type DiffSource, type GitDiff } from './gitDiff.ts'
import { openRepository, type WorktreePlaces } from './gitRepository.ts'
import { runGitIn } from './runInRepository.ts'
import { statusOf, type GitStatus } from './gitStatus.ts'

export type { GitCommit } from './gitCommit.ts'
export type { DiffOptions, GitDiff } from './gitDiff.ts'
export type { GitStatus } from './gitStatus.ts'

/**
 * Git for a workspace's repositories, without side effects of their configuration: starts no program named in
 * configuration, attributes or hooks, fetches nothing, and rejects a repository with parts outside the workspace.
 * @throws ToolError from every method: `not_found` outside a repository, `outside_workspace`, `command_not_found`,
 * `timeout`
 */
export interface Git {
  /** @param folder the repository's folder or one inside it */
  status(folder: string, signal: AbortSignal): Promise<GitStatus>
  /** @throws ToolError `invalid_arguments` for an option instead of a commit, `not_found` for an unknown commit */
  diff(folder: string, options: DiffOptions, signal: AbortSignal): Promise<GitDiff>
  /**
   * Commits the index without a signature. @throws ToolError `no_change` if it is empty; `conflict` during a merge or
   * if locked
   */
  commit(folder: string, message: string, signal: AbortSignal): Promise<GitCommit>
  /** Throws whatever `commit` would throw for the current index. */
  checkCommit(folder: string, message: string, signal: AbortSignal): Promise<void>
}

export interface GitOptions {
  /** Whether a file may contain secrets, so that diffs omit it. Default: none does. */
  isSecret?(path: string): boolean
  /** Default: none, so that every part of a repository must be in the workspace. */
  worktreePlaces?: WorktreePlaces
}

export function createGit(workspace: Workspace, { isSecret = () => false, worktreePlaces }: GitOptions = {}): Git {
  const open = (folder: string, signal: AbortSignal) => openRepository(workspace, folder, signal, worktreePlaces)
  return {
    status: async (folder, signal) => statusOf(await open(folder, signal), signal),
    async diff(folder, options, signal) {
      const repository = await open(folder, signal)
      const { relative, filters } = repository
      const run: DiffSource['run'] = (args, more) => runGitIn(repository, args, signal, more)
      return diffOf({ relative, filters, run }, options, isSecret)
    },
    commit: (folder, message, signal) => commitIndex(() => open(folder, signal), message, signal),
    checkCommit: async (folder, message, signal) =>
      void (await checkCommittable(() => open(folder, signal), message, signal)),
  }
}
