import type { Repository } from './gitRepository.ts'
import { requireSuccess, runGitIn } from './gitRun.ts'
import { parseStatus, type Status } from './parseStatus.ts'

export interface GitStatus extends Status {
  /** Folder of the repository relative to the workspace. */
  repository: string
  /** Configured filters, which are not run. Their files may appear as changed. */
  filters: string[]
  /** Whether the list of changes is incomplete. */
  truncated: boolean
}

export async function statusOf(repository: Repository, signal: AbortSignal): Promise<GitStatus> {
  // Submodules are ignored, because git would start itself there with their configuration.
  const args = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=normal',
    '--find-renames',
    '--ignore-submodules=dirty',
  ]
  const outcome = requireSuccess(await runGitIn(repository, args, signal))
  // A truncated last field is not a path.
  const output = outcome.truncated ? outcome.stdout.slice(0, outcome.stdout.lastIndexOf('\0') + 1) : outcome.stdout
  return {
    ...parseStatus(output),
    repository: repository.relative,
    filters: repository.filters,
    truncated: outcome.truncated,
  }
}
