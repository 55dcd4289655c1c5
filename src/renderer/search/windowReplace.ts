import { create } from 'zustand'
import { isAbort } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { Match } from '../../shared/tools/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import type { FileChangeOptions } from '../platform/editor/documents/fileChanges.ts'
import { notifyLinkedUndo } from '../platform/editor/documents/linkedUndo.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { attempt, notify } from '../platform/notices.ts'
import { countHits, replaceInFiles } from './replaceInFiles.ts'
import { partitionByRow, useSearch, type SearchRow, search } from './searchStore.ts'

interface ReplacingState {
  /** Cancels the running one; null if none is running. */
  cancelling: AbortController | null
  /** Progress of writing the files of a replacement or its undo. */
  progress: { undoing: boolean; done: number; total: number } | null
}

/** Whether a replacement is being written or undone. */
export const useReplacing = create<ReplacingState>(() => ({ cancelling: null, progress: null }))

/** Cancels the running replacement or undo, and restores the files written so far. */
export function cancelReplacing(): void {
  useReplacing.getState().cancelling?.abort()
}

/** Runs a replacement or its undo, and shows its progress. Does nothing if one is already running. */
async function running(
  undoing: boolean,
  write: (options: Pick<FileChangeOptions, 'signal' | 'onProgress'>) => Promise<void>,
): Promise<void> {
  if (useReplacing.getState().cancelling) return
  const cancelling = new AbortController()
  useReplacing.setState({ cancelling })
  try {
    await write({
      signal: cancelling.signal,
      onProgress: (done, total) => useReplacing.setState({ progress: { undoing, done, total } }),
    })
  } catch (error) {
    if (!cancelling.signal.aborted || !isAbort(error)) throw error
    notify(
      'info',
      undoing ? 'Undoing was cancelled. The replacement stays.' : 'Replacing was cancelled. Nothing was replaced.',
    )
  } finally {
    useReplacing.setState({ cancelling: null, progress: null })
  }
}

/** Replaces matches. Shows a notice with Undo. */
async function replace(matches: readonly Match[]): Promise<boolean> {
  let replaced = false
  await running(false, async (options) => {
    const applied = await replaceInFiles({ request, documents }, matches, {
      ...options,
      onLinkedUndo: notifyLinkedUndo,
    })
    replaced = true
    const undo = async () => {
      await running(true, (undoOptions) => applied.undo(undoOptions))
      await search.search()
    }
    notify('success', `Replaced ${plural(applied.hits, 'match', 'matches')} in ${plural(applied.files, 'file')}.`, {
      detail:
        applied.unsaved.length > 0
          ? `Not saved because of other unsaved changes: ${applied.unsaved.join(', ')}.`
          : undefined,
      actions: [{ label: 'Undo', run: () => attempt(undo, 'The replacement could not be undone') }],
    })
  })
  return replaced
}

/** Replaces the matches of a row, which is a file or a match. Keeps the other results. */
export function replaceRow(row: SearchRow): void {
  const { inRow } = partitionByRow(useSearch.getState().matches, row)
  if (countHits(inRow).hits === 0) return
  attempt(async () => {
    if (!(await replace(inRow))) return
    // A line break moves the lines below, so search for their matches again.
    if (inRow.some(({ replacements = [] }) => replacements.some(({ newText }) => newText.includes('\n'))))
      await search.search()
    else search.dismiss(row, { replaced: true })
  }, 'Nothing was replaced')
}

/** Replaces all matches after asking. */
export function replaceAll(): void {
  const { matches, truncated, total, options } = useSearch.getState()
  const { hits, files } = countHits(matches)
  if (hits === 0) return
  attempt(async () => {
    const limit = truncated
      ? ` The search found ${plural(total, 'line')}, but only the listed matches will be replaced.`
      : ''
    const choice = await confirm({
      title: `Replace ${plural(hits, 'match', 'matches')} in ${plural(files, 'file')}?`,
      message: `"${options.query}" will be replaced with "${options.replacement}".${limit} You can undo it in one step.`,
      choices: [{ id: 'replace', label: 'Replace all', variant: 'primary' }],
    })
    if (choice !== 'replace') return
    if (await replace(matches)) await search.search()
  }, 'Nothing was replaced')
}
