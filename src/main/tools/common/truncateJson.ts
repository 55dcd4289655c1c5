import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural, pluralNoun } from '../../../shared/text/plural.ts'
import { wholeCharacters } from './utf8.ts'

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
