import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { uploadPieceBytes } from '../../shared/files/files.ts'
import { toBase64 } from '../platform/files/base64.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { notify } from '../platform/notices.ts'
import { copyName } from './copyName.ts'
import { join, nameOf, tree } from './fileTree.ts'
import { folderName, showEntries, stepOfCopies } from './transfers.ts'
import { runStep, undoStep } from './undoSteps.ts'

/** A file or folder dropped from another application, with its path in the drop, `/` separated. */
export type DroppedEntry = { path: string; file: File } | { path: string; file: null }

/** Maximum number of files and folders in a drop. */
const maxEntries = 20_000

/**
 * Reads what was dropped, including the content of folders. Call it in the event handler, because the data is gone
 * later.
 * @throws Error if there are too many entries, or if one cannot be read
 */
export function readDrop(data: DataTransfer): Promise<DroppedEntry[]> {
  const roots = [...data.items]
    .filter(({ kind }) => kind === 'file')
    // A file from another page has no entry.
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
  const entries: DroppedEntry[] = []
  async function add(entry: FileSystemEntry, path: string): Promise<void> {
    if (entries.length >= maxEntries)
      throw new Error(`You can drop at most ${plural(maxEntries, 'file')} at once. Copy the folder in parts.`)
    if (entry.isFile) {
      // `isFile` implies the type.
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
      entries.push({ path, file })
      return
    }
    entries.push({ path, file: null })
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    for (;;) {
      // Returns at most a hundred entries at a time.
      const found = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
      if (found.length === 0) return
      for (const child of found) await add(child, `${path}/${child.name}`)
    }
  }
  return (async () => {
    for (const root of roots) {
      if (root instanceof File) entries.push({ path: root.name, file: root })
      else if (root) await add(root, root.name)
    }
    return entries
  })()
}

/** What to do with dropped entries whose names already exist. */
export type ConflictChoice = 'replace' | 'skip' | 'keepBoth'

export interface DropImport {
  /** The entries with their new workspace-relative paths. */
  entries: (DroppedEntry & { overwrite: boolean })[]
  /** New paths of the dropped files and folders, without their contents. */
  roots: string[]
}

/** Pure: plans the new paths of dropped entries. @param taken existing names in the folder */
export function planImport(
  dropped: readonly DroppedEntry[],
  folder: string,
  taken: ReadonlySet<string>,
  choice: ConflictChoice,
): DropImport {
  const names = new Set([...taken, ...dropped.map(({ path }) => path.split('/')[0] ?? path)])
  const renamed = new Map<string, string>()
  const planned = dropped.flatMap((entry): DropImport['entries'] => {
    const [root = '', ...rest] = entry.path.split('/')
    if (taken.has(root) && choice === 'skip') return []
    if (taken.has(root) && choice === 'keepBoth' && !renamed.has(root)) {
      const free = copyName(root, names)
      names.add(free)
      renamed.set(root, free)
    }
    // Only what the user saw is replaced: a hidden file can have the name of another entry.
    const overwrite = choice === 'replace' && taken.has(root)
    return [{ ...entry, path: join(folder, [renamed.get(root) ?? root, ...rest].join('/')), overwrite }]
  })
  const depth = (folder === '.' || folder === '' ? 0 : folder.split('/').length) + 1
  const roots = planned.map(({ path }) => path).filter((path) => path.split('/').length === depth)
  return { entries: planned, roots }
}

/** Progress of the running copy in bytes, and what cancels it; null if none is running. */
export const useDropProgress = create<{
  progress: { done: number; total: number; cancelling: AbortController } | null
}>(() => ({ progress: null }))

/** Cancels the running copy. The file that is being sent does not appear. */
export function cancelImport(): void {
  useDropProgress.getState().progress?.cancelling.abort()
}

