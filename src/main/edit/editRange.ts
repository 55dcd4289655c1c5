/** A range of text to edit. Offsets are in UTF-16 units, `end` is exclusive; lines are 1-based and inclusive. */
export interface EditRange {
  start: number
  end: number
  startLine: number
  endLine: number
  /** First line including the range's comments and decorators, otherwise `startLine`. */
  leadLine: number
  /** Indentation for unindented content. Default: as on the first line. */
  indent?: string
}

/** Returns the range of whole lines. */
export function wholeLinesRange(text: string, startLine: number, endLine: number): EditRange {
  const lines = text.split('\n')
  const start = lines.slice(0, startLine - 1).reduce((sum, line) => sum + line.length + 1, 0)
  const end = lines.slice(startLine - 1, endLine).reduce((sum, line) => sum + line.length + 1, start) - 1
  return { start, end, startLine, endLine, leadLine: startLine }
}
