import { ToolError } from '../../../shared/errors.ts'
import type { GitCommitDetails, GitCommitEntry, GitCommitFile, GitLogPage, GitRef } from '../../../shared/git/git.ts'
import { decodeGitText } from '../gitText.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit } from './gitFailures.ts'
import { commitArgument, pathArgument } from './names.ts'
import type { Repositories } from './repositories.ts'
import { changeKinds } from '../statusParser.ts'

export interface LogQuery {
  /** All branches, remote branches and tags; otherwise `ref` or HEAD. */
  all: boolean
  ref?: string | undefined
  path?: string | undefined
  author?: string | undefined
  /** Text in the message, or a commit hash. */
  text?: string | undefined
  skip: number
  limit: number
}

export interface History {
  log(id: string, query: LogQuery, cancelled?: AbortSignal): Promise<GitLogPage>
  /** Commits that changed a file, including under earlier names. */
  fileHistory(
    id: string,
    path: string,
    page: { skip: number; limit: number },
    cancelled?: AbortSignal,
  ): Promise<GitLogPage>
  commitDetails(id: string, commit: string, cancelled?: AbortSignal): Promise<GitCommitDetails>
  /** Files that differ between two commits. */
  compare(
    id: string,
    from: string,
    to: string,
    cancelled?: AbortSignal,
  ): Promise<{ files: GitCommitFile[]; truncated: boolean }>
}

/**
 * Separate fields and commits. A crafted commit can contain both characters in its texts, so these are the last fields,
 * and a record starts after a NUL, which no commit contains.
 */
const separator = '\u001f'
const recordStart = '\u001e'
const fields = ['%H', '%P', '%D', '%at', '%ct', '%ae', '%an', '%s']
const format = `--format=%x1e${fields.join('%x1f')}`
const logArguments = ['log', '-z', '--encoding=UTF-8', '--decorate=full', '--no-show-signature', '--no-mailmap', format]
const diffArguments = [
  'diff-tree',
  '-r',
  '-z',
  '--no-commit-id',
  '--raw',
  '--numstat',
  '--find-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
]
/** Maximum number of files in a list. */
const maxFiles = 5000

/** Reads history in the background. */
export function createHistory(access: GitAccess, repositories: Repositories, closed: AbortSignal): History {
  const either = (cancelled?: AbortSignal) => (cancelled ? AbortSignal.any([closed, cancelled]) : closed)

  async function readPage(
    found: FoundRepository,
    args: readonly string[],
    { skip, limit }: { skip: number; limit: number },
    signal: AbortSignal,
  ): Promise<GitLogPage> {
    const paging = [`--skip=${skip}`, `--max-count=${limit + 1}`]
    const outcome = await access.read(found, [...logArguments, ...paging, ...args], signal)
    // A repository without commits has an empty log.
    if (
      outcome.code !== 0 &&
      /does not have any commits yet|bad default revision|ambiguous argument 'HEAD'|bad revision 'HEAD'/.test(
        outcome.stderr,
      )
    )
      return { commits: [], more: false }
    const commits = parseCommits(decodeGitText(requireGit('The log could not be loaded.', outcome).output))
    return { commits: commits.slice(0, limit), more: commits.length > limit }
  }

  /** A search for a hash also finds this commit. */
  async function namedCommit(found: FoundRepository, text: string, signal: AbortSignal): Promise<GitCommitEntry[]> {
    if (!/^[0-9a-f]{4,64}$/i.test(text)) return []
    const args = [...logArguments, '--max-count=1', text, '--']
    const { code, output } = await access.read(found, args, signal)
    return code === 0 ? parseCommits(decodeGitText(output)) : []
  }

  async function changedFiles(found: FoundRepository, commits: readonly string[], signal: AbortSignal) {
    const args = [...diffArguments, ...commits, '--']
    const { output, truncated } = requireGit(
      'The commits could not be compared.',
      await access.read(found, args, signal),
    )
    const files = parseFiles(decodeGitText(output))
    return { files: files.slice(0, maxFiles), truncated: truncated || files.length > maxFiles }
  }

  return {
    async log(id, { all, ref, path, author, text, ...page }, cancelled) {
      const signal = either(cancelled)
      const { found } = await repositories.get(id)
      const search = [
        ...(author ? [`--author=${author}`] : []),
        ...(text ? [`--grep=${text}`] : []),
        ...(author || text ? ['--fixed-strings', '--regexp-ignore-case'] : []),
      ]
      // The graph needs children before their parents, even with equal or wrong times.
      const start = all ? ['--branches', '--remotes', '--tags', 'HEAD'] : [commitArgument(ref ?? 'HEAD')]
      const place = path === undefined ? [] : [pathArgument(path)]
      const result = await readPage(found, ['--date-order', ...search, ...start, '--', ...place], page, signal)
      const named = text && page.skip === 0 ? await namedCommit(found, text.trim(), signal) : []
      const others = result.commits.filter(({ hash }) => !named.some((each) => each.hash === hash))
      return { ...result, commits: [...named, ...others] }
    },
    async fileHistory(id, path, page, cancelled) {
      const { found } = await repositories.get(id)
      return readPage(found, ['--follow', '--name-only', 'HEAD', '--', pathArgument(path)], page, either(cancelled))
    },
    async commitDetails(id, commit, cancelled) {
      const signal = either(cancelled)
      const { found } = await repositories.get(id)
      const args = [
        'log',
        '-z',
        '--max-count=1',
        ...logArguments.slice(2),
        `${format}%x00%B`,
        commitArgument(commit),
        '--',
      ]
      const outcome = await access.read(found, args, signal)
      const text = decodeGitText(requireGit('The commit could not be loaded.', outcome).output)
      const entry = parseCommits(text)[0]
      if (!entry) throw new ToolError('not_found', `There is no commit "${commit}".`, 'Refresh the log.')
      const message = (text.split('\0')[1] ?? '').trimEnd()
      // A merge is compared with its first parent.
      const parent = entry.parents[0]
      const commits = parent === undefined ? ['--root', entry.hash] : [parent, entry.hash]
      const files = await changedFiles(found, commits, signal)
      return { ...entry, message, ...files }
    },
    async compare(id, from, to, cancelled) {
      const { found } = await repositories.get(id)
      return changedFiles(found, [commitArgument(from), commitArgument(to)], either(cancelled))
    },
  }
}