/** Copies dropped files and folders into a folder. Asks what to do with existing names. */
export async function importDrop(reading: Promise<DroppedEntry[]>, folder: string): Promise<void> {
  const dropped = await reading
  if (dropped.length === 0) return
  const taken = new Set((await request('files.list', { path: folder })).map(({ name }) => name))
  const conflicts = [...new Set(dropped.map(({ path }) => path.split('/')[0] ?? path))].filter((name) =>
    taken.has(name),
  )
  let choice: ConflictChoice = 'skip'
  if (conflicts.length > 0) {
    const answer = await confirm({
      title:
        conflicts.length === 1
          ? `A name already exists in ${folderName(folder)}`
          : `${formatNumber(conflicts.length)} names already exist in ${folderName(folder)}`,
      message:
        'Replacing a folder replaces the files in it that have the same names. Replaced files cannot be restored.',
      items: conflicts,
      choices: [
        { id: 'skip', label: 'Skip' },
        { id: 'replace', label: 'Replace', variant: 'danger' },
        { id: 'keepBoth', label: 'Keep both', variant: 'primary' },
      ],
    })
    if (answer === null) return
    choice = answer
  }
  const plan = planImport(dropped, folder, taken, choice)
  const [only] = plan.roots
  if (only === undefined) return
  const done: string[] = []
  await runStep(async (add) => {
    const step = stepOfCopies(plan.roots)
    const replaced = plan.entries.some(({ overwrite }) => overwrite)
    const cancelling = new AbortController()
    const { signal } = cancelling
    const total = plan.entries.reduce((sum, { file }) => sum + (file?.size ?? 0), 0)
    let sent = 0
    const onSent = (bytes: number): void => {
      sent += bytes
      useDropProgress.setState({ progress: { done: sent, total, cancelling } })
    }
    onSent(0)
    try {
      for (const entry of plan.entries) {
        signal.throwIfAborted()
        await copyEntry(entry, signal, onSent)
        done.push(entry.path)
      }
      const what = plan.roots.length === 1 ? nameOf(only) : plural(plan.roots.length, 'item')
      // Undoing would delete files that existed before.
      if (!replaced) add(step)
      notify('success', `Copied ${what} to ${folderName(folder)}.`, {
        ...(!replaced && { actions: [{ label: 'Undo', run: () => undoStep(step, 'The copy could not be undone') }] }),
      })
    } catch (error) {
      const { message, next } = toFailure(error)
      const copied = plan.roots.filter((root) => done.includes(root))
      const partial = stepOfCopies(copied)
      const undoable = signal.aborted && copied.length > 0 && !replaced
      if (undoable) add(partial)
      if (signal.aborted)
        notify('info', `Copying to ${folderName(folder)} was cancelled.`, {
          detail: `Copied ${done.length} of ${plural(plan.entries.length, 'entry', 'entries')}.`,
          ...(undoable && {
            actions: [{ label: 'Undo', run: () => undoStep(partial, 'The copy could not be undone') }],
          }),
        })
      else
        notify('error', `Copying to ${folderName(folder)} failed: ${message}`, {
          detail: `${next} Copied ${done.length} of ${plural(plan.entries.length, 'entry', 'entries')}.`.trim(),
        })
    } finally {
      useDropProgress.setState({ progress: null })
      await tree.read(folder)
      await showEntries(
        plan.roots.filter((root) => done.includes(root)),
        folder,
      )
    }
  })
}

/** Creates a folder, or sends a file in pieces. */
async function copyEntry(
  { path, file, overwrite }: DropImport['entries'][number],
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  if (file === null) {
    await request('files.create', { path, directory: true }).catch((error: unknown) => {
      if (!(overwrite && toFailure(error).code === 'already_exists')) throw error
    })
    return
  }
  const id = await request('files.beginUpload', { path, overwrite })
  try {
    for (let at = 0; at < file.size; at += uploadPieceBytes) {
      const piece = file.slice(at, at + uploadPieceBytes)
      await request('files.uploadPiece', { id, base64: await toBase64(piece) })
      onSent(piece.size)
      signal.throwIfAborted()
    }
    await request('files.finishUpload', { id })
  } catch (error) {
    await request('files.cancelUpload', { id }).catch(() => undefined)
    throw error
  }
}
