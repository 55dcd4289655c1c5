import type { GitStatusSummary } from '../../shared/git/git.ts'
import { commands, isEnabled, runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'
import type { MenuGroup, MenuItem } from '../ui/index.ts'

function item(id: CommandId, label?: string, icon?: string): MenuItem {
  const row = commands.find((each) => each.id === id)
  return {
    id,
    label: label ?? row?.title ?? id,
    icon,
    shortcut: shortcutOf(id),
    disabled: !row || !isEnabled(row),
    run: () => void runCommand(id),
  }
}

/** The menu with all actions on a repository. */
export function gitMenu(status: GitStatusSummary): MenuGroup[] {
  const upstream = status.upstream
  return [
    {
      items: [
        item('git.pull', undefined, 'repo-pull'),
        item('git.push', upstream ? 'Push' : 'Publish branch', 'repo-push'),
        item('git.fetch', undefined, 'repo-fetch'),
        item('git.sync', undefined, 'sync'),
        ...(upstream ? [item('git.forcePush')] : []),
        item('git.pushTags'),
      ],
    },
    {
      items: [
        item('git.switchBranch', undefined, 'git-branch'),
        item('git.createBranch'),
        item('git.mergeBranch', undefined, 'git-merge'),
        item('git.compareBranch', undefined, 'diff'),
        item('git.renameBranch'),
        item('git.deleteBranch'),
      ],
    },
    {
      items: [item('git.stash', undefined, 'archive'), item('git.stashes', `Stashes… (${status.stashes})`)],
    },
    { items: [item('git.createTag', undefined, 'tag'), item('git.deleteTag')] },
    {
      items: [
        item('git.showLog', undefined, 'git-commit'),
        item('git.refresh', 'Refresh', 'refresh'),
        item('git.stageAll'),
        item('git.unstageAll'),
        item('git.discardAll'),
        item('git.clone'),
      ],
    },
  ]
}
