import type { GitStatusSummary } from '../../../shared/git.ts'
import { decodeGitText, encodeGitText } from '../gitText.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit, restrictedFailure } from './gitFailures.ts'
import type { Repositories, UsedRepository } from './repositories.ts'

/** Arguments for a list of paths on standard input. Names can be any bytes and the list any length. */
export const pathsFromInput = ['--pathspec-from-file=-', '--pathspec-file-nul']

/** Names are no patterns. Set only where paths are passed, because hooks inherit it and may use patterns. */
export const literalPaths = { GIT_LITERAL_PATHSPECS: '1' }

/** Returns the options of a run with `pathsFromInput`. */
export function pathsInput(paths: readonly string[]): { input: Buffer; env: Record<string, string> } {
  return { input: encodeGitText(paths.map((path) => `${path}\0`).join('')), env: literalPaths }
}

export interface Staging {
  /** Stages files, including deleted ones. Without paths: all. */
  stage(id: string, paths: readonly string[] | undefined): Promise<GitStatusSummary>
  unstage(id: string, paths: readonly string[] | undefined): Promise<GitStatusSummary>
}

export function createStaging(access: GitAccess, repositories: Repositories, signal: AbortSignal): Staging {
  async function stage({ found, status }: UsedRepository, paths: readonly string[] | undefined): Promise<void> {
    if (!access.isTrusted(found))
      await refuseFiltered(access, found, paths ?? changedPaths(await status.latest()), signal)
    const args = paths ? ['add', '--all', ...pathsFromInput] : ['add', '--all']
    requireGit('Staging', await access.act(found, args, signal, paths && pathsInput(paths)))
  }

  async function unstage({ found, status }: UsedRepository, paths: readonly string[] | undefined): Promise<void> {
    const { head, groups } = await status.latest()
    if (head === null) {
      // Without a commit there is nothing to reset to.
      const args = ['rm', '--cached', '-r', '--quiet', '--ignore-unmatch']
      const input = paths && pathsInput(paths)
      requireGit('Unstaging', await access.act(found, [...args, ...(paths ? pathsFromInput : ['.'])], signal, input))
      return
    }
    // A rename is staged as two entries.
    const wanted = paths && new Set(paths)
    const sources = groups.staged.flatMap(({ path, from }) => (from !== undefined && wanted?.has(path) ? [from] : []))
    const args = ['reset', '--quiet', ...(paths ? pathsFromInput : [])]
    const input = paths && pathsInput([...paths, ...sources])
    requireGit('Unstaging', await access.act(found, args, signal, input))
  }

  return {
    stage: async (id, paths) => (await repositories.change(id, (repository) => stage(repository, paths))).status,
    unstage: async (id, paths) => (await repositories.change(id, (repository) => unstage(repository, paths))).status,
  }
}

/** Paths that staging everything would stage. */
export function changedPaths({ groups }: GitStatusSummary): string[] {
  return [...groups.changes, ...groups.untracked].map(({ path }) => path)
}

/**
 * Refuses files with a filter in a restricted folder: filters do not run there, so git would store other content than the
 * filter makes, for example a whole file instead of a reference (Git LFS).
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
