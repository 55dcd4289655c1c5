import {
  maxGitChanges,
  type GitChange,
  type GitConflictKind,
  type GitGroup,
  type GitStatusSummary,
  type GitChangeKind,
} from '../../shared/git/git.ts'
import { decodeGitText } from './gitText.ts'

export type ParsedStatus = Pick<
  GitStatusSummary,
  'branch' | 'head' | 'upstream' | 'groups' | 'counts' | 'truncated' | 'stashes'
>

export interface StatusParser {
  /**
   * Parses a chunk of `git status --porcelain=v2 --branch --show-stash -z` (git-status(1), "Porcelain Format Version
   * 2").
   */
  add(chunk: Buffer): void
  end(): ParsedStatus
}

const conflicts: Partial<Record<string, GitConflictKind>> = {
  DD: 'both_deleted',
  AU: 'added_by_us',
  UD: 'deleted_by_them',
  UA: 'added_by_them',
  DU: 'deleted_by_us',
  AA: 'both_added',
  UU: 'both_modified',
}

/**
 * Parses a status while git writes it. Memory is bounded: beyond `limit`, entries are only counted. Conflicts are
 * always listed, because they block a commit.
 * @param limit maximum number of listed entries per group
 */
export function createStatusParser(limit: number = maxGitChanges): StatusParser {
  const status: ParsedStatus = {
    branch: null,
    head: null,
    upstream: null,
    groups: { merge: [], staged: [], changes: [], untracked: [] },
    counts: { merge: 0, staged: 0, changes: 0, untracked: 0 },
    truncated: false,
    stashes: 0,
  }
  let rest: Buffer = Buffer.alloc(0)
  /** A rename entry that waits for its next field, the previous path. */
  let renamed: Buffer | undefined

  function put(group: GitGroup, change: () => GitChange): void {
    status.counts[group] += 1
    if (group !== 'merge' && status.groups[group].length >= limit) status.truncated = true
    else status.groups[group].push(change())
  }

  function tracked(field: Buffer, spaces: number, from?: Buffer): void {
    const [, xy = '..', sub = 'N...'] = field.toString('latin1', 0, 20).split(' ')
    const submodule = submoduleState(sub)
    const change = (letter: string): GitChange => ({
      path: decodeGitText(after(field, spaces)),
      ...(from && (letter === 'R' || letter === 'C') && { from: decodeGitText(from) }),
      kind: changeKinds[letter] ?? 'modified',
      ...(submodule && { submodule }),
    })
    const [index = '.', file = '.'] = xy
    if (index !== '.') put('staged', () => change(index))
    if (file !== '.') put('changes', () => change(file))
  }

  function header(text: string): void {
    const [, key, value = '', second = ''] = text.split(' ')
    if (key === 'branch.oid') status.head = value === '(initial)' ? null : value
    else if (key === 'branch.head') status.branch = value === '(detached)' ? null : value
    // git writes `branch.ab` only if the upstream branch exists.
    else if (key === 'branch.upstream') status.upstream = { name: value, ahead: 0, behind: 0, gone: true }
    else if (key === 'branch.ab' && status.upstream)
      status.upstream = { ...status.upstream, ahead: Number(value), behind: -Number(second), gone: false }
    else if (key === 'stash') status.stashes = Number(value)
  }

  function entry(field: Buffer): void {
    if (renamed) {
      tracked(renamed, 9, field)
      renamed = undefined
      return
    }
    switch (field[0]) {
      case 0x23: // `#`
        return header(decodeGitText(field))
      case 0x31: // `1`: changed
        return tracked(field, 8)
      case 0x32: // `2`: renamed
        renamed = field
        return
      case 0x75: {
        // `u`: conflict
        const conflict = conflicts[field.toString('latin1', 2, 4)] ?? 'both_modified'
        return put('merge', () => ({ path: decodeGitText(after(field, 10)), kind: 'conflict', conflict }))
      }
      case 0x3f: // `?`: untracked
        return put('untracked', () => ({ path: decodeGitText(field.subarray(2)), kind: 'untracked' }))
      default:
    }
  }

  return {
    add(chunk) {
      const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      let start = 0
      for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0, start)) {
        entry(data.subarray(start, end))
        start = end + 1
      }
      rest = data.subarray(start)
    },
    end: () => status,
  }
}

/** Returns the bytes after a number of spaces: a path, which may itself contain spaces. */
function after(field: Buffer, spaces: number): Buffer {
  let at = 0
  for (let count = 0; count < spaces; count += 1) {
    const space = field.indexOf(0x20, at)
    if (space < 0) return field.subarray(field.length)
    at = space + 1
  }
  return field.subarray(at)
}

/** @param state `N...`, or `S` and one letter each for commit, modified and untracked content */
function submoduleState(state: string): GitChange['submodule'] {
  if (!state.startsWith('S')) return undefined
  return { commitChanged: state[1] === 'C', modified: state[2] === 'M', untracked: state[3] === 'U' }
}

/** Kinds of changes by git's letter (git-status(1), git-diff(1)). */
export const changeKinds: Partial<Record<string, GitChangeKind>> = {
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
}
