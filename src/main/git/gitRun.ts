import { runGit, type GitOutcome } from './runGit.ts'
import type { Repository } from './gitRepository.ts'

/** Runs git in a repository, with its programs disabled. */
export function runGitIn(
  repository: Repository,
  args: readonly string[],
  signal: AbortSignal,
  more: { input?: string; maxBytes?: number } = {},
): Promise<GitOutcome> {
  return runGit({
    args: [`--git-dir=${repository.gitDir}`, `--work-tree=${repository.workTree}`, ...args],
    folder: repository.workTree,
    config: repository.config,
    signal,
    ...more,
  })
}

/** Flags of every diff: no programs, no colors, no submodule content. */
export const safeDiffFlags = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--submodule=short',
  '--ignore-submodules=dirty',
]
