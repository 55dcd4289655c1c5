/** A stretch of a text to work on. Offsets in UTF-16 units, `end` exclusive; lines 1-based, inclusive. */
export interface EditPlace {
  start: number
  end: number
  startLine: number
  endLine: number
  /** Its first line with the comment and decorators that belong to it; `startLine` where there are none. */
  leadLine: number
  /** Indentation for content that has none. Default: that of the first line. */
  indent?: string
}

/** Whole lines of a text as a place. */
export function linesPlace(text: string, startLine: number, endLine: number): EditPlace {
  const lines = text.split('\n')
  const start = lines.slice(0, startLine - 1).reduce((sum, line) => sum + line.length + 1, 0)
  const end = lines.slice(startLine - 1, endLine).reduce((sum, line) => sum + line.length + 1, start) - 1
  return { start, end, startLine, endLine, leadLine: startLine }
}
