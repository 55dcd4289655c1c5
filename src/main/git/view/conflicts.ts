import { ToolError } from '../../../shared/errors.ts'
import type { GitDiscardResult, GitOperationKind, GitStatusSummary } from '../../../shared/git.ts'
import { plural } from '../../../shared/plural.ts'
import type { Actions } from './actions.ts'
import type { Discarding } from './discarding.ts'
import { gitFailure, requireGit } from './gitFailures.ts'
import { pathArgument } from './names.ts'
import type { UsedRepository } from './repositories.ts'
import { literalPaths, pathsFromInput, pathsInput } from './staging.ts'

export type OperationStep = 'continue' | 'abort' | 'skip'

export interface Conflicts {
  /** Continues, aborts or skips a step of the unfinished operation. What that overwrites is stored for undo. */
  step(id: string, operation: string, step: OperationStep): Promise<GitDiscardResult>
  /** Resolves a conflict with one side, or by deleting the file. The working file is stored for undo. */
  resolve(id: string, path: string, take: 'ours' | 'theirs' | 'delete'): Promise<GitDiscardResult>
}

/** Commands of the steps. Null: the operation has no such step. */
const commands: Record<GitOperationKind, Record<OperationStep, string[] | null>> = {
  merge: { continue: ['merge', '--continue'], abort: ['merge', '--abort'], skip: null },
  rebase: { continue: ['rebase', '--continue'], abort: ['rebase', '--abort'], skip: ['rebase', '--skip'] },
  cherry_pick: {
    continue: ['cherry-pick', '--continue'],
    abort: ['cherry-pick', '--abort'],
    skip: ['cherry-pick', '--skip'],
  },
  revert: { continue: ['revert', '--continue'], abort: ['revert', '--abort'], skip: ['revert', '--skip'] },
  bisect: { continue: null, abort: ['bisect', 'reset'], skip: ['bisect', 'skip'] },
  apply_mailbox: { continue: ['am', '--continue'], abort: ['am', '--abort'], skip: ['am', '--skip'] },
}
const stepNames: Record<OperationStep, string> = { continue: 'Continuing', abort: 'Aborting', skip: 'Skipping' }

/** @throws ToolError if a file that git is about to overwrite could not be stored, so that nothing is lost */
function refuseUnstored(action: string, skipped: readonly { path: string; why: string }[]): void {
  const [first] = skipped
  if (!first) return
  const more = skipped.length > 1 ? ` and ${plural(skipped.length - 1, 'more file')}` : ''
  throw new ToolError(
    'conflict',
    `${action} would overwrite "${first.path.toWellFormed()}"${more}, so nothing was changed. ${first.why}`,
    'Copy what you need, then use git in a terminal.',
  )
}

export function createConflicts(
  { access, repositories, signal, change, requireTrust }: Actions,
  discarding: Pick<Discarding, 'backUp'>,
): Conflicts {
  async function backUpChanges(
    { found }: UsedRepository,
    { groups, operation }: GitStatusSummary,
    step: OperationStep,
  ) {
    // git does not change the files of submodules here.
    const files = [...groups.merge, ...groups.changes, ...groups.staged].filter(({ submodule }) => !submodule)
    const changed = new Set(files.map(({ path }) => path))
    if (step === 'continue' || changed.size === 0) return { id: null, skipped: [] }
    return discarding.backUp(found, [...changed], `before ${step} of a ${operation?.kind ?? 'merge'}`)
  }

  async function takeSide({ found }: UsedRepository, path: string, side: 'ours' | 'theirs'): Promise<void> {
    const outcome = await access.act(found, ['checkout', `--${side}`, ...pathsFromInput], signal, pathsInput([path]))
    if (outcome.code !== 0 && /does not have (?:our|their) version/.test(outcome.stderr))
      throw new ToolError('not_found', 'This side deleted the file.', 'Take the other side, or delete the file.')
    if (outcome.code !== 0) throw gitFailure('Resolving the conflict', outcome)
    requireGit('Staging', await access.act(found, ['add', ...pathsFromInput], signal, pathsInput([path])))
  }

  return {
    async step(id, operation, step) {
      const { result, status } = await change(id, operation, async (repository, git) => {
        const latest = await repository.status.now()
        const args = latest.operation && commands[latest.operation.kind][step]
        if (!args) throw new ToolError('no_change', 'There is nothing to continue or abort.', 'Refresh the status.')
        // Commits and autostashes are merged, also by an abort, which can start drivers that the repository configures.
        requireTrust(repository, stepNames[step])
        const backup = await backUpChanges(repository, latest, step)
        refuseUnstored(stepNames[step], backup.skipped)
        await git(stepNames[step], args)
        return { backup: backup.id, skipped: backup.skipped }
      })
      return { ...result, status }
    },
    async resolve(id, path, take) {
      const { result, status } = await repositories.change(id, async (repository) => {
        const { id: backup, skipped } = await discarding.backUp(repository.found, [path], 'before resolving a conflict')
        refuseUnstored('Resolving the conflict', skipped)
        if (take === 'delete') {
          const args = ['rm', '--quiet', '--force', '--', pathArgument(path)]
          requireGit('Deleting', await access.act(repository.found, args, signal, { env: literalPaths }))
        } else await takeSide(repository, path, take)
        return { backup, skipped }
      })
      return { ...result, status }
    },
  }
}
