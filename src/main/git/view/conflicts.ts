import { ToolError } from '../../../shared/errors.ts'
import type { GitDiscardResult, GitOperationKind, GitStatusSummary } from '../../../shared/git/git.ts'
import { plural } from '../../../shared/text/plural.ts'
import { decodeGitText, encodeGitText } from '../gitText.ts'
import type { Actions, RunGit, RunningAction } from './actions.ts'
import type { Backup, Discarding } from './discarding.ts'
import type { FoundRepository } from './findRepositories.ts'
import { gitFailure, requireGit } from './gitFailures.ts'
import { pathArgument, literalPaths, pathsFromInput, pathsInput } from './names.ts'
import type { UsedRepository } from './repositories.ts'

export type OperationStep = 'continue' | 'abort' | 'skip'

export interface Conflicts {
  /** Continues, aborts or skips a step of the unfinished operation. Stores overwritten files for undo. */
  step(id: string, operation: string, step: OperationStep): Promise<GitDiscardResult>
  /** Resolves a conflict with one side, or by deleting the file. Stores the working file for undo. */
  resolve(id: string, path: string, take: 'ours' | 'theirs' | 'delete', operation?: string): Promise<GitDiscardResult>
  /** Restores the conflict of resolved files. @throws ToolError `not_found` if it is no longer known */
  unresolve(id: string, paths: readonly string[], operation?: string): Promise<GitDiscardResult>
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
const stepTexts: Record<OperationStep, { failed: string; restricted: string }> = {
  continue: {
    failed: 'The operation could not be continued.',
    restricted: 'Continuing is disabled in a restricted folder.',
  },
  abort: { failed: 'The operation could not be aborted.', restricted: 'Aborting is disabled in a restricted folder.' },
  skip: { failed: 'The commit could not be skipped.', restricted: 'Skipping is disabled in a restricted folder.' },
}

/** @throws ToolError if a file that git would overwrite could not be stored, so that nothing is lost */
function refuseUnstored(skipped: readonly { path: string; why: string }[]): void {
  const [first] = skipped
  if (!first) return
  const file = `"${first.path.toWellFormed()}"`
  throw new ToolError(
    'conflict',
    skipped.length === 1
      ? `${file} would be overwritten, so nothing was changed. ${first.why}`
      : `${file} and ${plural(skipped.length - 1, 'more file')} would be overwritten, so nothing was changed. ${first.why}`,
    'Copy what you need, then use git in a terminal.',
  )
}

export function createConflicts(
  { change, requireTrust }: Actions,
  discarding: Pick<Discarding, 'overwrite' | 'restore'>,
  resolved: ResolvedConflicts,
): Conflicts {
  /** Stores the changed files before a step that overwrites them. */
  async function overwriteChanges<T>(
    { found }: UsedRepository,
    { groups, operation }: GitStatusSummary,
    step: OperationStep,
    signal: AbortSignal,
    act: (backup: Pick<Backup, 'id' | 'skipped'>) => Promise<T>,
  ): Promise<T> {
    // git does not change files in submodules here.
    const files = [...groups.merge, ...groups.changes, ...groups.staged].filter(({ submodule }) => !submodule)
    const changed = new Set(files.map(({ path }) => path))
    if (step === 'continue' || changed.size === 0) return act({ id: null, skipped: [] })
    return discarding.overwrite(found, [...changed], `before ${step} of a ${operation?.kind ?? 'merge'}`, signal, act)
  }

  async function takeSide(path: string, side: 'ours' | 'theirs', git: RunGit, { act }: RunningAction): Promise<void> {
    const outcome = await act(['checkout', `--${side}`, ...pathsFromInput], pathsInput([path]))
    if (outcome.code !== 0 && /does not have (?:our|their) version/.test(outcome.stderr))
      throw new ToolError('not_found', 'This side deleted the file.', 'Use the other side, or delete the file.')
    if (outcome.code !== 0) throw gitFailure('The conflict could not be resolved.', outcome)
    await git('The file could not be staged.', ['add', ...pathsFromInput], [path])
  }

  return {
    async step(id, operation, step) {
      const { result, status } = await change(id, operation, async (repository, git, running) => {
        const latest = await repository.status.now()
        const args = latest.operation && commands[latest.operation.kind][step]
        if (!args) throw new ToolError('no_change', 'There is nothing to continue or abort.', 'Refresh the status.')
        // Even an abort merges commits and autostashes, which can start drivers configured by the repository.
        requireTrust(repository, stepTexts[step].restricted)
        return overwriteChanges(repository, latest, step, running.signal, async ({ id: backup, skipped }) => {
          refuseUnstored(skipped)
          await git(stepTexts[step].failed, args)
          return { backup, skipped }
        })
      })
      return { ...result, status }
    },
    async resolve(id, path, take, operation) {
      const { result, status } = await change(id, operation, async ({ found }, git, running) => {
        const reason = 'before resolving a conflict'
        return discarding.overwrite(found, [path], reason, running.signal, async ({ id: backup, skipped }) => {
          refuseUnstored(skipped)
          await resolved.remember(found, [path], running, backup)
          if (take === 'delete') {
            const args = ['rm', '--quiet', '--force', '--', pathArgument(path)]
            await git('The file could not be deleted.', args, undefined, { env: literalPaths })
          } else await takeSide(path, take, git, running)
          return { backup, skipped }
        })
      })
      return { ...result, status }
    },
    async unresolve(id, paths, operation) {
      const { result, status } = await change(id, operation, async ({ found }, git, { signal }) => {
        const skipped: GitDiscardResult['skipped'] = []
        for (const backup of await resolved.restore(found, paths, git))
          skipped.push(...(await discarding.restore(backup, signal)).skipped)
        return { backup: null, skipped }
      })
      return { ...result, status }
    },
  }
}

/** The versions of a conflicting file, as lines of `git ls-files --stage`. */
interface Resolved {
  stages: string[]
  /** Checkpoint of the working file; null if the user edited it. */
  backup: number | null
}

/** Remembers resolved conflicts, so that resolving them can be undone. */
export interface ResolvedConflicts {
  /** Remembers the conflicts of these files before they are resolved. */
  remember(
    found: FoundRepository,
    paths: readonly string[],
    running: RunningAction,
    backup?: number | null,
  ): Promise<void>
  /**
   * Restores the conflicts of files.
   * @returns the checkpoints of their working files
   * @throws ToolError `not_found` if a conflict is not known
   */
  restore(found: FoundRepository, paths: readonly string[], git: RunGit): Promise<number[]>
}

/** Maximum number of remembered files. */
const maxRemembered = 1000

export function createResolvedConflicts(): ResolvedConflicts {
  const resolved = new Map<string, Resolved>()
  const keyOf = ({ id }: FoundRepository, path: string) => `${id}\0${path}`
  return {
    async remember(found, paths, { act }, backup = null) {
      const args = ['ls-files', '--unmerged', '-z', '--', ...paths.map((path) => `./${path}`)]
      if (paths.length > maxRemembered || !paths.every((path) => path.isWellFormed())) return
      const { output } = requireGit('The conflict could not be loaded.', await act(args, { env: literalPaths }))
      const stages = Map.groupBy(
        decodeGitText(output)
          .split('\0')
          .filter((line) => line !== ''),
        (line) => line.slice(line.indexOf('\t') + 1),
      )
      for (const [path, lines] of stages) resolved.set(keyOf(found, path), { stages: lines, backup })
      for (const oldest of resolved.keys()) {
        if (resolved.size <= maxRemembered) break
        resolved.delete(oldest)
      }
    },
    async restore(found, paths, git) {
      const entries = paths.map((path) => {
        const entry = resolved.get(keyOf(found, path))
        if (!entry)
          throw new ToolError(
            'not_found',
            `The conflict in "${path.toWellFormed()}" can no longer be restored.`,
            'Abort the merge and start it again.',
          )
        return { path, ...entry }
      })
      // Mode 0 removes the resolved entry first (git-update-index(1)).
      const lines = entries.flatMap(({ path, stages }) => {
        const digits = stages[0]?.split(' ')[1]?.length ?? 0
        return [`0 ${'0'.repeat(digits)}\t${path}`, ...stages]
      })
      const input = encodeGitText(lines.map((line) => `${line}\0`).join(''))
      await git('The conflict could not be restored.', ['update-index', '-z', '--index-info'], undefined, { input })
      for (const path of paths) resolved.delete(keyOf(found, path))
      return entries.flatMap(({ backup }) => backup ?? [])
    },
  }
}
