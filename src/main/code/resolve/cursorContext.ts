import type { Cursor } from './symbolNavigation.ts'

/** Maximum number of lines before the cursor that are returned, to find the start of an import statement. */
const maxLinesBefore = 100

/** Returns the context of a position. Columns are 1-based; a column beyond the line is moved to its end. */
export function cursorAt(path: string, text: string, line: number, column: number): Cursor {
  const lines = text.split('\n', line)
  const own = lines[line - 1] ?? ''
  const at = Math.min(column - 1, own.length)
  const word = wordAt(own, at)
  const before = [
    ...lines.slice(Math.max(0, line - maxLinesBefore), line - 1),
    own.slice(0, word ? word.column - 1 : at),
  ]
  return { path, line, column: at + 1, word, module: moduleAt(own, at), before }
}

/**
 * Maximum UTF-16 units of a name before the position. Without it, the regular expressions would take hours on a line
 * of megabytes without spaces.
 */
const maxNameLength = 500

function wordAt(line: string, at: number): Cursor['word'] {
  const start = at - (/[\p{L}\p{N}_$]*$/u.exec(line.slice(Math.max(0, at - maxNameLength), at))?.[0].length ?? 0)
  const text = /^[\p{L}\p{N}_$]*/u.exec(line.slice(start))?.[0] ?? ''
  if (text === '' || /^\p{N}/u.test(text)) return null
  const receiver =
    /([\p{L}\p{N}_$][\p{L}\p{N}_$.]*)(?:\.|->|::|\?\.)$/u.exec(
      line.slice(Math.max(0, start - maxNameLength), start),
    )?.[1] ?? null
  return { text, column: start + 1, receiver }
}

/** Returns the quoted text around the position, or else the dotted name. */
function moduleAt(line: string, at: number): string | null {
  for (const { 0: whole, 2: inner = '', index } of line.matchAll(/(["'<])([^"'<>]*)["'>]/g)) {
    if (index <= at && at <= index + whole.length) return inner
  }
  const start = at - (/[\w.]*$/.exec(line.slice(Math.max(0, at - maxNameLength), at))?.[0].length ?? 0)
  const dotted = /^[\w.]*/.exec(line.slice(start))?.[0] ?? ''
  return dotted === '' ? null : dotted
}
