import { isWorkspaceFile, nameOfPlace } from '../../shared/files/workspaceFolders.ts'
import { plural } from '../../shared/text/plural.ts'
import { isRemote } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { confirm } from '../platform/confirm.ts'

/**
 * Returns the absolute paths of what is dropped from another application. Empty if the host does not reveal them. Call
 * it in the event handler, because the data is gone later.
 */
export function pathsOfDrop(data: DataTransfer): string[] {
  const pathOf = isRemote() ? undefined : window.tizona?.pathOf
  return pathOf ? [...data.files].map(pathOf).filter((path) => path !== '') : []
}

/**
 * Opens a dropped `.code-workspace` file, and asks what to do with dropped folders, as VS Code does.
 * @returns false if the items are to be copied
 */
export async function openDroppedFolders(paths: readonly string[]): Promise<boolean> {
  const [first] = paths
  if (first === undefined || paths.length > 100) return false
  if (paths.length === 1 && isWorkspaceFile(first)) return runCommand('workspace.openFile', first)
  const located = await request('files.locate', { paths: [...paths] })
  if (located.some(({ kind }) => kind !== 'folder')) return false
  const isOne = paths.length === 1
  const choice = await confirm({
    title: isOne
      ? `What should happen with ${nameOfPlace(first)}?`
      : `What should happen with ${plural(paths.length, 'folder')}?`,
    message: 'Adding shows a folder beside the others of this window. Copying makes copies in this folder.',
    items: isOne ? [] : [...paths],
    choices: [
      { id: 'copy', label: 'Copy here' },
      ...(isOne ? [{ id: 'open' as const, label: 'Open' }] : []),
      { id: 'add', label: 'Add to workspace', variant: 'primary' },
    ],
  })
  if (choice === 'copy') return false
  if (choice === 'open') runCommand('workspace.openRecent', first)
  if (choice === 'add') runCommand('workspace.addFolder', paths)
  return true
}
