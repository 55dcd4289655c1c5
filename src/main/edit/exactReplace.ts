import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { describeWhitespaceMismatch, findWhitespaceMismatch } from './whitespaceFailureHint.ts'
import { inFormOf } from './characterForms.ts'
import { mostSimilarLines } from './similarLines.ts'

/** Maximum number of overlapping occurrences compared. */
const maxOverlaps = 20

/** A text with replaced occurrences. */
export interface ExactReplacement {
  text: string
  /** 1-based start lines of the replaced occurrences, in the old text. */
  lines: number[]
}

/**
 * Replaces exact text, once, or everywhere with `all`. Arguments may have `\r\n` line endings.
 * @throws ToolError invalid_arguments (empty old text), no_change, no_match with the most similar lines,
 * ambiguous_match with all matches
 */
export function replaceExactly(
  text: string,
  replacement: { old: string; now: string; all?: boolean },
): ExactReplacement {
  const [old = '', now = ''] = inFormOf(
    text,
    [replacement.old, replacement.now].map((given) => given.replaceAll('\r\n', '\n')),
  )
  if (old === '')
    throw new ToolError(
      'invalid_arguments',
      'old_string is empty, so there is nothing to find.',
      'Put the text to replace into old_string.',
    )
  if (old === now)
    throw new ToolError(
      'no_change',
      'old_string and new_string are identical, so the file would not change.',
      'Put the replacement into new_string.',
    )
  const parts = text.split(old)
  const lines = replacement.all ? startLines(parts, old) : (overlappingLines(text, old, now) ?? startLines(parts, old))
  if (lines.length === 0) throw noMatch(text, old)
  if (lines.length > 1 && !replacement.all) {
    const shown = lines.slice(0, 20).join(', ')
    const more = lines.length > 20 ? ` and ${lines.length - 20} more` : ''
    throw new ToolError(
      'ambiguous_match',
      `old_string occurs ${plural(lines.length, 'time')}, starting at lines ${shown}${more}. Edit not applied.`,
      'Add surrounding lines to old_string until it is unique.',
    )
  }
  return { text: parts.join(now), lines }
}

/**
 * Returns the lines of overlapping occurrences, such as those of `}}` in `}}}`, if it matters which one is replaced.
 */
function overlappingLines(text: string, old: string, now: string): number[] | undefined {
  const first = text.indexOf(old)
  const lines: number[] = []
  let at = first
  for (let count = 0; count < maxOverlaps && at >= 0 && at < first + old.length; count++) {
    // The two results can only differ between the first occurrence and the end of this one.
    const sameResult = text.slice(first, at) + now === now + text.slice(first + old.length, at + old.length)
    if (at === first || !sameResult) lines.push(text.slice(0, at).split('\n').length)
    at = text.indexOf(old, at + 1)
  }
  return lines.length > 1 ? lines : undefined
}

function startLines(parts: readonly string[], old: string): number[] {
  const newlines = (part: string) => part.split('\n').length - 1
  const inOld = newlines(old)
  const lines: number[] = []
  let line = 1
  for (const part of parts.slice(0, -1)) {
    line += newlines(part)
    lines.push(line)
    line += inOld
  }
  return lines
}

function noMatch(text: string, old: string): ToolError {
  const miss = findWhitespaceMismatch(text, old)
  if (miss) {
    const { message, next } = describeWhitespaceMismatch(miss, 'old_string')
    return new ToolError('no_match', message, next)
  }
  const [best] = mostSimilarLines(text, old, 1)
  const near = best
    ? `The most similar lines are:\n${best.lines
        .slice(0, 12)
        .map((line, index) => `  ${best.line + index}: ${line.slice(0, 160).toWellFormed()}`)
        .join('\n')}`
    : 'The file has no similar lines.'
  const numbers = /^\s*\d+[:|\t→]/.test(old)
  return new ToolError(
    'no_match',
    `old_string was not found; it must match exactly, including whitespace. Edit not applied. ${near}`,
    numbers ? 'Remove the line numbers that a read adds to each line.' : 'Read the file and copy the text from there.',
  )
}
