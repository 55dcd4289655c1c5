import { ToolError } from '../../shared/errors.ts'
import { applyPlacements, locateEdit } from '../edit/locateEdit.ts'
import type { SearchReplace } from '../edit/searchReplace.ts'
import { quote } from './quote.ts'

/**
 * Applies SEARCH/REPLACE blocks to a text. Ignores blocks that change nothing.
 * @param where names the text in errors, e.g. "the selection"
 * @throws ToolError no_match, ambiguous_match or overlapping_patches
 */
export function applyBlocks(blocks: readonly SearchReplace[], text: string, where: string): string {
  const placements = blocks.flatMap((block) => {
    const place = locateBlock(block, text, where)
    return place === null ? [] : [place]
  })
  const ordered = placements.toSorted((a, b) => a.start - b.start)
  if (ordered.some((place, index) => place.start < (ordered[index - 1]?.end ?? 0)))
    throw new ToolError(
      'overlapping_patches',
      'Two blocks of the answer change the same lines. Nothing was changed.',
      'Send the instruction again.',
    )
  return applyPlacements(text, ordered)
}

function locateBlock({ search, replace }: SearchReplace, text: string, where: string) {
  if (search === replace) return null
  try {
    return locateEdit(text, { oldText: search, newText: replace })
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (error.code === 'no_change') return null
    throw new ToolError(
      error.code,
      error.code === 'ambiguous_match'
        ? `A block matches several places of ${where}: “${quote(search)}”. Nothing was changed.`
        : `A block does not match ${where}: “${quote(search)}”. Nothing was changed.`,
      'Send the instruction again, select other lines, or choose another model.',
      { cause: error },
    )
  }
}
