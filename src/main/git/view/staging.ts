import type { GitStatusSummary } from '../../../shared/git/git.ts'
import { decodeGitText, encodeGitText } from '../gitText.ts'
import type { Actions } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit, restrictedFailure } from './gitFailures.ts'
import { literalPaths, pathsFromInput, pathsInput } from './names.ts'
import type { ResolvedConflicts } from './conflicts.ts'

export interface Staging {
  /** Stages files, including deleted ones. Without paths: all except conflicts, which would count as resolved. */
  stage(id: string, paths: readonly string[] | undefined, operation?: string): Promise<GitStatusSummary>
  /** Without paths: everything staged. Keeps conflicts and an unfinished merge. */
  unstage(id: string, paths: readonly string[] | undefined, operation?: string): Promise<GitStatusSummary>
}

export function createStaging({ access, change }: Actions, resolved: Pick<ResolvedConflicts, 'remember'>): Staging {
  return {
    async stage(id, paths, operation) {
      const { status } = await change(id, operation, async ({ found, status: latest }, git, running) => {
        // An outdated status could lack new conflicts, which would be staged.
        const status = paths ? await latest.latest() : await latest.now()
        if (!access.isTrusted(found)) await refuseFiltered(access, found, paths ?? changedPaths(status), running.signal)
        const conflicts = status.groups.merge.map(({ path }) => path)
        if (!paths) {
          await git(
            'The changes could not be staged.',
            ['add', '--all', ...pathsFromInput],
            undefined,
            allExcept(conflicts),
          )
          return
        }
        // git would stage everything.
        if (paths.length === 0) return
        // Staging marks conflicts as resolved.
        const marked = conflicts.filter((path) => paths.includes(path))
        if (marked.length > 0) await resolved.remember(found, marked, running)
        await git('The changes could not be staged.', ['add', '--all', ...pathsFromInput], paths)
      })
      return status
    },
    async unstage(id, paths, operation) {
      const { status } = await change(id, operation, async ({ found, status: latest }, git, { signal }) => {
        const { head, groups } = await latest.latest()
        if (paths?.length === 0) return
        if (head === null) {
          // Without a commit there is nothing to reset to. `--force`: the file may have changed since it was staged.
          const args = ['rm', '--cached', '-r', '--force', '--quiet', '--ignore-unmatch']
          await git('The changes could not be unstaged.', [...args, ...(paths ? pathsFromInput : ['.'])], paths)
          return
        }
        if (!paths) {
          // A reset without paths would end a merge and lose its conflicts.
          const input = await readStaged(access, found, signal)
          if (input.length > 0)
            await git('The changes could not be unstaged.', ['reset', '--quiet', ...pathsFromInput], undefined, {
              input,
              env: literalPaths,
            })
          return
        }
        // A rename is staged as two entries.
        const wanted = new Set(paths)
        const sources = groups.staged.flatMap(({ path, from }) =>
          from !== undefined && wanted.has(path) ? [from] : [],
        )
        await git('The changes could not be unstaged.', ['reset', '--quiet', ...pathsFromInput], [...paths, ...sources])
      })
      return status
    },
  }
}

/** Returns the input that selects all files except these paths. */
function allExcept(paths: readonly string[]): { input: Buffer } {
  const excluded = paths.map((path) => `:(top,exclude,literal)${path}\0`)
  return { input: encodeGitText(`:(top)\0${excluded.join('')}`) }
}

/** Returns the paths that differ between HEAD and the index, as git writes them, without conflicts. */
async function readStaged(access: GitAccess, found: FoundRepository, signal: AbortSignal): Promise<Buffer> {
  const args = ['diff-index', '--cached', '--name-only', '--no-renames', '--diff-filter=u', '-z', 'HEAD', '--']
  const { output, truncated } = requireGit(
    'The staged changes could not be loaded.',
    await access.read(found, args, signal),
  )
  return truncated ? output.subarray(0, output.lastIndexOf(0) + 1) : output
}

/** Paths that staging everything would stage. */
export function changedPaths({ groups }: GitStatusSummary): string[] {
  return [...groups.changes, ...groups.untracked].map(({ path }) => path)
}

/**
 * Refuses files with a filter in a restricted folder: filters do not run there, so git would store different content,
 * for example a whole file instead of a reference (Git LFS).
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
      throw restrictedFailure(
        `"${fields[at]}" has the filter "${filter}", so staging it is disabled in a restricted folder.`,
      )
  }
}
