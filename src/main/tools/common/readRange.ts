import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { ToolContext } from './toolDefinition.ts'
import { textLines } from './textLines.ts'

/** Lines of a file as the user sees it. */
interface ReadRange {
  /** Relative to the workspace. */
  path: string
  /** The whole text, if the file is small enough to be edited. */
  text: string | null
  /** The existing lines of the range. */
  lines: string[]
  totalLines: number
  unsaved: boolean
  /** Whether the last line is incomplete. */
  isLineCut: boolean
}

/**
 * Reads a range of lines. Only the range of a file that is too large to be edited is read into memory.
 * @param first 1-based
 */
export async function readRange(
  given: string,
  { first, count }: { first: number; count: number },
  { documents, signal }: Pick<ToolContext, 'documents' | 'signal'>,
): Promise<ReadRange> {
  try {
    const { path, text, unsaved } = await documents.read(given, signal)
    const lines = textLines(text)
    return {
      path,
      text,
      lines: lines.slice(first - 1, first - 1 + count),
      totalLines: lines.length,
      unsaved,
      isLineCut: false,
    }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'too_large') throw error
    const { path, ...range } = await documents.readLines(given, { first, count }, signal)
    return { path, ...range, text: null, unsaved: false }
  }
}

/**
 * Returns a notice if the range has too many lines to be read at once; otherwise ''.
 * @param first 1-based first line of the range
 * @param readOn how to read on from a line (1-based), without the final period
 */
export function missingLinesNotice(
  { lines, totalLines, isLineCut }: ReadRange,
  { first, count }: { first: number; count: number },
  readOn: (line: number) => string,
): string {
  const next = first + lines.length
  const cut = isLineCut ? `Line ${next - 1} is longer than 4 MB, and only its start is here. ` : ''
  const missing = Math.min(first - 1 + count, totalLines) - (next - 1)
  if (missing <= 0) return cut === '' ? '' : `\n[… ${cut}…]`
  return `\n[… ${cut}${formatNumber(missing)} more of ${plural(totalLines, 'line')}. ${readOn(next)}. …]`
}
