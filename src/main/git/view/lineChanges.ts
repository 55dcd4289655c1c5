import { ToolError } from '../../../shared/errors.ts'
import type { GitLineChange, GitLines } from '../../../shared/git/git.ts'
import { encodeGitText } from '../gitText.ts'

// Files are handled as byte strings with one character per byte, so that all content survives.

/**
 * A line with its ending, which is empty for the last line. A text that ends with a line break has an empty last line.
 */
interface Line {
  content: string
  end: '' | '\n' | '\r\n' | '\r'
}

/**
 * Replaces runs of lines in `content`.
 * @param content the version to change
 * @param other the version that provides the new lines and their line endings
 * @param changes `from` in `content` is replaced by `to` in `other`
 * @throws ToolError `conflict` if the lines differ from those that the user saw
 */
export function replaceLines(
  content: Buffer,
  other: Buffer,
  changes: readonly { from: GitLines; to: GitLines }[],
): Buffer {
  const lines = splitLines(content)
  const source = splitLines(other)
  const result: Line[] = []
  let next = 0
  for (const { from, to } of changes.toSorted((a, b) => a.from.line - b.from.line)) {
    const start = from.line - 1
    if (start < next) throw new ToolError('invalid_arguments', 'The changes overlap.', 'Select each line once.')
    requireLines(lines, from)
    requireLines(source, to)
    append(result, lines, next, start)
    append(result, source, to.line - 1, to.line - 1 + to.text.length)
    next = start + from.text.length
  }
  append(result, lines, next, lines.length)
  return Buffer.from(joinLines(result, commonEnd(lines) ?? commonEnd(source) ?? '\n'), 'latin1')
}

/**
 * Returns only some runs of lines: the part of a new file that is staged. In that case the editor compares with one
 * empty line, which is not a line of the index.
 * @throws ToolError `conflict` if the lines differ from those that the user saw
 */
export function onlyLines(content: Buffer, runs: readonly GitLines[]): Buffer {
  return selectedLines(content, runs, true)
}

/** Returns the other lines: what remains of a new file after part of it is unstaged or discarded. Throws as above. */
export function withoutLines(content: Buffer, runs: readonly GitLines[]): Buffer {
  return selectedLines(content, runs, false)
}

function selectedLines(content: Buffer, runs: readonly GitLines[], selected: boolean): Buffer {
  const lines = splitLines(content)
  for (const run of runs) requireLines(lines, run)
  const isSelected = (line: number) => runs.some((run) => line >= run.line && line < run.line + run.text.length)
  const kept = lines.filter((_, index) => isSelected(index + 1) === selected)
  return Buffer.from(kept.map((line) => line.content + line.end).join(''), 'latin1')
}

/** Appends part of a list. Spreading a long one would overflow the stack. */
function append(result: Line[], lines: readonly Line[], start: number, end: number): void {
  for (let index = start; index < Math.min(end, lines.length); index++) {
    const line = lines[index]
    if (line) result.push(line)
  }
}

/** Returns both sides of changes: the lines to replace in the changed version, and their replacement. */
export function replacements(
  changes: readonly GitLineChange[],
  replaced: 'before' | 'after',
): { from: GitLines; to: GitLines }[] {
  return changes.map(({ before, after }) =>
    replaced === 'before' ? { from: before, to: after } : { from: after, to: before },
  )
}

/** Every ending counts, including a lone `\r`, as in the editor. */
function splitLines(content: Buffer): Line[] {
  const text = content.toString('latin1')
  const lines: Line[] = []
  let start = 0
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ content: text.slice(start, match.index), end: match[0] as Line['end'] })
    start = match.index + match[0].length
  }
  lines.push({ content: text.slice(start), end: '' })
  return lines
}

/** Joins lines. If moved, the last line may have an ending, and another line may have none. */
function joinLines(lines: readonly Line[], end: string): string {
  return lines
    .map(({ content, end: own }, index) => content + (index === lines.length - 1 ? '' : own === '' ? end : own))
    .join('')
}

function commonEnd(lines: readonly Line[]): string | undefined {
  return lines.find(({ end }) => end !== '')?.end
}

const byteOrderMark = '\u00ef\u00bb\u00bf'

function requireLines(lines: readonly Line[], { line, text }: GitLines): void {
  const present = lines.slice(line - 1, line - 1 + text.length)
  const same =
    line - 1 <= lines.length &&
    present.length === text.length &&
    present.every(({ content }, index) => {
      const bytes = line + index === 1 && content.startsWith(byteOrderMark) ? content.slice(3) : content
      return bytes === Buffer.from(text[index] ?? '', 'utf8').toString('latin1')
    })
  if (!same)
    throw new ToolError(
      'conflict',
      'The file has changed since its changes were displayed. Nothing was changed.',
      'Review the current changes and try again.',
    )
}

export interface PatchedFile {
  path: string
  before: Buffer
  after: Buffer
  /** Set if the file is not in the index yet, e.g. `100644`. */
  newMode?: string
}

const contextLines = 3

/** Returns a patch for `git apply`; undefined if nothing changes. */
export function makePatch({ path, before, after, newMode }: PatchedFile): Buffer | undefined {
  if (before.equals(after) && newMode === undefined) return undefined
  const name = quoteName(path)
  const old = patchLines(before)
  const now = patchLines(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const start = Math.max(head - contextLines, 0)
  const context = Math.min(tail, contextLines)
  const lines = [
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + context).map((line) => ` ${line}`),
  ]
  const range = (all: readonly string[]) => {
    const count = all.length - tail + context - start
    return `${count === 0 ? start : start + 1},${count}`
  }
  const header = [
    `diff --git ${quoted('a/', name)} ${quoted('b/', name)}\n`,
    ...(newMode === undefined ? [] : [`new file mode ${newMode}\n`]),
    `--- ${newMode === undefined ? quoted('a/', name) : '/dev/null'}\n`,
    `+++ ${quoted('b/', name)}\n`,
    `@@ -${range(old)} +${range(now)} @@\n`,
  ]
  // A new empty file has no hunk.
  const text = lines.length === 0 ? header.slice(0, 2) : [...header, ...lines]
  return Buffer.from(text.join(''), 'latin1')
}

/** Splits as git does: only `\n` ends a line. */
function patchLines(content: Buffer): string[] {
  const text = content.toString('latin1')
  if (text === '') return []
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return lines.map((line) => (line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`))
}

const quoted = (prefix: string, name: string) => `"${prefix}${name}"`

/** Quotes a name as git does (core.quotePath): special bytes in octal. */
function quoteName(path: string): string {
  return [...encodeGitText(path)]
    .map((byte) =>
      byte < 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x5c
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte),
    )
    .join('')
}
