import { ToolError } from '../../shared/errors.ts'
import { applyPlacements, locateEdit } from '../edit/locateEdit.ts'
import { hasBlocks, parseBlocks, type SearchReplace } from '../edit/searchReplace.ts'
import { applyUnified } from '../edit/unifiedApply.ts'
import { parseUnified } from '../edit/unifiedParser.ts'
import { quote } from './quote.ts'

/**
 * Applies SEARCH/REPLACE blocks to a text. Ignores blocks that change nothing.
 * @param where names the text in errors, e.g. "the selection"
 * @throws ToolError no_match, ambiguous_match or overlapping_patches
 */
function applyBlocks(blocks: readonly SearchReplace[], text: string, where: string): string {
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
        ? `A block matches several times in ${where}: "${quote(search)}". Nothing was changed.`
        : `A block does not match ${where}: "${quote(search)}". Nothing was changed.`,
      'Send the instruction again, select other lines, or choose another model.',
      { cause: error },
    )
  }
}

/**
 * Returns a text with SEARCH/REPLACE blocks or a unified diff applied; null if the code is neither.
 * @param language of the code, as the model wrote it
 * @param where names the text in errors, e.g. "the selection"
 * @throws ToolError if the patch does not match the text
 */
export function patchedText(code: string, language: string, text: string, where: string): string | null {
  try {
    return applied(code, language, text, where)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'invalid_arguments') throw error
    // The parsers' messages are for a model that called a tool.
    const message = error.message.replace(
      /of the patch cannot be parsed\. Patch not applied\./,
      'of the answer cannot be read.',
    )
    throw new ToolError(
      error.code,
      `${message} Nothing was changed.`,
      'Send the instruction again, or choose another model.',
      {
        cause: error,
      },
    )
  }
}

function applied(code: string, language: string, text: string, where: string): string | null {
  if (hasBlocks(code)) return applyBlocks(parseBlocks(code) ?? [], text, where)
  if (!isDiff(code, language)) return null
  const { text: result, hunks } = applyUnified(text, parseUnified(code).hunks)
  const rejected = hunks.find((hunk) => hunk.kind === 'rejected')
  if (rejected?.kind === 'rejected')
    throw new ToolError(
      'no_match',
      `The diff does not match ${where}. ${rejected.reason} Nothing was changed.`,
      'Select the lines that the diff is for, or open its file.',
    )
  return result
}

function isDiff(code: string, language: string): boolean {
  if (/^(?:diff|patch|udiff)$/i.test(language)) return true
  return /^@@ -/m.test(code) && /^[-+]/m.test(code)
}
