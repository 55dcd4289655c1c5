/** Replacement of a range. Lines and columns are 1-based. The end is exclusive. */
export interface LineEdit {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
  text: string
}

/**
 * Applies edits to a text's lines in place, without copying the rest of the text. Each edit applies to the result of
 * the previous one.
 * @returns false if an edit does not fit, because the lines differ from the editor's
 */
export function applyLineEdits(lines: string[], edits: readonly LineEdit[]): boolean {
  for (const { startLine, startColumn, endLine, endColumn, text } of edits) {
    const first = lines[startLine - 1]
    const last = lines[endLine - 1]
    if (first === undefined || last === undefined || startColumn > first.length + 1 || endColumn > last.length + 1)
      return false
    const inserted = `${first.slice(0, startColumn - 1)}${text}${last.slice(endColumn - 1)}`.split(/\r\n|\r|\n/)
    const [only] = inserted
    if (startLine === endLine && inserted.length === 1 && only !== undefined) lines[startLine - 1] = only
    else replaceLines(lines, startLine - 1, endLine - startLine + 1, inserted)
  }
  return true
}

/** Maximum number of arguments of a function call. */
const maxArguments = 10_000

function replaceLines(lines: string[], start: number, count: number, inserted: readonly string[]): void {
  if (inserted.length <= maxArguments) {
    lines.splice(start, count, ...inserted)
    return
  }
  const rest = lines.splice(start).slice(count)
  for (const part of [inserted, rest]) for (const line of part) lines.push(line)
}
