import { ToolError } from '../../shared/errors.ts'
import { toWorkspacePath, type RepositoryPlace } from '../../shared/git/git.ts'
import type { FileDiff } from '../../shared/tools/tool.ts'
import { requireSuccess, safeDiffFlags } from './runInRepository.ts'
import type { GitOutcome } from './runGit.ts'

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

/** A repository to compare, accessed like a tool or like the git view. */
export interface DiffSource {
  /** Relative to the workspace, `.` for its root. */
  relative: string
  /** For a repository above the workspace: the workspace folder. Changes outside it are omitted. */
  prefix?: string | undefined
  /** The same of further folders. */
  others?: readonly RepositoryPlace[] | undefined
  filters: string[]
  /** Runs git without starting programs. */
  run(args: readonly string[], options?: { maxBytes?: number }): Promise<GitOutcome>
}

const patchFlags = ['--src-prefix=a/', '--dst-prefix=b/', '--unified=3', '--find-renames']
const maxDiffBytes = 512 * 1024

/** @param isSecret whether to omit a path, relative to the workspace */
export async function diffOf(
  source: DiffSource,
  { staged, commit }: DiffOptions,
  isSecret: (path: string) => boolean,
): Promise<GitDiff> {
  const { relative, prefix, others = [], run } = source
  const base = commit === undefined ? [] : [await commitHash(source, commit)]
  const compared = [...(staged ? ['--cached'] : []), ...base]
  const prefixes = [prefix, ...others.map((other) => other.prefix)].filter((each) => each !== undefined)
  const within = prefixes.map((each) => `:(top,literal)${each}`)
  const listed = requireSuccess(
    await run(['diff', ...safeDiffFlags, '--no-renames', '--name-only', '-z', ...compared, '--', ...within]),
  )
  const inWorkspace = (name: string) => toWorkspacePath({ folder: relative, prefix, others }, name) ?? name
  const secret = listed.stdout.split('\0').filter((name) => name !== '' && isSecret(inWorkspace(name)))
  // A truncated list could omit a secret file.
  if (listed.truncated) throw tooLarge()
  const all = within.length > 0 ? within : [':(top)']
  const without = secret.length > 0 ? [...all, ...secret.map((name) => `:(top,exclude,literal)${name}`)] : within
  const outcome = requireSuccess(
    await run(['diff', ...safeDiffFlags, ...patchFlags, ...compared, '--', ...without], { maxBytes: maxDiffBytes }),
  )
  return {
    repository: relative,
    text: outcome.stdout,
    files: parseDiff(outcome.stdout, relative),
    filters: source.filters,
    secret: secret.map(inWorkspace),
    truncated: outcome.truncated,
  }
}

async function commitHash({ run }: DiffSource, commit: string): Promise<string> {
  if (commit.trim() === '' || commit.startsWith('-') || commit.includes('\0')) {
    throw new ToolError(
      'invalid_arguments',
      `"commit" is "${commit}", which is not a commit.`,
      'Use a hash, branch, tag, or HEAD~1. Options are not allowed.',
    )
  }
  const outcome = await run(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`])
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

/**
 * Splits a git diff into one entry per file.
 * @param prefix the repository's folder relative to the workspace
 */
function parseDiff(diff: string, prefix: string): FileDiff[] {
  return diff
    .split(/^(?=diff --(?:git|cc|combined) )/m)
    .filter((part) => part.startsWith('diff --'))
    .map((part) => {
      const start = part.search(/^--- /m)
      const header = start === -1 ? part : part.slice(0, start)
      const body = start === -1 ? '' : part.slice(start)
      const field = (pattern: RegExp) => pattern.exec(part)?.[1]
      const from = field(/^rename from (.+)$/m)
      const name =
        field(/^rename to (.+)$/m) ??
        field(/^\+\+\+ "?b\/([^\t\n]+?)"?\t?$/m) ??
        field(/^--- "?a\/([^\t\n]+?)"?\t?$/m) ??
        field(/^diff --(?:cc|combined) (.+)$/m) ??
        field(/^diff --git "?a\/(.+?)"? "?b\/\1"?$/m) ??
        ''
      const inWorkspace = (repositoryPath: string) => (prefix === '.' ? repositoryPath : `${prefix}/${repositoryPath}`)
      const lines = body.slice(Math.max(body.search(/^@@/m), 0)).split('\n')
      return {
        path: inWorkspace(name),
        ...(from === undefined ? {} : { from: inWorkspace(from) }),
        change:
          from !== undefined
            ? 'renamed'
            : /^new file mode/m.test(header)
              ? 'created'
              : /^deleted file mode/m.test(header)
                ? 'deleted'
                : 'modified',
        diff: body,
        added: lines.filter((line) => line.startsWith('+')).length,
        removed: lines.filter((line) => line.startsWith('-')).length,
      }
    })
}
