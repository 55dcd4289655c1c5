import { randomUUID } from 'node:crypto'
import type { TextFormat } from '../../../shared/files/textFormat.ts'
import type { GitStatusSummary } from '../../../shared/git/git.ts'
import type { DecodedText } from '../../base/textFormat.ts'
import type { Checkpoints, RestoreTarget } from '../../history/checkpoints/checkpoints.ts'
import type { WindowDocuments } from '../../workspace/documents.ts'
import type { GitResult } from '../gitProcess.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit, restrictedFailure } from './gitFailures.ts'
import { pathsInput } from './names.ts'
import type { Operation, Operations } from './operations.ts'
import type { Repositories, UsedRepository } from './repositories.ts'

/** Context of all user actions. */
export interface Actions {
  readonly access: GitAccess
  readonly repositories: Repositories
  readonly operations: Operations
  /** Ends with the service. */
  readonly signal: AbortSignal
  /**
   * Runs one command as a change that the user can cancel.
   * @param operation undefined: it cannot be cancelled
   * @param failed sentence at the start of an error, such as `The branch could not be created.`
   */
  run(
    id: string,
    operation: string | undefined,
    failed: string,
    args: readonly string[],
    options?: ActionOptions,
  ): Promise<GitStatusSummary>
  /** Runs a change that the user can cancel. @param operation undefined: it cannot be cancelled */
  change<T>(
    id: string,
    operation: string | undefined,
    act: (repository: UsedRepository, git: RunGit, running: RunningAction) => Promise<T>,
  ): Promise<{ result: T; status: GitStatusSummary }>
  /** @throws ToolError `untrusted_folder`. @param restricted sentence at the start of the error */
  requireTrust(repository: UsedRepository, restricted: string): void
}

type ActionOptions = Omit<NonNullable<Parameters<GitAccess['act']>[3]>, 'onErrors'>

/** Runs git in an action that can be cancelled. @param paths names for `pathsFromInput` */
export type RunGit = (
  failed: string,
  args: readonly string[],
  paths?: readonly string[],
  options?: ActionOptions,
) => Promise<GitResult>

/** What an action needs besides `RunGit`. */
export interface RunningAction {
  signal: AbortSignal
  /** Runs git without treating a nonzero exit code as a failure. */
  act(args: readonly string[], options?: ActionOptions): Promise<GitResult>
  /** Answers the prompts of later runs of this action like those of earlier ones, which the server accepted. */
  answersAccepted(): void
}

export function createActions(
  access: GitAccess,
  repositories: Repositories,
  operations: Operations,
  signal: AbortSignal,
): Actions {
  const change: Actions['change'] = (id, operation = randomUUID(), act) =>
    operations.run(operation, (running) =>
      repositories.change(id, (repository) => {
        // Cancelled while it waited for other changes.
        running.signal.throwIfAborted()
        const run = actIn(access, repository, running)
        return act(repository, runIn(access, repository, running), {
          signal: running.signal,
          act: run,
          answersAccepted: running.answersAccepted,
        })
      }),
    )
  return {
    access,
    repositories,
    operations,
    signal,
    async run(id, operation, failed, args, options) {
      return (await change(id, operation, (_, git) => git(failed, args, undefined, options))).status
    },
    change,
    requireTrust({ found }, restricted) {
      if (!access.isTrusted(found)) throw restrictedFailure(restricted)
    },
  }
}

function actIn(
  access: GitAccess,
  { found }: UsedRepository,
  { signal, onErrors, env }: Operation,
): RunningAction['act'] {
  return (args, options = {}) =>
    access.act(found, args, signal, { ...options, onErrors, env: { ...env, ...options.env } })
}

/** Returns a function that runs git in a repository as part of an operation. */
export function runIn(access: GitAccess, repository: UsedRepository, operation: Operation): RunGit {
  const act = actIn(access, repository, operation)
  return async (failed, args, paths, options) =>
    requireGit(failed, await act(args, { ...options, ...(paths && pathsInput(paths)) }))
}

/** Services for workspace files that changes by the git view need. */
export interface WorkingFiles {
  documents: Pick<WindowDocuments, 'read' | 'restoreVersion'>
  /** Deletes discarded files. */
  target: Pick<RestoreTarget, 'remove' | 'removeFolder'>
  /** Store discarded content for undo. */
  checkpoints: Pick<Checkpoints, 'take' | 'restore' | 'scan'>
  /** @throws ToolError `binary_file`, `invalid_encoding` */
  decode(content: Buffer, name: string): DecodedText
  /** @param before content whose mixed line endings are kept */
  encode(text: string, format: TextFormat, before?: DecodedText): Buffer
}
