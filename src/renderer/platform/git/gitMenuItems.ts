import type { MenuItem } from '../../ui/index.ts'
import { runCommand } from '../commands.ts'
import { repositoryOf } from './gitStore.ts'

/** Menu items for a file in a repository; none for other files. @param path relative to the workspace */
export function gitMenuItems(path: string): MenuItem[] {
  if (!repositoryOf(path)) return []
  return [
    {
      id: 'git-changes',
      label: 'Compare with HEAD',
      icon: 'diff',
      run: () => void runCommand('git.openChanges', path),
    },
    {
      id: 'git-history',
      label: 'Show file history',
      icon: 'history',
      run: () => void runCommand('git.fileHistory', path),
    },
  ]
}
