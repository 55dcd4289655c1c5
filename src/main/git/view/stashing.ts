import { ToolError } from '../../../shared/errors.ts'
import type { GitStash, GitStatusSummary } from '../../../shared/git/git.ts'
import type { Actions } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import { commitArgument, pathsFromInput } from './names.ts'
import { refuseOverwriting } from './overwrittenFiles.ts'
import { readStashes } from './readReferences.ts'

export interface StashOptions {
  message: string
  /** Includes untracked files. */
  untracked: boolean
  paths?: readonly string[] | undefined
}

export interface Stashing {
  stashes(id: string): Promise<GitStash[]>
  stash(id: string, operation: string, options: StashOptions): Promise<GitStatusSummary>
  applyStash(id: string, operation: string, hash: string, pop: boolean): Promise<GitStatusSummary>
  dropStash(id: string, hash: string, operation?: string): Promise<GitStatusSummary>
  /** Restores a dropped stash. */
  restoreStash(id: string, hash: string, message: string, operation?: string): Promise<GitStatusSummary>
}

export function createStashing({ access, repositories, signal, run, change, requireTrust }: Actions): Stashing {
  /** Stash numbers change, so stashes are identified by their commit. */
  async function stashName(found: FoundRepository, hash: string, signal: AbortSignal): Promise<string> {
    const stash = (await readStashes(access, found, signal)).find((each) => each.hash === hash)
    if (!stash) throw new ToolError('not_found', 'The stash no longer exists.', 'Refresh the list of stashes.')
    return `stash@{${stash.index}}`
  }

  return {
    stashes: async (id) => readStashes(access, (await repositories.get(id)).found, signal),
    async stash(id, operation, { message, untracked, paths }) {
      const args = [
        'stash',
        'push',
        '--quiet',
        ...(untracked ? ['--include-untracked'] : []),
        ...(message.trim() === '' ? [] : [`--message=${message}`]),
        ...(paths ? pathsFromInput : []),
      ]
      const { status } = await change(id, operation, async ({ status: latest }, git) => {
        requireChanges(await latest.now(), untracked)
        await git('The changes could not be stashed.', args, paths)
      })
      return status
    },
    async applyStash(id, operation, hash, pop) {
      const { status } = await change(id, operation, async (repository, git, running) => {
        // Applying merges, which can start drivers configured by the repository.
        requireTrust(repository, 'Applying a stash is disabled in a restricted folder.')
        const command = ['stash', pop ? 'pop' : 'apply', '--quiet']
        const name = await stashName(repository.found, hash, running.signal)
        await refuseOverwriting(repository.found.workTree, running.act, commitArgument(hash), { from: `${hash}^1` })
        await git('The stash could not be applied.', [...command, '--index', name]).catch((error: unknown) => {
          // The staged part does not apply, but the other changes may.
          if (!(error instanceof ToolError && /without --index/.test(error.detail ?? ''))) throw error
          return git('The stash could not be applied.', [...command, name])
        })
      })
      return status
    },
    async dropStash(id, hash, operation) {
      const { status } = await change(id, operation, async ({ found }, git, running) => {
        await git('The stash could not be dropped.', [
          'stash',
          'drop',
          '--quiet',
          await stashName(found, hash, running.signal),
        ])
      })
      return status
    },
    restoreStash: (id, hash, message, operation) =>
      run(id, operation, 'The stash could not be restored.', [
        'stash',
        'store',
        `--message=${message}`,
        commitArgument(hash),
      ]),
  }
}

function requireChanges({ counts, head }: GitStatusSummary, untracked: boolean): void {
  if (head === null)
    throw new ToolError('conflict', 'There is no commit to stash changes against.', 'Commit something first.', {
      reason: 'no_commits',
    })
  if (counts.staged + counts.changes + (untracked ? counts.untracked : 0) === 0)
    throw new ToolError('no_change', 'There are no changes to stash.', '', { reason: 'nothing_to_commit' })
}
