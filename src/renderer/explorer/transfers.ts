import { toFailure, ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { hostFeatures } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { listTabPaths, renameTabs } from '../platform/editor/tabsStore.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { attempt, notify, notifyFailure } from '../platform/notices.ts'
import { emptyClipboard, planPaste, useFileClipboard, type Transfer } from './fileClipboard.ts'
import {
  defaultFolder,
  isTopFolder,
  isWithin,
  join,
  nameOf,
  parentOf,
  rootPath,
  useTree,
  entryOf,
  tree,
} from './fileTree.ts'
import { createImportUpdate, type ImportUpdate } from './importUpdates.ts'
import { reportMoved, reportRemoved, runStep, undoStep, type Step } from './undoSteps.ts'

// Moves and copies of entries. Each action is one step that Ctrl+Z undoes.

/** Moves or renames an entry on disk. Open tabs keep their unsaved text. */
async function move({ from, to }: Transfer): Promise<void> {
  // A deleted file can still be open with unsaved changes, so its name is not free although it is unused on disk.
  const unsaved = documents.dirtyPaths().find((path) => isWithin(path, to) && !isWithin(path, from))
  if (unsaved !== undefined)
    throw new ToolError(
      'unsaved_changes',
      `A tab has unsaved changes to ${unsaved}, which the move would overwrite.`,
      'Save or close that tab first.',
    )
  await request('files.move', { from, to })
  const moved = [...new Set([...documents.paths(), ...listTabPaths()])].filter((path) => isWithin(path, from))
  for (const path of moved) {
    const target = `${to}${path.slice(from.length)}`
    await documents.rename(path, target, () => renameTabs(path, target))
  }
}

/** The step that undoes transfers. @param done completed transfers, in order; undone ones are removed */
function transferStep(kind: 'move' | 'copy', done: Transfer[], imports: ImportUpdate): Step {
  const step: Step = {
    async undo(drop) {
      const all = [...done]
      if (kind === 'copy' && !(await confirmRemoval(done))) return
      if (!(await imports.confirmUndo())) return
      try {
        await (kind === 'move' ? moveBack(step, done) : removeCopies(step, done))
        drop()
      } finally {
        await readFolders(all)
      }
      await imports.undo().catch((error: unknown) => notifyFailure(error, 'The imports could not be restored'))
      const first = kind === 'move' ? all[0] : undefined
      if (first) await tree.reveal(first.from)
    },
    moved(from, to) {
      for (const [index, each] of done.entries())
        if (isWithin(each.to, from)) done[index] = { ...each, to: `${to}${each.to.slice(from.length)}` }
    },
    removed(path) {
      done.splice(0, done.length, ...done.filter((each) => !isWithin(each.to, path)))
      return done.length === 0
    },
  }
  return step
}

/** Moves entries back, the latest first. After a failure, the remaining ones can be moved back later. */
async function moveBack(step: Step, done: Transfer[]): Promise<void> {
  for (let last = done.at(-1); last; last = done.at(-1)) {
    await move({ from: last.to, to: last.from })
    done.pop()
    reportMoved(step, last.to, last.from)
  }
}

/** Asks before deleting copies that cannot be moved to a trash. */
async function confirmRemoval(copies: readonly Transfer[]): Promise<boolean> {
  if (hostFeatures().trash) return true
  const choice = await confirm({
    title: `Delete ${plural(copies.length, 'copy', 'copies')}?`,
    message: 'Undoing deletes what was copied. This cannot be undone.',
    items: copies.map(({ to }) => to),
    choices: [{ id: 'delete', label: 'Delete', variant: 'danger' }],
  })
  return choice === 'delete'
}

/**
 * Moves copies to the trash, or deletes them if there is none. Continues after a failure, so that the rest can be
 * removed later.
 * @throws the first failure
 */
async function removeCopies(step: Step, done: Transfer[]): Promise<void> {
  const failures: unknown[] = []
  for (const copy of done.slice()) {
    try {
      await removeCopy(copy.to)
      done.splice(done.indexOf(copy), 1)
      reportRemoved(step, copy.to)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function removeCopy(path: string): Promise<void> {
  try {
    if (!hostFeatures().trash) return void (await request('files.delete', { path }))
    const outcome = await request('files.trash', { path })
    if (!outcome.trashed)
      throw new ToolError(
        'io_error',
        `${path} could not be moved to the trash: ${outcome.reason}`,
        'Delete it yourself.',
      )
  } catch (error) {
    // It was deleted in the meantime.
    if (toFailure(error).code !== 'not_found') throw error
  }
}

async function readFolders(transfers: readonly Transfer[]): Promise<void> {
  const folders = new Set(transfers.flatMap(({ from, to }) => [parentOf(from), parentOf(to)]))
  await Promise.all([...folders].map((folder) => tree.read(folder)))
}

/**
 * Moves or copies entries as one step and shows a notice with Undo. After a failure, the completed ones remain as a
 * step.
 */
async function perform(kind: 'move' | 'copy', transfers: readonly Transfer[], message: string): Promise<void> {
  const done: Transfer[] = []
  const imports = createImportUpdate()
  const step = transferStep(kind, done, imports)
  await runStep(async (add) => {
    if (kind === 'move') await imports.request(transfers)
    try {
      for (const transfer of transfers) {
        if (kind === 'move') {
          await move(transfer)
          reportMoved(step, transfer.from, transfer.to)
        } else await request('files.copy', transfer)
        done.push(transfer)
      }
    } finally {
      if (done.length > 0) add(step)
      await readFolders(done)
    }
  })
  const failure = kind === 'move' ? 'The move could not be undone' : 'The copy could not be undone'
  const undo = (): void => undoStep(step, failure)
  notify('info', message, { actions: [{ label: 'Undo', run: undo }] })
  // Not awaited, because the name field closes before the question.
  attempt(() => runStep(() => imports.apply(undo)), 'The imports could not be updated')
}

export function folderName(folder: string): string {
  return folder === rootPath ? 'the workspace folder' : folder
}

function itemsOf(transfers: readonly Transfer[]): string {
  const [only] = transfers
  return transfers.length === 1 && only ? nameOf(only.from) : plural(transfers.length, 'item')
}

/** Renames an entry. */
export function rename(from: string, to: string): Promise<void> {
  return perform(
    'move',
    [{ from, to }],
    parentOf(from) === parentOf(to)
      ? `Renamed ${nameOf(from)} to ${nameOf(to)}.`
      : `Moved ${nameOf(from)} to ${folderName(parentOf(to))}.`,
  )
}

/** The step that undoes copying dropped files. */
export const stepOfCopies = (paths: readonly string[]): Step =>
  transferStep(
    'copy',
    paths.map((path) => ({ from: path, to: path })),
    createImportUpdate(),
  )

/** Selects entries of a folder in the tree. */
export async function showEntries(paths: readonly string[], folder: string): Promise<void> {
  if (folder !== rootPath) await tree.expand(folder)
  useTree.setState({ selected: paths.at(-1) ?? null, anchor: null, marked: new Set(paths.length > 1 ? paths : []) })
}

/**
 * Moves entries into a folder, for drag and drop. Asks before moving several. Skips those that are already there, and a
 * folder that would move into itself.
 */
export async function moveInto(paths: readonly string[], folder: string): Promise<void> {
  const transfers = paths
    .filter(
      (path) =>
        !isTopFolder(path) && join(folder, nameOf(path)) !== path && folder !== path && !folder.startsWith(`${path}/`),
    )
    .map((path) => ({ from: path, to: join(folder, nameOf(path)) }))
  if (transfers.length === 0) return
  if (transfers.length > 1) {
    const choice = await confirm({
      title: `Move ${plural(transfers.length, 'item')} to ${folderName(folder)}?`,
      message: 'Open tabs stay open at the new paths. You can undo the move in one step.',
      items: transfers.map(({ from }) => from),
      choices: [{ id: 'move', label: 'Move', variant: 'primary' }],
    })
    if (choice !== 'move') return
  }
  await perform('move', transfers, `Moved ${itemsOf(transfers)} to ${folderName(folder)}.`)
  await showEntries(
    transfers.map(({ to }) => to),
    folder,
  )
}

/** Pastes cut or copied entries into a folder. */
export async function paste(folder: string): Promise<void> {
  const clipboard = useFileClipboard.getState()
  if (clipboard.paths.length === 0) return
  const entries = await request('files.list', { path: folder })
  const transfers = planPaste(
    clipboard,
    folder,
    entries.map(({ name }) => name),
  )
  if (transfers.length === 0) return
  const { cut } = clipboard
  const message = cut
    ? `Moved ${itemsOf(transfers)} to ${folderName(folder)}.`
    : `Copied ${itemsOf(transfers)} to ${folderName(folder)}.`
  await perform(cut ? 'move' : 'copy', transfers, message)
  if (cut) useFileClipboard.setState(emptyClipboard)
  await showEntries(
    transfers.map(({ to }) => to),
    folder,
  )
}

/** Copies entries next to the originals. @returns the path of the last copy */
export async function duplicate(paths: readonly string[]): Promise<string | undefined> {
  const transfers: Transfer[] = []
  for (const path of paths) {
    const folder = parentOf(path)
    const names = (await request('files.list', { path: folder })).map(({ name }) => name)
    const planned = transfers.map(({ to }) => nameOf(to))
    transfers.push(...planPaste({ paths: [path], cut: false }, folder, [...names, ...planned]))
  }
  await perform('copy', transfers, `Duplicated ${itemsOf(transfers)}.`)
  return transfers.at(-1)?.to
}

/** Returns the folder into which an entry's menu pastes: the folder itself, or the file's parent. */
export function pasteFolder(path: string | null): string {
  const entry = entryOf(path)
  if (!entry) return defaultFolder({ last: true })
  return entry.type === 'directory' || entry.directory ? entry.path : parentOf(entry.path)
}
