import type { FileDiff } from '../../shared/tools/tool.ts'

export interface StatusEntry {
  path: string
  /** Previous path of a rename or copy. */
  from?: string
  /** Two letters as in git's output: index state and worktree state; `.` means unchanged. */
  state: string
}

export interface Status {
  /** Undefined for a detached HEAD. */
  branch?: string
  /** Undefined before the first commit. */
  head?: string
  upstream?: string
  ahead: number
  behind: number
  tracked: StatusEntry[]
  conflicts: StatusEntry[]
  untracked: string[]
}

/** Parses `git status --porcelain=v2 --branch -z` (git-status(1), "Porcelain Format Version 2"). */
export function parseStatus(output: string): Status {
  const status: Status = { ahead: 0, behind: 0, tracked: [], conflicts: [], untracked: [] }
  const fields = output.split('\0').values()
  for (const field of fields) {
    const [kind = '', second = '', third = ''] = field.split(' ')
    if (kind === '1') status.tracked.push({ state: second, path: textAfter(field, 8) })
    else if (kind === '2') status.tracked.push({ state: second, path: textAfter(field, 9), from: fields.next().value })
    else if (kind === 'u') status.conflicts.push({ state: second, path: textAfter(field, 10) })
    else if (kind === '?') status.untracked.push(textAfter(field, 1))
    else if (second === 'branch.oid' && third !== '(initial)') status.head = third
    else if (second === 'branch.head' && third !== '(detached)') status.branch = third
    else if (second === 'branch.upstream') status.upstream = third
    else if (second === 'branch.ab') {
      status.ahead = Number(third)
      status.behind = -Number(field.split(' ')[3])
    }
  }
  return status
}

/** Returns the text after a number of spaces: a path, which may contain spaces. */
function textAfter(field: string, spaces: number): string {
  return field.split(' ').slice(spaces).join(' ')
}

/**
 * Splits a git diff into one entry per file.
 * @param prefix folder of the repository relative to the workspace
 */
export function parseDiff(diff: string, prefix: string): FileDiff[] {
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
