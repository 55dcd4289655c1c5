import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural, pluralNoun } from '../../../shared/text/plural.ts'
import type { ToolOutput } from './toolDefinition.ts'
import { firstBytes, lastBytes, wholeCharacters } from './utf8.ts'

/** A toolset's limit for results. */
export interface TruncationRule {
  /** Approximate maximum size of the result in bytes of UTF-8. */
  maxBytes: number
  /** Default hint about how to get the rest of a result, without the final period. */
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

/** Counts lines, including an incomplete last one. */
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

// Limits of JSON results in all toolsets, from Blade's document.
export const maxJsonBytes = 51_200
export const maxJsonLines = 2_000

interface Limits {
  items: number
  length: number
  depth: number
}

/**
 * Limits to try, from generous to strict. Strings are truncated before lists, so that lists stay complete if possible.
 */
const limitSteps: readonly Limits[] = [
  ...[1_000, 200, 50, 10].flatMap((items) =>
    [16_384, 8_192, 4_096, 2_048, 1_024, 512, 256].map((length) => ({ items, length, depth: 12 })),
  ),
  ...[6, 3, 1].map((depth) => ({ items: 10, length: 64, depth })),
]

/**
 * Truncates JSON inside its strings and lists, so that it still parses, to `maxJsonBytes` and `maxJsonLines`.
 * @param readMoreHint how to get the rest, without the final period
 * @param dropped bytes that were removed from the text before
 * @returns undefined if the text is not JSON
 */
export function truncateJson(text: string, readMoreHint: string, dropped: number): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const reason = `Truncated from ${plural(Buffer.byteLength(text) + dropped, 'byte')}. ${readMoreHint}.`
  const indents = text.includes('\n') ? [2, 0] : [0]
  for (const limits of limitSteps) {
    const short = withReason(truncateValue(value, limits), reason)
    const written = indents.map((indent) => JSON.stringify(short, null, indent)).find(fits)
    if (written !== undefined) return written
  }
  return JSON.stringify({ _truncated: reason })
}

function fits(json: string): boolean {
  return Buffer.byteLength(json) <= maxJsonBytes && json.split('\n').length <= maxJsonLines
}

function withReason(short: unknown, reason: string): unknown {
  if (Array.isArray(short)) return [...short, reason]
  return typeof short === 'object' && short !== null ? { ...short, _truncated: reason } : `${String(short)} ${reason}`
}

function truncateValue(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return truncateString(value, limits.length)
  if (typeof value !== 'object' || value === null) return value
  if (limits.depth === 0) return '[… omitted …]'
  const inner = { ...limits, depth: limits.depth - 1 }
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.items).map((item) => truncateValue(item, inner))
    const missing = value.length - kept.length
    return missing > 0 ? [...kept, `[… ${formatNumber(missing)} more of ${formatNumber(value.length)} …]`] : kept
  }
  const fields = Object.entries(value)
  const kept = fields
    .slice(0, limits.items)
    .map(([name, field]) => [truncateString(name, limits.length), truncateValue(field, inner)])
  const missing = fields.length - kept.length
  return Object.fromEntries(missing > 0 ? [...kept, ['…', `${formatNumber(missing)} more fields`]] : kept)
}

function truncateString(text: string, length: number): string {
  if (text.length <= length) return text
  const start = wholeCharacters(text.slice(0, Math.floor((length * 2) / 3)))
  const end = wholeCharacters(text.slice(text.length - Math.floor(length / 3)))
  const missing = text.length - start.length - end.length
  return `${start}[… ${plural(missing, 'character')} ${pluralNoun(missing, 'is', 'are')} missing …]${end}`
}
