/** A change of lines: `start` to `end` (1-based, inclusive) became `lines` lines. */
export interface LineEdit {
  start: number
  end: number
  lines: number
}

/** Pure: returns the number of a line after edits; null if one of them changed it. */
export function mapLine(line: number, edits: readonly LineEdit[]): number | null {
  let mapped = line
  for (const { start, end, lines } of edits) {
    if (mapped > end) mapped += lines - (end - start + 1)
    else if (mapped >= start) return null
  }
  return mapped
}
