import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { truncateBlade } from '../blade/bladeTruncation.ts'
import type { ToolOutput } from '../tool.ts'

export interface ShortenRule {
  /** Bytes of UTF-8 that are kept, about. */
  maxBytes: number
  /** How a model gets what is missing, in the words of its own tools, where the result itself does not say. No final stop. */
  next: string
}

/**
 * A long text as its beginning (two thirds of the room) and its end, cut at lines where they are short enough; what is missing is
 * said between them. JSON is shortened by Blade's rule, so that it still parses.
 */
export function shorten(output: ToolOutput, { maxBytes, next }: ShortenRule): { text: string; truncated: boolean } {
  const { text, more = next, missing: before } = output
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return { text, truncated: false }
  if (output.format === 'json') return truncateBlade({ ...output, more })
  const head = cutEnd(wholeStart(bytes, Math.floor((maxBytes * 2) / 3)))
  const tail = cutStart(wholeEnd(bytes, Math.floor(maxBytes / 3)))
  const dropped = before?.bytes ?? 0
  const missing = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail) + dropped
  const notice = `[… ${formatNumber(missing)} of ${plural(bytes.length + dropped, 'byte')} are missing here. ${more}. …]`
  return { text: `${head}${head.endsWith('\n') ? '' : '\n'}${notice}\n${tail}`, truncated: true }
}

/** UTF-8 continues a character with bytes 10xxxxxx: the cut moves back before the character it would split. */
function wholeStart(bytes: Buffer, length: number): string {
  let end = length
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}

function wholeEnd(bytes: Buffer, length: number): string {
  let start = bytes.length - length
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.toString('utf8', start)
}

/** Up to the last line end, unless that would lose most of it. */
function cutEnd(text: string): string {
  const at = text.lastIndexOf('\n')
  return at > text.length / 2 ? text.slice(0, at + 1) : text
}

function cutStart(text: string): string {
  const at = text.indexOf('\n')
  return at !== -1 && at < text.length / 2 ? text.slice(at + 1) : text
}
