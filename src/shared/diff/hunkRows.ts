import { changedSpan } from '../editor/changedSpan.ts'
import { lineHunks, linesWithEnds, type CompareLimits, type LineHunk } from './lineHunks.ts'

/** A row of a diff. Line numbers are 1-based. */
export interface DiffLine {
  kind: 'context' | 'added' | 'removed' | 'note'
  text: string
  oldNumber?: number
  newNumber?: number
  /** Part of `text` that differs from its counterpart on the other side, in UTF-16 units. */
  changed?: { start: number; end: number }
}

/** A group of changed lines with their context. */
export interface DiffHunk {
  /** First line of each side. As in unified diffs: the preceding line if the side is empty. */
  oldStart: number
  newStart: number
  /** Usually the enclosing function, as git writes it after the second `@@`. */
  section: string
  lines: DiffLine[]
}

const defaultContext = 3
/** Shown below a last line without a line break. */
export const noFinalNewline = 'No newline at end of file'

/**
 * Compares two texts. Returns the differing lines with context.
 * @param before text with `\n` line endings
 * @param context number of unchanged lines around each change
 */
export function hunkRows(
  before: string,
  after: string,
  { context = defaultContext, ...limits }: CompareLimits & { context?: number } = {},
): DiffHunk[] {
  if (before === after) return []
  const window = changedWindow(before, after, context)
  const old = linesWithEnds(before.slice(window.start, window.oldEnd))
  const now = linesWithEnds(after.slice(window.start, window.newEnd))
  const skipped = countNewlines(before, window.start)
  return grouped(lineHunks(old, now, limits), context).map((group) => rowsOf(group, { old, now, context, skipped }))
}

/** Returns the lines of one of the hunks of two texts, with context up to the next one. */
export function rowsOfHunk(
  hunks: readonly LineHunk[],
  index: number,
  { old, now }: Pick<ComparedLines, 'old' | 'now'>,
): DiffHunk | undefined {
  const hunk = hunks[index]
  if (hunk === undefined) return undefined
  const endOf = (each: LineHunk | undefined) => (each ? each.original.start - 1 + each.original.count : 0)
  const gapBefore = hunk.original.start - 1 - endOf(hunks[index - 1])
  const gapAfter = (hunks[index + 1]?.original.start ?? old.length + 1) - 1 - endOf(hunk)
  return rowsOf([hunk], { old, now, context: Math.min(defaultContext, gapBefore, gapAfter), skipped: 0 })
}

/** Joins hunks whose context lines would touch. */
function grouped(hunks: readonly LineHunk[], context: number): LineHunk[][] {
  const groups: LineHunk[][] = []
  for (const hunk of hunks) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && hunk.original.start - (last.original.start + last.original.count) <= 2 * context)
      group.push(hunk)
    else groups.push([hunk])
  }
  return groups
}

interface ComparedLines {
  old: readonly string[]
  now: readonly string[]
  context: number
  /** Number of lines before the compared ones. */
  skipped: number
}

function rowsOf(group: readonly LineHunk[], { old, now, context, skipped }: ComparedLines): DiffHunk {
  const lines: DiffLine[] = []
  const add = (line: DiffLine) => {
    const ended = line.text.endsWith('\n')
    lines.push(ended ? { ...line, text: line.text.slice(0, -1) } : line)
    if (!ended) lines.push({ kind: 'note', text: noFinalNewline })
  }
  // Indexes of the next lines.
  const first = group[0]
  let oldAt = Math.max(0, (first?.original.start ?? 1) - 1 - context)
  let newAt = oldAt + (first ? first.modified.start - first.original.start : 0)
  const [oldStart, newStart] = [oldAt, newAt]
  const addContext = (end: number) => {
    while (oldAt < end) {
      add({ kind: 'context', text: old[oldAt] ?? '', oldNumber: skipped + oldAt + 1, newNumber: skipped + newAt + 1 })
      oldAt += 1
      newAt += 1
    }
  }
  for (const { original, modified } of group) {
    addContext(original.start - 1)
    for (const end = oldAt + original.count; oldAt < end; oldAt += 1)
      add({ kind: 'removed', text: old[oldAt] ?? '', oldNumber: skipped + oldAt + 1 })
    for (const end = newAt + modified.count; newAt < end; newAt += 1)
      add({ kind: 'added', text: now[newAt] ?? '', newNumber: skipped + newAt + 1 })
  }
  addContext(Math.min(old.length, oldAt + context))
  const startOf = (start: number, end: number) => skipped + start + (end > start ? 1 : 0)
  return { oldStart: startOf(oldStart, oldAt), newStart: startOf(newStart, newAt), section: '', lines }
}

