import { toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/plural.ts'
import type { FileEntry } from '../../shared/files.ts'
import { trashName } from '../../shared/platformLabels.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/windowDocuments.ts'
import { currentPlatform, hostFeatures } from '../platform/appState.ts'
import { confirm } from '../platform/confirm.ts'
import { notify } from '../platform/notices.ts'
import { tree } from './windowTree.ts'
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

/** Moves several entries to the trash, or deletes them permanently, after a confirmation. */
export async function deleteEntries(entries: readonly FileEntry[], { permanently = false } = {}): Promise<void> {
  const [only] = entries
  if (entries.length === 1 && only) return deleteEntry(only, { permanently })
  const trash = hostFeatures().trash && !permanently
  const name = trashName(currentPlatform())
  const choice = await confirm({
    title: trash
      ? `Move ${plural(entries.length, 'item')} to the ${name}?`
      : `Delete ${plural(entries.length, 'item')} permanently?`,
    message: [
      ...(entries.some(isUnsaved) ? ['Some have unsaved changes.'] : []),
      trash ? `You can restore them from the ${name}.` : 'This cannot be undone.',
    ].join(' '),
    items: entries.map(({ path }) => path),
    choices: [
      trash
        ? { id: 'delete', label: `Move to ${name}`, variant: 'primary' }
        : { id: 'delete', label: 'Delete permanently', variant: 'danger' },
    ],
  })
  if (choice !== 'delete') return
  const failures: string[] = []
  for (const { path } of entries) {
    try {
      if (!trash) await request('files.delete', { path })
      else {
        const outcome = await request('files.trash', { path })
        if (!outcome.trashed) failures.push(`${path}: ${outcome.reason}`)
      }
    } catch (error) {
      failures.push(`${path}: ${toFailure(error).message}`)
    }
  }
  await Promise.all([...new Set(entries.map(({ path }) => parentOf(path)))].map((path) => tree.read(path)))
  if (failures.length > 0)
    notify('error', `${plural(failures.length, 'item')} could not be deleted.`, { detail: failures.join('\n') })
  else if (trash) notify('info', `Moved ${plural(entries.length, 'item')} to the ${name}.`)
}

/** Whether the file, or a file in the folder, has unsaved changes. */
function isUnsaved(entry: FileEntry): boolean {
  return documents.dirtyPaths().some((path) => path === entry.path || path.startsWith(`${entry.path}/`))
}
