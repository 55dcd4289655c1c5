import type { GitStatusSummary } from '../../../shared/git.ts'
import { decodeGitText } from '../gitText.ts'
import type { Actions } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { restrictedFailure } from './gitFailures.ts'
import { pathsFromInput, pathsInput } from './pathsInput.ts'
import type { ResolvedConflicts } from './resolvedConflicts.ts'

export interface Staging {
  /** Stages files, including deleted ones. Without paths: all. */
  stage(id: string, paths: readonly string[] | undefined, operation?: string): Promise<GitStatusSummary>
  unstage(id: string, paths: readonly string[] | undefined, operation?: string): Promise<GitStatusSummary>
}

export function createStaging({ access, change }: Actions, resolved: Pick<ResolvedConflicts, 'remember'>): Staging {
  return {
    async stage(id, paths, operation) {
      const { status } = await change(id, operation, async ({ found, status: latest }, git, running) => {
        const status = await latest.latest()
        if (!access.isTrusted(found)) await refuseFiltered(access, found, paths ?? changedPaths(status), running.signal)
        // Staging marks conflicts as resolved.
        const conflicts = status.groups.merge.map(({ path }) => path).filter((path) => paths?.includes(path) ?? true)
        if (conflicts.length > 0) await resolved.remember(found, conflicts, running)
        await git('Staging', paths ? ['add', '--all', ...pathsFromInput] : ['add', '--all'], paths)
      })
      return status
    },
    async unstage(id, paths, operation) {
      const { status } = await change(id, operation, async ({ status: latest }, git) => {
        const { head, groups } = await latest.latest()
        if (head === null) {
          // Without a commit there is nothing to reset to.
          const args = ['rm', '--cached', '-r', '--quiet', '--ignore-unmatch']
          await git('Unstaging', [...args, ...(paths ? pathsFromInput : ['.'])], paths)
          return
        }
        // A rename is staged as two entries.
        const wanted = paths && new Set(paths)
        const sources = groups.staged.flatMap(({ path, from }) =>
          from !== undefined && wanted?.has(path) ? [from] : [],
        )
        const args = ['reset', '--quiet', ...(paths ? pathsFromInput : [])]
        await git('Unstaging', args, paths && [...paths, ...sources])
      })
      return status
    },
  }
}

/** Paths that staging everything would stage. */
export function changedPaths({ groups }: GitStatusSummary): string[] {
  return [...groups.changes, ...groups.untracked].map(({ path }) => path)
}

/**
 * Refuses files with a filter in a restricted folder: filters do not run there, so git would store other content than
 * the filter makes, for example a whole file instead of a reference (Git LFS).
 */
export async function refuseFiltered(
  access: GitAccess,
  found: FoundRepository,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { input } = pathsInput(paths)
  const { output } = await access.read(found, ['check-attr', '-z', '--stdin', 'filter'], signal, { input })
  const fields = decodeGitText(output).split('\0')
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const filter = fields[at + 2]
    if (filter !== 'unspecified' && filter !== 'unset')
      throw restrictedFailure(`Staging "${fields[at]}", which has the filter "${filter}",`)
  }
}
