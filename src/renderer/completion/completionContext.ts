import { contextLines, maxContextCharacters } from '../../shared/editor/inlineCompletion.ts'

/** The lines of an open file; `line` is 1-based. */
export interface Lines {
  count: number
  line(number: number): string
}

/**
 * The first context line moves in steps of this many lines. Between two steps, the prompt starts with the same bytes,
 * so that the server can reuse its prompt cache while lines are added.
 */
const stepLines = 64
/**
 * Maximum number of characters after the cursor, as in llama.vscode. With more, the user is editing the middle of a
 * line.
 */
const maxRest = 8

/** Pure: returns the text around the cursor. @param column 1-based */
export function contextAt(lines: Lines, line: number, column: number): { before: string; after: string } {
  const first = Math.max(1, Math.floor((line - contextLines.before) / stepLines) * stepLines + 1)
  const last = Math.min(lines.count, line + contextLines.after)
  const current = lines.line(line)
  return {
    before: [...range(lines, first, line - 1), current.slice(0, column - 1)]
      .join('\n')
      .slice(-maxContextCharacters.before),
    after: [current.slice(column - 1), ...range(lines, line + 1, last)].join('\n').slice(0, maxContextCharacters.after),
  }
}

function range(lines: Lines, first: number, last: number): string[] {
  const texts: string[] = []
  for (let at = first; at <= last; at += 1) texts.push(lines.line(at))
  return texts
}

/** Pure: whether a suggestion can be useful at a position in a line. @param column 1-based */
export function canComplete(text: string, column: number): boolean {
  const rest = text.slice(column - 1).trimEnd()
  // Inside a word, a suggestion would split it.
  return rest.length <= maxRest && !(/\w$/.test(text.slice(0, column - 1)) && /^\w/.test(rest))
}

/** Pure: the lines around a position, as a chunk of seen code. */
export function chunkAround(lines: Lines, line: number, size: number): string {
  const first = Math.max(1, line - size / 2)
  return range(lines, first, Math.min(lines.count, first + size - 1)).join('\n')
}

/**
 * Pure: fits a suggestion to the selected entry in the completion list.
 * @param typed the text that the entry replaces
 * @returns the text that replaces `typed`; null if the suggestion does not continue the entry
 */
export function continueSelected(suggestion: string, typed: string, selected: string): string | null {
  const whole = typed + suggestion
  return whole.startsWith(selected) ? whole : null
}
