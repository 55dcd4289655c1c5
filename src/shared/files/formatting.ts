import type { Encoding } from './encodings.ts'

/** Settings of `.editorconfig` files for one file (https://editorconfig.org). Absent: not set. */
export interface EditorConfig {
  indentStyle?: 'tab' | 'space'
  /** Columns per indentation level. */
  indentSize?: number
  /** Columns per tab character. */
  tabWidth?: number
  endOfLine?: '\n' | '\r\n'
  charset?: Encoding
  trimTrailingWhitespace?: boolean
  insertFinalNewline?: boolean
}

/** Result of the project's formatter. */
export interface FormattedText {
  text: string
  /** Name of the formatter, for example `Prettier`. */
  formatter: string
}

/** How to clean up trailing whitespace and the end of a file before saving. */
export interface WhitespaceRules {
  trimTrailingWhitespace: boolean
  /** `false` removes final line breaks; undefined keeps them. */
  insertFinalNewline: boolean | undefined
  /** Whether to leave at most one line break at the end. */
  trimFinalNewlines?: boolean
}

/**
 * Pure: cleans up whitespace.
 * @param text with `\n` line endings
 * @param keepLines 1-based lines that keep trailing whitespace, because the user may be typing there
 */
export function tidyWhitespace(
  text: string,
  { trimTrailingWhitespace, insertFinalNewline, trimFinalNewlines = false }: WhitespaceRules,
  keepLines: ReadonlySet<number> = new Set(),
): string {
  let tidied = text
  if (trimTrailingWhitespace)
    tidied = tidied
      .split('\n')
      .map((line, index) => (keepLines.has(index + 1) ? line : trimEndOfLine(line)))
      .join('\n')
  if (trimFinalNewlines) {
    let end = tidied.length
    // The lines at which the user may be typing stay.
    let line = tidied.split('\n').length
    while (end > 1 && tidied[end - 1] === '\n' && tidied[end - 2] === '\n' && !keepLines.has(line)) {
      end--
      line--
    }
    tidied = tidied.slice(0, end)
  }
  if (insertFinalNewline === true && tidied !== '' && !tidied.endsWith('\n')) tidied += '\n'
  if (insertFinalNewline === false) {
    let end = tidied.length
    while (end > 0 && tidied[end - 1] === '\n') end--
    tidied = tidied.slice(0, end)
  }
  return tidied
}

/** Removes trailing spaces and tabs, but no other characters such as form feeds. */
function trimEndOfLine(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--
  return end === line.length ? line : line.slice(0, end)
}
