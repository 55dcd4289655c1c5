import { ToolError } from '../../shared/errors.ts'
import { hasBlocks, parseBlocks } from '../edit/searchReplace.ts'
import { applyUnified } from '../edit/unifiedApply.ts'
import { parseUnified } from '../edit/unifiedParser.ts'
import { applyBlocks } from './applyBlocks.ts'

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
    // The parsers explain the format for a model that called a tool.
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
