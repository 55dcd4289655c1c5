import type { Repository } from './gitRepository.ts'
import { requireSuccess, runGitIn } from './runInRepository.ts'
import { createStatusParser, type ParsedStatus } from './statusParser.ts'

export interface GitStatus extends ParsedStatus {
  /** The repository's folder relative to the workspace. */
  repository: string
  /** Configured filters, which are not run. Their files may appear changed. */
  filters: string[]
}

export async function statusOf(repository: Repository, signal: AbortSignal): Promise<GitStatus> {
  // Submodules are ignored, because git would run itself there with their configuration.
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
  const parser = createStatusParser(Infinity)
  parser.add(Buffer.from(outcome.stdout))
  return {
    ...parser.end(),
    repository: repository.relative,
    filters: repository.filters,
    truncated: outcome.truncated,
  }
}