/** Returns the text of one side of a hunk. Keeps a missing final line break. */
export function hunkText({ lines }: DiffHunk, side: 'original' | 'modified'): string {
  let text = ''
  let last = false
  for (const { kind, text: line } of lines) {
    if (kind === 'note') {
      if (last) text = text.slice(0, -1)
      continue
    }
    last = kind === 'context' || kind === (side === 'original' ? 'removed' : 'added')
    if (last) text += `${line}\n`
  }
  return text
}

/** Marks the differing parts of removed lines and the added lines that replace them, if there are equally many. */
export function markChangedParts(lines: readonly DiffLine[]): DiffLine[] {
  const result: DiffLine[] = []
  while (result.length < lines.length) {
    const removed = runOf(lines, result.length, 'removed')
    const added = runOf(lines, result.length + removed.length, 'added')
    if (removed.length === added.length && removed.length > 0) {
      const parts = removed.map((before, index) => changedParts(before.text, added[index]?.text ?? ''))
      for (const [index, line] of removed.entries()) result.push(withPart(line, parts[index]?.before))
      for (const [index, line] of added.entries()) result.push(withPart(line, parts[index]?.after))
    } else {
      const end = result.length + Math.max(1, removed.length + added.length)
      for (const line of lines.slice(result.length, end)) result.push(line)
    }
  }
  return result
}

function withPart(line: DiffLine, changed: DiffLine['changed']): DiffLine {
  return changed ? { ...line, changed } : line
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end += 1
  return lines.slice(from, end)
}

interface ChangedParts {
  before?: { start: number; end: number }
  after?: { start: number; end: number }
}

/** Finds the parts in which two lines differ. Returns none if the lines have little in common. */
function changedParts(before: string, after: string): ChangedParts {
  const minLength = Math.min(before.length, after.length)
  let start = 0
  while (start < minLength && before[start] === after[start]) start += 1
  let tail = 0
  while (tail < minLength - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  // Do not split surrogate pairs.
  if (start > 0 && isHighSurrogate(before.charCodeAt(start - 1))) start -= 1
  if (tail > 0 && isHighSurrogate(before.charCodeAt(before.length - tail - 1))) tail -= 1
  if (start + tail < minLength * 0.3) return {}
  const part = (text: string) => (text.length - tail > start ? { start, end: text.length - tail } : undefined)
  const [old, now] = [part(before), part(after)]
  return { ...(old && { before: old }), ...(now && { after: now }) }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/**
 * Returns the part of both texts that contains all changes and their context, so that a small edit of a large file is
 * fast.
 */
function changedWindow(
  before: string,
  after: string,
  context: number,
): { start: number; oldEnd: number; newEnd: number } {
  const span = changedSpan(before, after)
  let { start, oldEnd } = span
  for (let line = 0; line <= context && start > 0; line += 1) {
    if (line > 0) start -= 1
    start = before.lastIndexOf('\n', start - 1) + 1
  }
  for (let line = 0; line <= context && oldEnd < before.length; line += 1) {
    const newline = before.indexOf('\n', oldEnd)
    oldEnd = newline === -1 ? before.length : newline + 1
  }
  return { start, oldEnd, newEnd: after.length - (before.length - oldEnd) }
}

function countNewlines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
