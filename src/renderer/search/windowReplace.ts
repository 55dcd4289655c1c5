import { create } from 'zustand'
import { plural } from '../../shared/plural.ts'
import type { Match } from '../../shared/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { notifyFollowed } from '../platform/editor/followedUndo.ts'
import { documents } from '../platform/editor/windowDocuments.ts'
import { attempt, notify } from '../platform/notices.ts'
import { countHits, replaceInFiles } from './replaceInFiles.ts'
import { partitionByRow, useSearch, type SearchRow } from './searchStore.ts'
import { search } from './windowSearch.ts'

/** Whether a replacement is being written. */
export const useReplacing = create<{ running: boolean }>(() => ({ running: false }))

/** Replaces matches and searches again. Shows a notice with Undo. */
async function replace(matches: readonly Match[]): Promise<void> {
  if (useReplacing.getState().running) return
  useReplacing.setState({ running: true })
  try {
    const applied = await replaceInFiles({ request, documents }, matches, (followed) =>
      notifyFollowed('replacement', followed),
    )
    const undo = async () => {
      await applied.undo()
      await search.search()
    }
    notify('success', `Replaced ${plural(applied.hits, 'match', 'matches')} in ${plural(applied.files, 'file')}.`, {
      detail:
        applied.unsaved.length > 0
          ? `Not saved, because of other unsaved changes: ${applied.unsaved.join(', ')}.`
          : undefined,
      actions: [{ label: 'Undo', run: () => attempt(undo, 'The replacement could not be undone') }],
    })
  } finally {
    useReplacing.setState({ running: false })
  }
}

/** Replaces the matches of a row: a file, or one match. The other results stay as they are. */
export function replaceRow(row: SearchRow): void {
  const { inRow } = partitionByRow(useSearch.getState().matches, row)
  if (countHits(inRow).hits === 0) return
  attempt(async () => {
    await replace(inRow)
    // A line break moves the lines below, so their matches are searched again.
    if (inRow.some(({ replacements = [] }) => replacements.some(({ newText }) => newText.includes('\n'))))
      await search.search()
    else search.dismiss(row, { replaced: true })
  }, 'Nothing was replaced')
}

/** Replaces all matches after a confirmation. */
export function replaceAll(): void {
  const { matches, truncated, total, options } = useSearch.getState()
  const { hits, files } = countHits(matches)
  if (hits === 0) return
  attempt(async () => {
    const limit = truncated
      ? ` The search found ${plural(total, 'line')}; only the matches that are listed are replaced.`
      : ''
    const choice = await confirm({
      title: `Replace ${plural(hits, 'match', 'matches')} in ${plural(files, 'file')}?`,
      message: `“${options.query}” is replaced with “${options.replacement}”.${limit} You can undo it in one step.`,
      choices: [{ id: 'replace', label: 'Replace all', variant: 'primary' }],
    })
    if (choice !== 'replace') return
    await replace(matches)
    await search.search()
  }, 'Nothing was replaced')
}
