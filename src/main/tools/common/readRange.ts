import { ToolError } from '../../../shared/errors.ts'
import type { ToolContext } from '../toolDefinition.ts'
import { textLines } from './textLines.ts'

/** Lines of a file as the user sees it. */
interface ReadRange {
  /** Relative to the workspace. */
  path: string
  /** The whole text, if the file is small enough to be edited. */
  text: string | null
  /** The lines of the range that exist. */
  lines: string[]
  totalLines: number
  unsaved: boolean
}

/**
 * Reads a range of lines. Only the range of a file that is too large to be edited is read into memory.
 * @param first 1-based
 */
export async function readRange(
  given: string,
  first: number,
  count: number,
  { documents, signal }: Pick<ToolContext, 'documents' | 'signal'>,
): Promise<ReadRange> {
  try {
    const { path, text, unsaved } = await documents.read(given, signal)
    const lines = textLines(text)
    return { path, text, lines: lines.slice(first - 1, first - 1 + count), totalLines: lines.length, unsaved }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'too_large') throw error
    const { path, ...range } = await documents.readLines(given, { first, count }, signal)
    return { path, ...range, text: null, unsaved: false }
  }
}
