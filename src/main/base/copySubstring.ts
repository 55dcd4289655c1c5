/** Copies a part of a text. A slice would keep the whole text in memory. */
export function copySubstring(text: string, start: number, end: number): string {
  if (start <= 0 && end >= text.length) return text
  return Buffer.from(text.slice(start, end).toWellFormed()).toString()
}
