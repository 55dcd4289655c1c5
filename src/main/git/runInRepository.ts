import { ToolError } from '../../shared/errors.ts'
import type { Repository } from './gitRepository.ts'
import { runGit, type GitOutcome } from './runGit.ts'

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

/** Returns a successful or truncated outcome. @throws ToolError with the cause of a failed run */
export function requireSuccess(outcome: GitOutcome): GitOutcome {
  const { code, stderr, truncated } = outcome
  if (code === 0 || truncated) return outcome
  if (/index\.lock|Unable to create '.*\.lock'/.test(stderr)) {
    throw new ToolError(
      'conflict',
      'The repository is locked by another git process, or by one that was interrupted.',
      'Wait and try again. If no git process is running, ask the user to delete the lock file (.git/index.lock).',
    )
  }
  if (/not a git repository/.test(stderr))
    throw new ToolError(
      'not_found',
      'The repository in ".git" is incomplete.',
      'Ask the user to repair it or to run "git init".',
    )
  if (/tell me who you are|user\.(?:name|email)|empty ident/i.test(stderr)) {
    throw new ToolError(
      'conflict',
      'The author is unknown: user.name and user.email are not set.',
      'Ask the user to set them with "git config --global user.name" and "user.email".',
    )
  }
  throw new ToolError(
    'io_error',
    `git failed: ${stderr || `it ended with ${code === null ? 'a signal' : `exit code ${code}`}`}`,
    'If the repository is damaged, ask the user to check it with "git status" in a terminal.',
  )
}
