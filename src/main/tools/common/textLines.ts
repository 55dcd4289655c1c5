import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'

/** Splits a text with `\n` line endings into lines. A final line ending does not start another line. */
export function textLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** @throws ToolError invalid_arguments if a range of lines ends before it starts */
export function checkLineOrder(start: number, end: number | undefined): void {
  if (end === undefined || end >= start) return
  throw new ToolError(
    'invalid_arguments',
    `\`end_line\` (${end}) is before \`start_line\` (${start}).`,
    'Pass the smaller number as start_line.',
  )
}

/**
 * Checks the first line of a read. Line 1 of an empty text is in range.
 * @param parameter with its article, for the hint
 * @throws ToolError out_of_range
 */
export function checkFirstLine(path: string, start: number, total: number, parameter = 'a start_line'): void {
  if (start <= Math.max(total, 1)) return
  throw new ToolError(
    'out_of_range',
    `"${path}" has ${plural(total, 'line')}, so line ${start} does not exist.`,
    `Use ${parameter} from 1 to ${Math.max(total, 1)}.`,
  )
}
