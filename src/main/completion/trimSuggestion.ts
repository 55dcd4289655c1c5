/** The text around the cursor. */
export interface CursorContext {
  /** From the start of a line to the cursor. */
  before: string
  /** From the cursor to the end of a line. */
  after: string
}

/** Minimum characters of the prompt at the start of an answer that count as a repetition. */
const minRepeated = 40

export interface Suggestion {
  /** '' if there is nothing useful to insert. */
  text: string
  /**
   * Number of characters after the cursor that the text already contains and replaces, such as an auto-closed bracket.
   */
  replaces: number
}

const closers = /^[)\]}"'`;,>\s]+$/

/** Removes the prompt, text that already follows the cursor, and trailing blank lines from an answer. */
export function trimSuggestion(answer: string, cursor: CursorContext): Suggestion {
  const text = withoutPrompt(answer.replaceAll('\r\n', '\n').replaceAll('\r', '\n'), cursor)
  const lines = text.split('\n')
  const rest = restOfLine(cursor)
  const first = lines[0] ?? ''
  const replaced = containsRest(first, rest) && !first.endsWith(rest)
  if (rest !== '' && !replaced) return { text: beforeRest(first, rest), replaces: 0 }
  const kept = withoutFollowing(lines, cursor)
  while (kept.length > 0 && kept.at(-1)?.trim() === '') kept.pop()
  return { text: kept.join('\n'), replaces: kept.length > 0 && replaced ? rest.length : 0 }
}

/** Returns the text after the cursor on its line; '' if it is blank. */
export function restOfLine({ after }: Pick<CursorContext, 'after'>): string {
  const rest = after.split('\n', 1)[0] ?? ''
  return rest.trim() === '' ? '' : rest
}

/**
 * Whether the rest consists only of characters that editors close automatically, and a line contains them all in order.
 */
function containsRest(line: string, rest: string): boolean {
  if (rest === '' || !closers.test(rest)) return false
  let at = 0
  for (const character of line) if (character === rest[at]) at += 1
  return at === rest.length
}

/** Removes the text before the cursor from the start of an answer. Returns '' if the model repeats other parts. */
function withoutPrompt(answer: string, { before }: CursorContext): string {
  const start = before.trimStart()
  if (start.length >= minRepeated && answer.trimStart().startsWith(start)) return answer.trimStart().slice(start.length)
  // The last lines before the cursor, repeated from their start.
  const lines = before.split('\n')
  const last = lines.slice(-4, -1).join('\n').trim()
  return last.length >= minRepeated && answer.trimStart().startsWith(last) ? '' : answer
}

/** Returns the part of a line before the text that follows the cursor on that line. */
function beforeRest(line: string, rest: string): string {
  const trimmed = rest.trimEnd()
  if (line === '' || line.trim() === '') return ''
  // Text at the end of the line that also starts the rest is already present: `)` of `value)` before `);`.
  for (let length = Math.min(trimmed.length, line.length); length > 0; length -= 1)
    if (line.endsWith(trimmed.slice(0, length))) return line.slice(0, line.length - length)
  return line
}

/** Drops the first line that repeats the lines after the cursor, and everything below it. */
function withoutFollowing(lines: readonly string[], { before, after }: CursorContext): string[] {
  const following = after.split('\n').slice(1)
  while (following.length > 0 && following[0]?.trim() === '') following.shift()
  if (following.length === 0) return [...lines]
  const currentLine = before.slice(before.lastIndexOf('\n') + 1)
  for (let at = 0; at < lines.length; at += 1) {
    const first = at === 0 ? currentLine + (lines[0] ?? '') : (lines[at] ?? '')
    if (first.trim() !== '' && repeats([first, ...lines.slice(at + 1)], following)) return lines.slice(0, at)
  }
  return [...lines]
}

/**
 * Whether lines begin like the following ones: the first two are equal, or the only one. Ignores blank lines. The last
 * line of an answer may be incomplete.
 */
function repeats(lines: readonly string[], following: readonly string[]): boolean {
  const [own, other] = [filled(lines), filled(following)]
  return own
    .slice(0, Math.min(2, other.length))
    .every((line, at) => (at > 0 && at === own.length - 1 ? other[at]?.startsWith(line) : other[at] === line))
}

const filled = (lines: readonly string[]): string[] => lines.map((line) => line.trimEnd()).filter((line) => line !== '')

/** Whether a streamed answer already contains everything to show, so that the server can stop. */
export function isEnough(answer: string, cursor: CursorContext): boolean {
  const rest = restOfLine(cursor)
  const end = answer.indexOf('\n')
  // Text after the cursor allows one line only, unless the line replaces it.
  if (rest !== '' && end !== -1 && !containsRest(answer.slice(0, end), rest)) return true
  const lines = answer.split('\n')
  if (lines.length > maxLines) return true
  // Two blank lines end a unit of code in every common style.
  return /\S\n[ \t]*\n[ \t]*\n$/.test(answer)
}

/** Maximum lines of a suggestion. */
const maxLines = 24
