import { ToolError } from '../../shared/errors.ts'
import { applyPlacements, locateEdit } from '../edit/locateEdit.ts'
import { hasBlocks, parseBlocks, type SearchReplace } from '../edit/searchReplace.ts'
import { applyUnified } from '../edit/unifiedApply.ts'
import { parseUnified } from '../edit/unifiedParser.ts'
import { quote } from './quote.ts'

/** What a patch is applied to. */
type PatchTarget = 'selection' | 'file'

/** Errors of a patch that does not fit, by target. */
const mismatchTexts = {
  selection: {
    ambiguous: (block: string) => `A block matches several places in the selection: "${block}". Nothing was changed.`,
    missing: (block: string) => `A block does not match the selection: "${block}". Nothing was changed.`,
    diff: (reason: string) => `The diff does not match the selection. ${reason} Nothing was changed.`,
  },
  file: {
    ambiguous: (block: string) => `A block matches several places in the open file: "${block}". Nothing was changed.`,
    missing: (block: string) => `A block does not match the open file: "${block}". Nothing was changed.`,
    diff: (reason: string) => `The diff does not match the open file. ${reason} Nothing was changed.`,
  },
}

/**
 * Applies SEARCH/REPLACE blocks to a text. Ignores blocks that change nothing.
 * @throws ToolError no_match, ambiguous_match or overlapping_patches
 */
function applyBlocks(blocks: readonly SearchReplace[], text: string, target: PatchTarget): string {
  const placements = blocks.flatMap((block) => {
    const place = locateBlock(block, text, target)
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

function locateBlock({ search, replace }: SearchReplace, text: string, target: PatchTarget) {
  if (search === replace) return null
  try {
    return locateEdit(text, { oldText: search, newText: replace })
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (error.code === 'no_change') return null
    throw new ToolError(
      error.code,
      mismatchTexts[target][error.code === 'ambiguous_match' ? 'ambiguous' : 'missing'](quote(search)),
      'Send the instruction again, select other lines, or choose another model.',
      { cause: error },
    )
  }
}

/**
 * Returns a text with SEARCH/REPLACE blocks or a unified diff applied; null if the code is neither.
 * @param language of the code, as the model wrote it
 * @throws ToolError if the patch does not match the text
 */
export function patchedText(code: string, language: string, text: string, target: PatchTarget): string | null {
  try {
    return applied(code, language, text, target)
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

function applied(code: string, language: string, text: string, target: PatchTarget): string | null {
  if (hasBlocks(code)) return applyBlocks(parseBlocks(code) ?? [], text, target)
  if (!isDiff(code, language)) return null
  const { text: result, hunks } = applyUnified(text, parseUnified(code).hunks)
  const rejected = hunks.find((hunk) => hunk.kind === 'rejected')
  if (rejected?.kind === 'rejected')
    throw new ToolError(
      'no_match',
      mismatchTexts[target].diff(rejected.reason),
      'Select the lines that the diff is for, or open its file.',
    )
  return result
}

function isDiff(code: string, language: string): boolean {
  if (/^(?:diff|patch|udiff)$/i.test(language)) return true
  return /^@@ -/m.test(code) && /^[-+]/m.test(code)
}
