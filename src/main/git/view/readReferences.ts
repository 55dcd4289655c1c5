import {
  maxGitRefs,
  type GitBranch,
  type GitReferences,
  type GitRemote,
  type GitStash,
  type GitTag,
} from '../../../shared/git/git.ts'
import { decodeGitText } from '../gitText.ts'
import type { FoundRepository } from './findRepositories.ts'
import type { GitAccess } from './gitAccess.ts'
import { requireGit } from './gitFailures.ts'

const branchFields = [
  '%(refname)',
  '%(objectname)',
  '%(contents:subject)',
  '%(committerdate:unix)',
  '%(HEAD)',
  '%(upstream:short)',
  '%(upstream:track,nobracket)',
  '%(worktreepath)',
  '%(symref)',
]
const tagFields = ['%(refname)', '%(objectname)', '%(*objectname)', '%(contents:subject)', '%(creatordate:unix)']

/** Lists branches, tags and remotes, latest first. */
export async function readReferences(
  access: GitAccess,
  found: FoundRepository,
  signal: AbortSignal,
): Promise<GitReferences> {
  const list = async (place: string, sort: string, fields: string[]) => {
    const format = `--format=${fields.join('%00')}`
    const args = ['for-each-ref', `--sort=-${sort}`, `--count=${maxGitRefs + 1}`, format, place]
    const { output } = requireGit('The branches could not be listed.', await access.read(found, args, signal))
    const rows = decodeGitText(output)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\0'))
    return { rows: rows.slice(0, maxGitRefs), truncated: rows.length > maxGitRefs }
  }
  const [local, remote, tags, remotes] = await Promise.all([
    list('refs/heads', 'committerdate', branchFields),
    list('refs/remotes', 'committerdate', branchFields),
    list('refs/tags', 'creatordate', tagFields),
    readRemotes(access, found, signal),
  ])
  return {
    local: local.rows.map((row) => branchOf(row, 'refs/heads/', found.workTree)),
    // `origin/HEAD` refers to another branch.
    remote: remote.rows.filter((row) => !row[8]).map((row) => branchOf(row, 'refs/remotes/', found.workTree)),
    tags: tags.rows.map(tagOf),
    remotes,
    truncated: local.truncated || remote.truncated || tags.truncated,
  }
}

function branchOf(row: readonly string[], prefix: string, workTree: string): GitBranch {
  const [name = '', commit = '', subject = '', at = '', head, upstream = '', track = '', worktree = ''] = row
  const ahead = Number(/ahead (\d+)/.exec(track)?.[1] ?? 0)
  const behind = Number(/behind (\d+)/.exec(track)?.[1] ?? 0)
  return {
    name: name.slice(prefix.length),
    commit,
    subject,
    committedAt: Number(at) * 1000,
    current: head === '*',
    ...(upstream !== '' && {
      upstream: { name: upstream, ahead, behind, gone: track === 'gone' },
    }),
    ...(worktree !== '' && worktree !== workTree && { worktree }),
  }
}

function tagOf([name = '', object = '', target = '', subject = '', at = '']: readonly string[]): GitTag {
  return {
    name: name.slice('refs/tags/'.length),
    commit: target === '' ? object : target,
    subject,
    createdAt: Number(at) * 1000,
  }
}

/** Returns the remotes, without user names and passwords in their URLs. */
export async function readRemotes(
  access: GitAccess,
  found: FoundRepository,
  signal: AbortSignal,
): Promise<GitRemote[]> {
  const args = ['config', '-z', '--get-regexp', String.raw`^remote\..*\.url$`]
  const { output } = await access.read(found, args, signal)
  const remotes = new Map<string, GitRemote>()
  for (const entry of decodeGitText(output).split('\0')) {
    const [key = '', ...url] = entry.split('\n')
    const name = key.slice('remote.'.length, -'.url'.length)
    if (name !== '' && !remotes.has(name)) remotes.set(name, { name, url: withoutCredentials(url.join('\n')) })
  }
  return [...remotes.values()]
}

function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^@/]*@/i, '$1')
}

/** Lists the stashes, latest first. */
export async function readStashes(access: GitAccess, found: FoundRepository, signal: AbortSignal): Promise<GitStash[]> {
  const format = '--format=%H%x1f%gd%x1f%gs%x1f%ct'
  const outcome = await access.read(found, ['log', '-z', '-g', format, '--max-count=500', 'refs/stash', '--'], signal)
  // The reference does not exist without stashes.
  if (outcome.code !== 0) return []
  return decodeGitText(outcome.output)
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry, index) => {
      const [hash = '', , message = '', at = ''] = entry.split('\u001f')
      const branch = /^(?:WIP on|On) ([^:]+): /.exec(message)?.[1]
      return {
        hash,
        index,
        message: message.replace(/^On [^:]+: /, ''),
        ...(branch !== undefined && branch !== '(no branch)' && { branch }),
        createdAt: Number(at) * 1000,
      }
    })
}
