/**
 * Truncates a line to at most `max` UTF-16 units around a position, with `…` at each truncated end.
 * @param at index that stays visible
 */
export function truncateAround(line: string, at: number, max: number): string {
  if (line.length <= max) return line
  // A quarter of the length precedes the position, because the text after it is more informative.
  const from = Math.max(0, Math.min(at - Math.floor(max / 4), line.length - max))
  const start = splitsPair(line, from) ? from + 1 : from
  const end = splitsPair(line, from + max) ? from + max - 1 : from + max
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
}

function splitsPair(text: string, index: number): boolean {
  return index > 0 && index < text.length && isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index))
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Converts a UTF-8 byte offset to a UTF-16 index. */
export function utf16Index(text: string, byteOffset: number): number {
  let bytes = 0
  let index = 0
  while (index < text.length && bytes < byteOffset) {
    const unit = text.charCodeAt(index)
    if (isHigh(unit) && isLow(text.charCodeAt(index + 1))) {
      bytes += 4
      index += 2
    } else {
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
      index++
    }
  }
  return index
}
