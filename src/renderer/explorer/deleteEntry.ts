import type { FileEntry } from '../../shared/files.ts'
import { trashName } from '../../shared/platformLabels.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/windowDocuments.ts'
import { currentPlatform, hostFeatures } from '../platform/appState.ts'
import { confirm } from '../platform/confirm.ts'
import { notify } from '../platform/notices.ts'
import { tree } from './explorerActions.ts'
import { isFolder, parentOf } from './fileTree.ts'

/** Moves an entry to the trash, or deletes it after a confirmation if the host has no trash or `permanently` is set. */
export async function deleteEntry(entry: FileEntry, { permanently = false } = {}): Promise<void> {
  const deleted = permanently || !hostFeatures().trash ? await deletePermanently(entry) : await moveToTrash(entry)
  if (deleted) await tree.read(parentOf(entry.path))
}

async function moveToTrash(entry: FileEntry): Promise<boolean> {
  const trash = trashName(currentPlatform())
  if (isUnsaved(entry)) {
    const choice = await confirm({
      title: `Move ${entry.name} to the ${trash}?`,
      message: `${isFolder(entry) ? 'Files in it have' : 'It has'} unsaved changes, which stay in the open tabs.`,
      choices: [{ id: 'move', label: `Move to ${trash}`, variant: 'primary' }],
    })
    if (choice !== 'move') return false
  }
  const outcome = await request('files.trash', { path: entry.path })
  if (outcome.trashed) {
    notify('info', `Moved ${entry.name} to the ${trash}.`)
    return true
  }
  const choice = await confirm({
    title: `Delete ${entry.name} permanently?`,
    message: `It could not be moved to the ${trash}: ${outcome.reason.replace(/\.$/, '')}. Deleting it permanently cannot be undone.`,
    choices: [{ id: 'delete', label: 'Delete permanently', variant: 'danger' }],
  })
  if (choice !== 'delete') return false
  await request('files.delete', { path: entry.path })
  return true
}

async function deletePermanently(entry: FileEntry): Promise<boolean> {
  const choice = await confirm({
    title: hostFeatures().trash ? `Delete ${entry.name} permanently?` : `Delete ${entry.name}?`,
    message: [
      isFolder(entry)
        ? 'The folder and everything in it will be deleted from disk.'
        : 'The file will be deleted from disk.',
      ...(isUnsaved(entry) ? ['It has unsaved changes.'] : []),
      'This cannot be undone.',
    ].join(' '),
    choices: [{ id: 'delete', label: hostFeatures().trash ? 'Delete permanently' : 'Delete', variant: 'danger' }],
  })
  if (choice !== 'delete') return false
  await request('files.delete', { path: entry.path })
  return true
}

/** Whether the file, or a file in the folder, has unsaved changes. */
function isUnsaved(entry: FileEntry): boolean {
  return documents.dirtyPaths().some((path) => path === entry.path || path.startsWith(`${entry.path}/`))
}
