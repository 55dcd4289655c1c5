import type { GitStatusSummary } from '../../../shared/git/git.ts'
import { useGit } from '../../platform/git/gitStore.ts'

/** A status for tests, with counts that match its groups. */
export function testStatus(
  groups: Partial<GitStatusSummary['groups']> = {},
  change: Partial<GitStatusSummary> = {},
): GitStatusSummary {
  const all = { merge: [], staged: [], changes: [], untracked: [], ...groups }
  return {
    repository: { id: '/r', folder: '.', name: 'r', kind: 'repository', trusted: true },
    revision: '1',
    branch: 'main',
    head: 'a',
    upstream: null,
    operation: null,
    groups: all,
    counts: {
      merge: all.merge.length,
      staged: all.staged.length,
      changes: all.changes.length,
      untracked: all.untracked.length,
    },
    truncated: false,
    stashes: 0,
    ...change,
  }
}

/** Makes a status that of the selected repository. */
export function showStatus(status: GitStatusSummary): void {
  const { id } = status.repository
  useGit.setState({ repositories: [status.repository], selected: id, statuses: { [id]: status }, running: [] })
}
