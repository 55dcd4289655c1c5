import type { GitBranch, GitReferences } from '../../shared/git/git.ts'
import type { QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { formatAge } from '../platform/formatAge.ts'

/** Item of a picker for a branch. */
export const branchItem = (branch: GitBranch, kind: 'local' | 'remote'): QuickPickItem => ({
  id: `${kind}:${branch.name}`,
  label: branch.name,
  description: `${branch.commit.slice(0, 8)} ${branch.subject}`,
  detail: formatAge(branch.committedAt),
  icon: kind === 'local' ? 'git-branch' : 'cloud',
  current: branch.current,
})

/**
 * Picker item for a branch to switch to or delete. Git refuses both for a branch that is checked out in another
 * worktree; other actions, such as a merge, work.
 */
export const unusedBranchItem = (branch: GitBranch): QuickPickItem => ({
  ...branchItem(branch, 'local'),
  ...(branch.worktree !== undefined && {
    disabled: true,
    description: `Checked out in the worktree ${branch.worktree}`,
  }),
})

/** Sets a heading on the first item of a group. */
function withHeading(heading: string, items: QuickPickItem[]): QuickPickItem[] {
  return items.map((item, index) => (index === 0 ? { ...item, heading } : item))
}

/**
 * Local branches first, then remote branches without a local one, then tags.
 * @param localItem creates the item of a local branch
 */
export function refItems(
  { local, remote, tags }: GitReferences,
  localItem = (branch: GitBranch) => branchItem(branch, 'local'),
): QuickPickItem[] {
  const tracked = new Set(local.map(({ upstream }) => upstream?.name))
  return [
    ...withHeading(
      'Branches',
      local.map((branch) => localItem(branch)),
    ),
    ...withHeading(
      'Remote branches',
      remote.filter(({ name }) => !tracked.has(name)).map((branch) => branchItem(branch, 'remote')),
    ),
    ...withHeading(
      'Tags',
      tags.map((tag) => ({
        id: `tag:${tag.name}`,
        label: tag.name,
        description: `${tag.commit.slice(0, 8)} ${tag.subject}`,
        detail: formatAge(tag.createdAt),
        icon: 'tag',
      })),
    ),
  ]
}
