/**
 * Returns a part of a text as a string of its own. A slice would keep the whole text in memory for as long as the part
 * is kept.
 */
export function copiedPart(text: string, start: number, end: number): string {
  if (start <= 0 && end >= text.length) return text
  return Buffer.from(text.slice(start, end).toWellFormed()).toString()
}
