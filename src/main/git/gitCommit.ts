import { ToolError } from '../../shared/errors.ts'
import { requireSuccess, safeDiffFlags, runGitIn } from './runInRepository.ts'
import type { Repository } from './gitRepository.ts'
import { statusOf } from './gitStatus.ts'
import { refuseLinks } from './repositoryContainment.ts'

export interface GitCommit {
  repository: string
  hash: string
  /** Undefined for a detached HEAD. */
  branch?: string
  files: { path: string; /** Lines; null for a binary file. */ added: number | null; removed: number | null }[]
}

/** @throws ToolError whatever a commit would throw for the current index */
export async function checkCommittable(
  open: () => Promise<Repository>,
  message: string,
  signal: AbortSignal,
): Promise<{ repository: Repository; branch: string | undefined }> {
  if (message.trim() === '')
    throw new ToolError('invalid_arguments', '"message" is empty.', 'Describe what the commit changes and why.')
  const repository = await open()
  await refuseLinks(repository)
  const before = await statusOf(repository, signal)
  if (before.groups.merge.length > 0) {
    throw new ToolError(
      'conflict',
      `A merge has unresolved conflicts: ${formatPaths(before.groups.merge.map((entry) => entry.path))}.`,
      'Resolve the conflicts in these files and stage them with "git add", then commit.',
    )
  }
  if (before.groups.staged.length === 0) {
    throw new ToolError(
      'no_change',
      'No changes are staged.',
      'Stage files with the command "git add PATH", then commit. git_status lists the changes.',
    )
  }
  return { repository, branch: before.branch ?? undefined }
}

export async function commitIndex(
  open: () => Promise<Repository>,
  message: string,
  signal: AbortSignal,
): Promise<GitCommit> {
  const { repository, branch } = await checkCommittable(open, message, signal)
  const staged = requireSuccess(
    await runGitIn(repository, ['diff', '--cached', '--numstat', '-z', ...safeDiffFlags, '--no-renames', '--'], signal),
  )
  const count = (text = '') => (text === '-' ? null : Number(text))
  const files = staged.stdout
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [added, removed, ...name] = line.split('\t')
      return { path: name.join('\t'), added: count(added), removed: count(removed) }
    })
  requireSuccess(
    await runGitIn(
      repository,
      [
        '-c',
        'i18n.commitEncoding=UTF-8',
        'commit',
        '--quiet',
        '--no-verify',
        '--no-gpg-sign',
        '--no-edit',
        '--cleanup=whitespace',
        '--file=-',
      ],
      signal,
      { input: message },
    ),
  )
  const hash = requireSuccess(await runGitIn(repository, ['rev-parse', '--verify', 'HEAD'], signal)).stdout.trim()
  return { repository: repository.relative, hash, branch, files }
}

/** Joins up to ten paths. */
function formatPaths(paths: readonly string[]): string {
  return paths.length <= 10 ? paths.join(', ') : `${paths.slice(0, 10).join(', ')} and ${paths.length - 10} more`
}
