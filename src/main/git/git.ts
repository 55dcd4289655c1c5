import { ToolError } from '../../shared/errors.ts'
import type { FileDiff } from '../../shared/tool.ts'
import type { Workspace } from '../workspace/containment.ts'
import { parseDiff, parseStatus, type Status } from './parseStatus.ts'
import { openRepository, refuseLinks, type Repository } from './gitRepository.ts'
import { runGit, type GitOutcome } from './runGit.ts'

export interface GitStatus extends Status {
  /** The repository's folder relative to the workspace. */
  repository: string
  /** Filters that the repository or the user configured and that were not run: their files may show as changed. */
  filters: string[]
  /** There are more changes than were read. */
  cut: boolean
}

export interface GitDiff {
  repository: string
  /** As git writes it. */
  text: string
  files: FileDiff[]
  filters: string[]
  /** The diff is longer than what was read. */
  cut: boolean
}

export interface GitCommit {
  repository: string
  hash: string
  /** Undefined with a detached HEAD. */
  branch?: string
  files: { path: string; /** Lines; null for a binary file. */ added: number | null; removed: number | null }[]
}

export interface DiffOptions {
  /** The index against HEAD (or `commit`) in place of the files against the index. */
  staged?: boolean
  /** One commit to compare with. */
  commit?: string
}

/**
 * Git over the repositories of a workspace, neutralised: nothing that a repository's configuration, attributes or hooks name is
 * run, nothing is fetched, and a repository with parts outside the workspace is refused. Every call throws `not_found` outside
 * a repository, `outside_workspace`, `command_not_found`, `timeout`.
 */
export interface Git {
  /** @param folder of the repository or below it */
  status(folder: string, signal: AbortSignal): Promise<GitStatus>
  /** Throws `invalid_arguments` for a commit that is an option, `not_found` for one that does not exist. */
  diff(folder: string, options: DiffOptions, signal: AbortSignal): Promise<GitDiff>
  /** Commits what is staged, unsigned. Throws `no_change` when nothing is, `conflict` while a merge or another git is under way. */
  commit(folder: string, message: string, signal: AbortSignal): Promise<GitCommit>
  /** Throws what `commit` would throw because of what is staged now. */
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
    // Without looking into submodules: there git would start itself with their configuration and not with ours.
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
    // A last field that was cut is no path.
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
        `"commit" is "${commit}", which names no commit.`,
        'Give a hash, a branch, a tag, or HEAD~1; options are not taken.',
      )
    }
    const outcome = await run(repository, ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], signal)
    if (outcome.code === 0) return outcome.stdout.trim()
    throw new ToolError(
      'not_found',
      `The repository has no commit "${commit}".`,
      'Give one hash, branch or tag that exists, or HEAD; leave "commit" out in a repository without commits.',
    )
  }

  async function committable(
    folder: string,
    message: string,
    signal: AbortSignal,
  ): Promise<{ repository: Repository; branch: string | undefined }> {
    if (message.trim() === '')
      throw new ToolError('invalid_arguments', '"message" is empty.', 'Say what the commit changes and why.')
    const repository = await openRepository(workspace, folder, signal)
    await refuseLinks(repository)
    const before = await statusOf(repository, signal)
    if (before.conflicts.length > 0) {
      throw new ToolError(
        'conflict',
        `A merge is not resolved yet: ${some(before.conflicts.map((entry) => entry.path))}.`,
        'Resolve the conflicts in these files and stage them with "git add", then commit.',
      )
    }
    if (!before.tracked.some((entry) => !entry.state.startsWith('.'))) {
      throw new ToolError(
        'no_change',
        'Nothing is staged, so there is nothing to commit.',
        'Stage the files first with "git add PATH" in a command, then commit; git_status shows what has changed.',
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

/** Up to ten names. */
function some(paths: readonly string[]): string {
  return paths.length <= 10 ? paths.join(', ') : `${paths.slice(0, 10).join(', ')} and ${paths.length - 10} more`
}

/** Git's own words as a failure with a next step. */
function succeeded(outcome: GitOutcome): GitOutcome {
  const { code, stderr, cut } = outcome
  if (code === 0 || cut) return outcome
  if (/index\.lock|Unable to create '.*\.lock'/.test(stderr)) {
    throw new ToolError(
      'conflict',
      'Another git is at work in this repository, or one was interrupted: its lock file is still there.',
      'Wait and try again. If no git runs, ask the user to delete the lock file (.git/index.lock).',
    )
  }
  if (/not a git repository/.test(stderr))
    throw new ToolError(
      'not_found',
      'The ".git" here is not a whole repository.',
      'Ask the user to repair it or to run "git init".',
    )
  if (/tell me who you are|user\.(?:name|email)|empty ident/i.test(stderr)) {
    throw new ToolError(
      'conflict',
      'Git does not know whose commit this is: user.name and user.email are not set.',
      'Ask the user to set them with "git config --global user.name" and "user.email".',
    )
  }
  throw new ToolError(
    'io_error',
    `git failed: ${stderr || `it ended with ${code === null ? 'a signal' : `code ${code}`}`}`,
    'If the repository is damaged, ask the user to look at it with "git status" in a terminal.',
  )
}
