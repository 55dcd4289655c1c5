import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural, pluralNoun } from '../../../shared/text/plural.ts'
import { maxJsonBytes, maxJsonLines, truncateJson } from '../common/truncateOutput.ts'
import { firstBytes, lastBytes } from '../common/utf8.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'

// The rule of Blade's document ("Tool Result Handling"): over 50 KB or 2,000 lines, keep the first 100 and last 50
// lines.
const maxBytes = maxJsonBytes
const maxLines = maxJsonLines
const headLines = 100
const tailLines = 50
/** Bytes for the notice about what is missing. */
const noticeBytes = 300
const defaultNext = 'To read what is missing, use read_file_range or a narrower search'

/**
 * Truncates a result by Blade's rule to 51,200 bytes of UTF-8 and 2,000 lines, with a notice where text is missing.
 * JSON is truncated by `truncateJson`.
 */
export function truncateBlade(output: ToolOutput): { text: string; truncated: boolean } {
  const { text, readMoreHint: more = defaultNext } = output
  if (Buffer.byteLength(text) <= maxBytes && countLines(text) <= maxLines) return { text, truncated: false }
  const json = output.format === 'json' ? truncateJson(text, more, output.missing?.bytes ?? 0) : undefined
  return { text: json ?? truncateLines(text, more, output.missing), truncated: true }
}

function truncateLines(text: string, more: string, missing: ToolOutput['missing']): string {
  const lines = text.split('\n')
  // A line break at the end does not start another line.
  const ending = lines.length > 1 && lines.at(-1) === '' ? '\n' : ''
  if (ending !== '') lines.pop()
  const few = lines.length <= headLines + tailLines
  const head = few ? lines : lines.slice(0, headLines)
  const tail = few ? [] : lines.slice(-tailLines)
  const notice = (kept: string) => {
    const bytes = Buffer.byteLength(text) - Buffer.byteLength(kept) + (missing?.bytes ?? 0)
    // The line that reports an earlier truncation is not part of the text.
    const all = lines.length + (missing === undefined ? 0 : missing.lines - 1)
    const between = all - headLines - tailLines
    const missingLines = few ? '' : `${formatNumber(between)} of ${plural(all, 'line')}, `
    return `[… ${missingLines}${plural(bytes, 'byte')} ${pluralNoun(bytes, 'is', 'are')} missing here. ${more}. …]`
  }
  const room = maxBytes - noticeBytes
  const kept = [...head, ...tail].join('\n')
  if (!few && Buffer.byteLength(kept) <= room) return [...head, notice(kept + ending), ...tail].join('\n') + ending
  // The lines are too long: the start gets two thirds of the room, the end one third.
  const start = firstBytes(head.join('\n'), Math.floor((room * 2) / 3))
  const end = lastBytes((few ? head : tail).join('\n') + ending, room - Buffer.byteLength(start))
  return [start, notice(start + end), end].join('\n')
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return text.endsWith('\n') ? count - 1 : count
}
