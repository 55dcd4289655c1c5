import { ToolError } from '../../shared/errors.ts'
import type { FileDiff } from '../../shared/tool.ts'
import type { Workspace } from '../workspace/containment.ts'
import { parseDiff, parseStatus, type Status } from './parseStatus.ts'
import { openRepository, refuseLinks, type Repository } from './gitRepository.ts'
import { runGit, type GitOutcome } from './runGit.ts'

export interface GitStatus extends Status {
  /** Folder of the repository relative to the workspace. */
  repository: string
  /** Configured filters, which are not run. Their files may appear as changed. */
  filters: string[]
  /** Whether the list of changes is incomplete. */
  cut: boolean
}

export interface GitDiff {
  repository: string
  /** Text of the diff as written by git. */
  text: string
  files: FileDiff[]
  filters: string[]
  /** Whether the diff is incomplete. */
  cut: boolean
}

export interface GitCommit {
  repository: string
  hash: string
  /** Undefined for a detached HEAD. */
  branch?: string
  files: { path: string; /** Lines; null for a binary file. */ added: number | null; removed: number | null }[]
}

export interface DiffOptions {
  /** Compares the index with HEAD (or `commit`) instead of the files with the index. */
  staged?: boolean
  /** Commit to compare with. */
  commit?: string
}

/**
 * Git for the repositories of a workspace, without side effects of their configuration: no program named in
 * configuration, attributes or hooks is started, nothing is fetched, and a repository with parts outside the workspace
 * is rejected.
 * @throws ToolError from every method: `not_found` outside a repository, `outside_workspace`, `command_not_found`,
 * `timeout`
 */
export interface Git {
  /** @param folder the folder of the repository or one below it */
  status(folder: string, signal: AbortSignal): Promise<GitStatus>
  /** @throws ToolError `invalid_arguments` for an option instead of a commit, `not_found` for an unknown commit */
  diff(folder: string, options: DiffOptions, signal: AbortSignal): Promise<GitDiff>
  /**
   * Commits the index without a signature. @throws ToolError `no_change` if it is empty; `conflict` during a merge or
   * if locked
   */
  commit(folder: string, message: string, signal: AbortSignal): Promise<GitCommit>
  /** Throws what `commit` would throw for the current index. */
  checkCommit(folder: string, message: string, signal: AbortSignal): Promise<void>
}

const neutralDiff = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--submodule=short',
  '--ignore-submodules=dirty',
]
const patchFlags = ['--src-prefix=a/', '--dst-prefix=b/', '--unified=3', '--find-renames']
const maxDiffBytes = 512 * 1024

export function createGit(workspace: Workspace): Git {
  const run = (
    repository: Repository,
    args: readonly string[],
    signal: AbortSignal,
    more: { input?: string; maxBytes?: number } = {},
  ) =>
    runGit({
      args: [`--git-dir=${repository.gitDir}`, `--work-tree=${repository.workTree}`, ...args],
      folder: repository.workTree,
      config: repository.config,
      signal,
      ...more,
    })

  async function status(folder: string, signal: AbortSignal): Promise<GitStatus> {
    const repository = await openRepository(workspace, folder, signal)
    return statusOf(repository, signal)
  }

  async function statusOf(repository: Repository, signal: AbortSignal): Promise<GitStatus> {
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
    const outcome = succeeded(await run(repository, args, signal))
    // A truncated last field is not a path.
    const output = outcome.cut ? outcome.stdout.slice(0, outcome.stdout.lastIndexOf('\0') + 1) : outcome.stdout
    return { ...parseStatus(output), repository: repository.relative, filters: repository.filters, cut: outcome.cut }
  }

  async function diff(folder: string, { staged, commit }: DiffOptions, signal: AbortSignal): Promise<GitDiff> {
    const repository = await openRepository(workspace, folder, signal)
    const base = commit === undefined ? [] : [await commitHash(repository, commit, signal)]
    const outcome = succeeded(
      await run(
        repository,
        ['diff', ...neutralDiff, ...patchFlags, ...(staged ? ['--cached'] : []), ...base, '--'],
        signal,
        { maxBytes: maxDiffBytes },
      ),
    )
    return {
      repository: repository.relative,
      text: outcome.stdout,
      files: parseDiff(outcome.stdout, repository.relative),
      filters: repository.filters,
      cut: outcome.cut,
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
    const outcome = await run(repository, ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], signal)
    if (outcome.code === 0) return outcome.stdout.trim()
    throw new ToolError(
      'not_found',
      `The repository has no commit "${commit}".`,
      'Use an existing hash, branch or tag, or HEAD. Omit "commit" in a repository without commits.',
    )
  }

  async function committable(
    folder: string,
    message: string,
    signal: AbortSignal,
  ): Promise<{ repository: Repository; branch: string | undefined }> {
    if (message.trim() === '')
      throw new ToolError('invalid_arguments', '"message" is empty.', 'Describe what the commit changes and why.')
    const repository = await openRepository(workspace, folder, signal)
    await refuseLinks(repository)
    const before = await statusOf(repository, signal)
    if (before.conflicts.length > 0) {
      throw new ToolError(
        'conflict',
        `A merge has unresolved conflicts: ${formatPaths(before.conflicts.map((entry) => entry.path))}.`,
        'Resolve the conflicts in these files and stage them with "git add", then commit.',
      )
    }
    if (!before.tracked.some((entry) => !entry.state.startsWith('.'))) {
      throw new ToolError(
        'no_change',
        'No changes are staged.',
        'Stage files with the command "git add PATH", then commit. git_status lists the changes.',
      )
    }
    return { repository, branch: before.branch }
  }

  async function commit(folder: string, message: string, signal: AbortSignal): Promise<GitCommit> {
    const { repository, branch } = await committable(folder, message, signal)
    const staged = succeeded(
      await run(repository, ['diff', '--cached', '--numstat', '-z', ...neutralDiff, '--no-renames', '--'], signal),
    )
    const count = (text = '') => (text === '-' ? null : Number(text))
    const files = staged.stdout
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => {
        const [added, removed, ...name] = line.split('\t')
        return { path: name.join('\t'), added: count(added), removed: count(removed) }
      })
    succeeded(
      await run(
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
    const hash = succeeded(await run(repository, ['rev-parse', '--verify', 'HEAD'], signal)).stdout.trim()
    return { repository: repository.relative, hash, branch, files }
  }

  return {
    status,
    diff,
    commit,
    checkCommit: async (folder, message, signal) => void (await committable(folder, message, signal)),
  }
}

/** Joins up to ten paths. */
function formatPaths(paths: readonly string[]): string {
  return paths.length <= 10 ? paths.join(', ') : `${paths.slice(0, 10).join(', ')} and ${paths.length - 10} more`
}

/** Converts a failed run of git to a `ToolError`. */
function succeeded(outcome: GitOutcome): GitOutcome {
  const { code, stderr, cut } = outcome
  if (code === 0 || cut) return outcome
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
