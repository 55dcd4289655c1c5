import type { GitStatusSummary } from '../../../shared/git.ts'
import type { GitResult } from '../gitProcess.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit, restrictedFailure } from './gitFailures.ts'
import type { Operation, Operations } from './operations.ts'
import type { Repositories, UsedRepository } from './repositories.ts'
import { pathsInput } from './staging.ts'

/** What actions of the user have in common. */
export interface Actions {
  readonly access: GitAccess
  readonly repositories: Repositories
  readonly operations: Operations
  /** Ends with the service. */
  readonly signal: AbortSignal
  /** Runs a short command as a change. @param what the action in the past, such as `The commit` */
  run(id: string, what: string, args: readonly string[]): Promise<GitStatusSummary>
  /** Runs a change that the user can cancel. */
  change<T>(
    id: string,
    operation: string,
    act: (repository: UsedRepository, git: RunGit) => Promise<T>,
  ): Promise<{ result: T; status: GitStatusSummary }>
  /** @throws ToolError `untrusted_folder` */
  requireTrust(repository: UsedRepository, what: string): void
}

/** Runs git in an action that can be cancelled. @param paths names for `pathsFromInput` */
export type RunGit = (what: string, args: readonly string[], paths?: readonly string[]) => Promise<GitResult>

export function createActions(
  access: GitAccess,
  repositories: Repositories,
  operations: Operations,
  signal: AbortSignal,
): Actions {
  return {
    access,
    repositories,
    operations,
    signal,
    async run(id, what, args) {
      const act = async ({ found }: UsedRepository) => requireGit(what, await access.act(found, args, signal))
      return (await repositories.change(id, act)).status
    },
    change: (id, operation, act) =>
      operations.run(operation, (running) =>
        repositories.change(id, (repository) => act(repository, runIn(access, repository, running))),
      ),
    requireTrust({ found }, what) {
      if (!access.isTrusted(found)) throw restrictedFailure(what)
    },
  }
}

/** Returns a function that runs git in a repository as part of an operation. */
export function runIn(access: GitAccess, { found }: UsedRepository, { signal, onErrors, env }: Operation): RunGit {
  return async (what, args, paths) => {
    const named = paths && pathsInput(paths)
    const options = { onErrors, env: { ...env, ...named?.env }, ...(named && { input: named.input }) }
    return requireGit(what, await access.act(found, args, signal, options))
  }
}
