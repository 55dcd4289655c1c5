import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural, pluralNoun } from '../../../shared/plural.ts'
import type { ToolOutput } from '../tool.ts'

// Blade's rule ("Tool Result Handling"): over 50 KB or 2,000 lines, the first 100 and the last 50 lines.
const maxBytes = 51_200
const maxLines = 2_000
const headLines = 100
const tailLines = 50
const howToRead = 'To read what is missing, use read_file_range or a narrower search'

/**
 * A result shortened by Blade's rule: at most 51,200 bytes of UTF-8 and 2,000 lines. JSON is shortened inside its texts and lists
 * and still parses. What is missing is said at its place. No character is cut in two.
 */
export function truncateBlade(output: ToolOutput): { text: string; truncated: boolean } {
  const { text, more = howToRead } = output
  if (fits(text)) return { text, truncated: false }
  const json = output.format === 'json' ? shortenJson(text, more, output.missing?.bytes ?? 0) : undefined
  return { text: json ?? shortenLines(text, more, output.missing), truncated: true }
}

function fits(text: string): boolean {
  return byteLength(text) <= maxBytes && countLines(text) <= maxLines
}

function shortenLines(text: string, more: string, missing: ToolOutput['missing']): string {
  const lines = text.split('\n')
  const few = lines.length <= headLines + tailLines
  const head = few ? lines : lines.slice(0, headLines)
  const tail = few ? [] : lines.slice(-tailLines)
  const notice = (kept: string) => {
    const bytes = byteLength(text) - byteLength(kept) + (missing?.bytes ?? 0)
    // The line that stands for what was dropped before is none of the text's own.
    const all = lines.length + (missing === undefined ? 0 : missing.lines - 1)
    const between = all - headLines - tailLines
    const left = few ? '' : `${formatNumber(between)} of ${plural(all, 'line')}, `
    return `[… ${left}${plural(bytes, 'byte')} ${pluralNoun(bytes, 'is', 'are')} missing here. ${more}. …]`
  }
  const whole = [...head, ...tail].join('\n')
  if (!few && byteLength(whole) <= maxBytes - 300) return [...head, notice(whole), ...tail].join('\n')
  // Still too much: lines are long. The beginning gets two thirds of the room, the end one third.
  const room = maxBytes - 300
  const start = firstBytes(head.join('\n'), Math.floor((room * 2) / 3))
  const end = lastBytes((few ? head : tail).join('\n'), room - byteLength(start))
  return [start, notice(start + end), end].join('\n')
}

interface Measure {
  items: number
  length: number
  depth: number
}

/** From generous to meagre: texts are shortened before lists, so that a list stays whole as long as it can. */
const measures: readonly Measure[] = [
  ...[1_000, 200, 50, 10].flatMap((items) =>
    [16_384, 8_192, 4_096, 2_048, 1_024, 512, 256].map((length) => ({ items, length, depth: 12 })),
  ),
  ...[6, 3, 1].map((depth) => ({ items: 10, length: 64, depth })),
]

/** undefined where the text is not JSON after all. */
function shortenJson(text: string, more: string, dropped: number): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const reason = `Shortened from ${plural(byteLength(text) + dropped, 'byte')}. ${more}.`
  const indents = text.includes('\n') ? [2, 0] : [0]
  for (const measure of measures) {
    const short = withReason(shortenValue(value, measure), reason)
    const written = indents.map((indent) => JSON.stringify(short, null, indent)).find(fits)
    if (written !== undefined) return written
  }
  return JSON.stringify({ _truncated: reason })
}

function withReason(short: unknown, reason: string): unknown {
  if (Array.isArray(short)) return [...short, reason]
  return typeof short === 'object' && short !== null ? { ...short, _truncated: reason } : `${String(short)} ${reason}`
}

function shortenValue(value: unknown, measure: Measure): unknown {
  if (typeof value === 'string') return shortenText(value, measure.length)
  if (typeof value !== 'object' || value === null) return value
  if (measure.depth === 0) return '[… left out …]'
  const inner = { ...measure, depth: measure.depth - 1 }
  if (Array.isArray(value)) {
    const kept = value.slice(0, measure.items).map((item) => shortenValue(item, inner))
    const missing = value.length - kept.length
    return missing > 0 ? [...kept, `[… ${formatNumber(missing)} more of ${formatNumber(value.length)} …]`] : kept
  }
  const fields = Object.entries(value)
  const kept = fields
    .slice(0, measure.items)
    .map(([name, field]) => [shortenText(name, measure.length), shortenValue(field, inner)])
  const missing = fields.length - kept.length
  return Object.fromEntries(missing > 0 ? [...kept, ['…', `${formatNumber(missing)} more fields`]] : kept)
}

function shortenText(text: string, length: number): string {
  if (text.length <= length) return text
  const start = wholeCharacters(text.slice(0, Math.floor((length * 2) / 3)))
  const end = wholeCharacters(text.slice(text.length - Math.floor(length / 3)))
  const missing = text.length - start.length - end.length
  return `${start}[… ${plural(missing, 'character')} ${pluralNoun(missing, 'is', 'are')} missing …]${end}`
}

/** As much of the beginning as fits into so many bytes of UTF-8. */
function firstBytes(text: string, bytes: number): string {
  const part = text.slice(0, bytes)
  return byteLength(part) <= bytes ? wholeCharacters(part) : decode(Buffer.from(part).subarray(0, bytes))
}

function lastBytes(text: string, bytes: number): string {
  const part = text.slice(Math.max(0, text.length - bytes))
  const buffer = Buffer.from(part)
  return buffer.length <= bytes ? wholeCharacters(part) : decode(buffer.subarray(buffer.length - bytes))
}

/** Text of bytes whose first or last character may be incomplete; those are dropped. */
function decode(bytes: Buffer): string {
  let from = 0
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  let to = bytes.length
  let lead = to - 1
  while (lead >= from && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead -= 1
  const first = bytes[lead] ?? 0
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  if (lead >= from && to - lead < needed) to = lead
  return bytes.toString('utf8', from, to)
}

/** Without half of a surrogate pair at either end. */
function wholeCharacters(text: string): string {
  const from = /^[\udc00-\udfff]/.test(text) ? 1 : 0
  const to = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
  return text.slice(from, to)
}

function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return text.endsWith('\n') ? count - 1 : count
}
