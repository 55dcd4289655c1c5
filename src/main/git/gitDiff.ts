import { ToolError } from '../../shared/errors.ts'
import type { FileDiff } from '../../shared/tool.ts'
import { requireSuccess } from './gitErrors.ts'
import type { Repository } from './gitRepository.ts'
import { safeDiffFlags, runGitIn } from './gitRun.ts'
import { parseDiff } from './parseStatus.ts'

export interface GitDiff {
  repository: string
  /** Text of the diff as written by git. */
  text: string
  files: FileDiff[]
  filters: string[]
  /** Changed secret files, relative to the workspace. Their content is not part of the diff. */
  secret: string[]
  /** Whether the diff is incomplete. */
  truncated: boolean
}

export interface DiffOptions {
  /** Compares the index with HEAD (or `commit`) instead of the files with the index. */
  staged?: boolean
  /** Commit to compare with. */
  commit?: string
}

const patchFlags = ['--src-prefix=a/', '--dst-prefix=b/', '--unified=3', '--find-renames']
const maxDiffBytes = 512 * 1024

/** @param isSecret whether a path, relative to the workspace, is left out */
export async function diffOf(
  repository: Repository,
  { staged, commit }: DiffOptions,
  isSecret: (path: string) => boolean,
  signal: AbortSignal,
): Promise<GitDiff> {
  const base = commit === undefined ? [] : [await commitHash(repository, commit, signal)]
  const compared = [...(staged ? ['--cached'] : []), ...base]
  const listed = requireSuccess(
    await runGitIn(
      repository,
      ['diff', ...safeDiffFlags, '--no-renames', '--name-only', '-z', ...compared, '--'],
      signal,
    ),
  )
  const inWorkspace = (name: string) => (repository.relative === '.' ? name : `${repository.relative}/${name}`)
  const secret = listed.stdout.split('\0').filter((name) => name !== '' && isSecret(inWorkspace(name)))
  // An incomplete list could hide a secret file behind its end.
  if (listed.truncated) throw tooLarge()
  const without = secret.length > 0 ? [':(top)', ...secret.map((name) => `:(top,exclude,literal)${name}`)] : []
  const outcome = requireSuccess(
    await runGitIn(repository, ['diff', ...safeDiffFlags, ...patchFlags, ...compared, '--', ...without], signal, {
      maxBytes: maxDiffBytes,
    }),
  )
  return {
    repository: repository.relative,
    text: outcome.stdout,
    files: parseDiff(outcome.stdout, repository.relative),
    filters: repository.filters,
    secret: secret.map(inWorkspace),
    truncated: outcome.truncated,
  }
}

async function commitHash(repository: Repository, commit: string, signal: AbortSignal): Promise<string> {
  if (commit.trim() === '' || commit.startsWith('-') || commit.includes('\0')) {
    throw new ToolError(
      'invalid_arguments',
      `"commit" is "${commit}", which is not a commit.`,
      'Use a hash, branch, tag, or HEAD~1. Options are not allowed.',
    )
  }
  const outcome = await runGitIn(repository, ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], signal)
  if (outcome.code === 0) return outcome.stdout.trim()
  throw new ToolError(
    'not_found',
    `The repository has no commit "${commit}".`,
    'Use an existing hash, branch or tag, or HEAD. Omit "commit" in a repository without commits.',
  )
}

function tooLarge(): ToolError {
  return new ToolError(
    'too_large',
    'The list of changed files is longer than 1 MiB.',
    'Compare with a later commit, or read single files.',
  )
}
