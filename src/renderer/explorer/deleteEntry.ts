import { toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { FileEntry, KeptEntry } from '../../shared/files/files.ts'
import { trashName } from '../platform/platformLabels.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { currentPlatform, hostFeatures } from '../platform/appState.ts'
import { confirm } from '../platform/confirm.ts'
import { notify } from '../platform/notices.ts'
import { runStep, undoStep, type Step } from './undoSteps.ts'
import { tree, isFolder, parentOf, nameOf } from './fileTree.ts'

/** Stands for a permanent deletion in the undo history, so that Ctrl+Z does not undo an earlier action instead. */
const gone: KeptEntry = { reason: 'It was deleted permanently.' }
const undoHint = 'You can undo it in the explorer while this folder is open, unless it is larger than 256 MB.'

interface DeleteOptions {
  permanently?: boolean
}

/** Moves an entry to the trash. Deletes it after asking if the host has no trash or `permanently` is set. */
export async function deleteEntry(entry: FileEntry, { permanently = false }: DeleteOptions = {}): Promise<void> {
  await runStep(async (add) => {
    const trash = hostFeatures().trash && !permanently
    const kept = trash ? await moveToTrash(entry) : await deleteFromDisk(entry, permanently)
    if (kept === null) return
    const step = deletionStep([{ path: entry.path, kept }])
    add(step)
    await tree.read(parentOf(entry.path))
    if (kept === gone) return
    const message = trash ? `Moved ${entry.name} to the ${trashName(currentPlatform())}.` : `Deleted ${entry.name}.`
    notifyDeleted(message, step, [{ path: entry.path, kept }])
  })
}

function notifyDeleted(message: string, step: ReturnType<typeof deletionStep>, deletions: readonly Deletion[]): void {
  const undoable = deletions.some(({ kept }) => 'id' in kept)
  notify(
    'info',
    message,
    undoable
      ? { actions: [{ label: 'Undo', run: () => undoStep(step, 'The deletion could not be undone') }] }
      : undefined,
  )
}

/** @returns how to undo it; null if the user cancelled */
async function moveToTrash(entry: FileEntry): Promise<KeptEntry | null> {
  const trash = trashName(currentPlatform())
  if (isUnsaved(entry)) {
    const choice = await confirm({
      title: `Move ${entry.name} to the ${trash}?`,
      message: isFolder(entry)
        ? 'Files in it have unsaved changes, which stay in the open tabs.'
        : 'It has unsaved changes, which stay in the open tabs.',
      choices: [{ id: 'move', label: `Move to ${trash}`, variant: 'primary' }],
    })
    if (choice !== 'move') return null
  }
  const outcome = await request('files.trash', { path: entry.path })
  if (outcome.trashed) return outcome.kept
  const choice = await confirm({
    title: `Delete ${entry.name} permanently?`,
    message: `It could not be moved to the ${trash}: ${outcome.reason.replace(/\.$/, '')}. Deleting it permanently cannot be undone.`,
    choices: [{ id: 'delete', label: 'Delete permanently', variant: 'danger' }],
  })
  if (choice !== 'delete') return null
  await request('files.delete', { path: entry.path })
  return gone
}

/** @returns how to undo it; null if the user cancelled */
async function deleteFromDisk(entry: FileEntry, permanently: boolean): Promise<KeptEntry | null> {
  const choice = await confirm({
    title: permanently ? `Delete ${entry.name} permanently?` : `Delete ${entry.name}?`,
    message: [
      isFolder(entry)
        ? 'The folder and everything in it will be deleted from disk.'
        : 'The file will be deleted from disk.',
      ...(isUnsaved(entry) ? ['It has unsaved changes.'] : []),
      permanently ? 'This cannot be undone.' : undoHint,
    ].join(' '),
    choices: [{ id: 'delete', label: permanently ? 'Delete permanently' : 'Delete', variant: 'danger' }],
  })
  if (choice !== 'delete') return null
  return (await request('files.delete', { path: entry.path, keep: !permanently })) ?? gone
}

/** Moves several entries to the trash, or deletes them permanently, after asking. */
export async function deleteEntries(
  entries: readonly FileEntry[],
  { permanently = false }: DeleteOptions = {},
): Promise<void> {
  const [only] = entries
  if (entries.length === 1 && only) return deleteEntry(only, { permanently })
  const trash = hostFeatures().trash && !permanently
  const name = trashName(currentPlatform())
  const count = plural(entries.length, 'item')
  const choice = await confirm({
    title: trash ? `Move ${count} to the ${name}?` : permanently ? `Delete ${count} permanently?` : `Delete ${count}?`,
    message: [
      ...(entries.some(isUnsaved) ? ['Some have unsaved changes.'] : []),
      trash ? `You can restore them from the ${name}.` : permanently ? 'This cannot be undone.' : undoHint,
    ].join(' '),
    items: entries.map(({ path }) => path),
    choices: [
      trash
        ? { id: 'delete', label: `Move to ${name}`, variant: 'primary' }
        : { id: 'delete', label: permanently ? 'Delete permanently' : 'Delete', variant: 'danger' },
    ],
  })
  if (choice !== 'delete') return
  await runStep(async (add) => {
    const failures: string[] = []
    const deletions: Deletion[] = []
    for (const { path } of entries) {
      try {
        if (trash) {
          const outcome = await request('files.trash', { path })
          if (outcome.trashed) deletions.push({ path, kept: outcome.kept })
          else failures.push(`${path}: ${outcome.reason}`)
        } else deletions.push({ path, kept: (await request('files.delete', { path, keep: !permanently })) ?? gone })
      } catch (error) {
        failures.push(`${path}: ${toFailure(error).message}`)
      }
    }
    const step = deletionStep(deletions)
    if (deletions.length > 0) add(step)
    await Promise.all([...new Set(entries.map(({ path }) => parentOf(path)))].map((path) => tree.read(path)))
    if (failures.length > 0)
      notify('error', `${plural(failures.length, 'item')} could not be deleted.`, { detail: failures.join('\n') })
    else if (!permanently)
      notifyDeleted(trash ? `Moved ${count} to the ${name}.` : `Deleted ${count}.`, step, deletions)
  })
}

/** Whether a file, or any file in a folder, has unsaved changes. */
function isUnsaved(entry: FileEntry): boolean {
  return documents.dirtyPaths().some((path) => path === entry.path || path.startsWith(`${entry.path}/`))
}

interface Deletion {
  path: string
  kept: KeptEntry
}

/** The step that restores deleted entries. Reports entries that cannot be restored, with reasons. */
function deletionStep(deletions: readonly Deletion[]): Step {
  let remaining = deletions
  return {
    async undo(drop) {
      const failures: string[] = []
      const failed: Deletion[] = []
      let restored: string | undefined
      for (const deletion of remaining) {
        const { path, kept } = deletion
        if ('reason' in kept) {
          failures.push(`${path}: ${kept.reason}`)
          continue
        }
        try {
          restored = await request('files.restoreDeleted', { id: kept.id })
        } catch (error) {
          const { message, next } = toFailure(error)
          failures.push(`${path}: ${message} ${next}`)
          failed.push(deletion)
        }
      }
      remaining = failed
      if (failed.length === 0) drop()
      await Promise.all([...new Set(deletions.map(({ path }) => parentOf(path)))].map((path) => tree.read(path)))
      if (restored !== undefined) await tree.reveal(restored)
      const [only] = deletions
      if (failures.length > 0)
        notify(
          'warning',
          deletions.length === 1 && only
            ? `${nameOf(only.path)} could not be restored.`
            : `${plural(failures.length, 'item')} could not be restored.`,
          { detail: failures.join('\n') },
        )
    },
  }
}
