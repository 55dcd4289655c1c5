import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { ToolOutput } from '../toolDefinition.ts'
import { truncateJson } from './truncateJson.ts'
import { firstBytes, lastBytes } from './utf8.ts'

/** A toolset's limit for results. */
export interface TruncationRule {
  /** Approximate maximum size of the result in bytes of UTF-8. */
  maxBytes: number
  /** How a model gets the rest of a result that has no hint of its own, without the final period. */
  readMoreHint: string
  /** Replaces `readMoreHint`, given the first and the last line that are missing (1-based). */
  missingLinesHint?(first: number, last: number): string
}

/**
 * Truncates a long result in the middle. Two thirds of the room are for the start, one third is for the end, both
 * truncated at line breaks if the lines are short enough. JSON is truncated by `truncateJson`.
 */
export function truncateOutput(
  output: ToolOutput,
  { maxBytes, readMoreHint: defaultHint, missingLinesHint }: TruncationRule,
): { text: string; truncated: boolean } {
  const { text, readMoreHint: more = defaultHint, missing: before } = output
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return { text, truncated: false }
  const dropped = before?.bytes ?? 0
  const json = output.format === 'json' ? truncateJson(text, more, dropped) : undefined
  if (json !== undefined) return { text: json, truncated: true }
  const head = upToLineEnd(firstBytes(text, Math.floor((maxBytes * 2) / 3)))
  const tail = fromLineStart(lastBytes(text, Math.floor(maxBytes / 3)))
  const missing = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail) + dropped
  const beforeTail = countLines(text.slice(0, text.length - tail.length).replace(/\n$/, ''))
  const hint = missingLinesHint?.(countLines(head), beforeTail) ?? more
  const notice = `[… ${formatNumber(missing)} of ${plural(bytes + dropped, 'byte')} are missing here. ${hint}. …]`
  return { text: `${head}${head.endsWith('\n') ? '' : '\n'}${notice}\n${tail}`, truncated: true }
}

/** Counts lines. A line that is only begun counts. */
function countLines(text: string): number {
  return text.split('\n').length
}

/** Truncates after the last line break, unless this loses more than half of the text. */
function upToLineEnd(text: string): string {
  const at = text.lastIndexOf('\n')
  return at > text.length / 2 ? text.slice(0, at + 1) : text
}

/** Drops the text up to the first line break, unless this loses more than half of the text. */
function fromLineStart(text: string): string {
  const at = text.indexOf('\n')
  return at !== -1 && at < text.length / 2 ? text.slice(at + 1) : text
}