function parseCommits(output: string): GitCommitEntry[] {
  return `\0${output}`
    .split(`\0${recordStart}`)
    .slice(1)
    .map((record) => {
      const [hash = '', parents = '', refs = '', authored = '', committed = '', email = '', name = '', ...texts] =
        record.split(separator)
      const rest = texts.join(separator)
      // With --name-only: the subject, a NUL, a line break, and the name.
      const [subject = '', path] = rest.split(/\0\n?/)
      return {
        hash,
        parents: parents === '' ? [] : parents.split(' '),
        author: { name, email },
        authoredAt: Number(authored) * 1000,
        committedAt: Number(committed) * 1000,
        subject,
        refs: parseRefs(refs),
        ...(path && { path }),
      }
    })
}

/** Parses full reference names, such as `HEAD -> refs/heads/main, tag: refs/tags/v1`. */
function parseRefs(text: string): GitRef[] {
  return text
    .split(', ')
    .filter((each) => each !== '' && each !== 'HEAD')
    .map((each): GitRef => {
      const head = each.startsWith('HEAD -> ')
      const name = each.replace(/^HEAD -> |^tag: /, '')
      const [, place, short] = /^refs\/(heads|remotes|tags)\/(.+)$/s.exec(name) ?? []
      if (place === 'heads') return { kind: 'branch', name: short ?? name, ...(head && { head }) }
      if (place === 'remotes') return { kind: 'remote', name: short ?? name }
      if (place === 'tags') return { kind: 'tag', name: short ?? name }
      return { kind: name === 'refs/stash' ? 'stash' : 'other', name }
    })
}

/**
 * Parses `git diff-tree -z --raw --numstat` (git-diff-tree(1)): an entry for each file, followed by its line counts.
 */
function parseFiles(output: string): GitCommitFile[] {
  const files = new Map<string, GitCommitFile>()
  const values = output.split('\0').values()
  const next = (): string => values.next().value ?? ''
  for (const value of values) {
    if (value.startsWith(':')) {
      const letter = value.split(' ')[4]?.[0] ?? 'M'
      const first = next()
      const moved = letter === 'R' || letter === 'C'
      const path = moved ? next() : first
      const kind = changeKinds[letter] ?? 'modified'
      files.set(path, { path, ...(moved && { from: first }), kind, added: null, removed: null })
    } else if (value !== '') {
      const [added = '-', removed = '-', ...name] = value.split('\t')
      let path = name.join('\t')
      // A rename has its two names in the next fields.
      if (path === '') {
        next()
        path = next()
      }
      const file = files.get(path)
      if (file && added !== '-') Object.assign(file, { added: Number(added), removed: Number(removed) })
    }
  }
  return [...files.values()]
}
