import { changedSpan } from '../../shared/editor/changedSpan.ts'
import { lineHunks, linesWithEnds } from '../../shared/diff/lineHunks.ts'

/** A replaced range of whole lines, in UTF-16 units. */
export interface LineEdit {
  start: number
  end: number
  newStart: number
  newEnd: number
}

/** Maximum milliseconds of an exact comparison. Beyond it, the whole changed block is one edit. */
const milliseconds = 200

/** Returns the replaced lines between two texts, in order. At least one common line separates two edits. */
export function lineEdits(before: string, after: string): LineEdit[] {
  if (before === after) return []
  const span = wholeLines(before, after)
  const old = offsetsOf(linesWithEnds(before.slice(span.start, span.end)), span.start)
  const now = offsetsOf(linesWithEnds(after.slice(span.newStart, span.newEnd)), span.newStart)
  return lineHunks(old.lines, now.lines, { milliseconds }).map(({ original, modified }) => ({
    start: old.offset(original.start),
    end: old.offset(original.start + original.count),
    newStart: now.offset(modified.start),
    newEnd: now.offset(modified.start + modified.count),
  }))
}

/** @returns lines, and the offset at which a 1-based line starts */
function offsetsOf(lines: readonly string[], start: number) {
  const offsets = [start]
  let at = start
  for (const line of lines) offsets.push((at += line.length))
  return { lines, offset: (line: number) => offsets[line - 1] ?? at }
}

/** Returns the smallest range of whole lines that contains every difference. */
function wholeLines(before: string, after: string): LineEdit {
  const span = changedSpan(before, after)
  const start = span.start === 0 ? 0 : before.lastIndexOf('\n', span.start - 1) + 1
  let end = span.oldEnd
  if (!isLineStart(before, span.oldEnd) || !isLineStart(after, span.newEnd)) {
    const newline = before.indexOf('\n', span.oldEnd)
    end = newline === -1 ? before.length : newline + 1
  }
  return { start, end, newStart: start, newEnd: span.newEnd + (end - span.oldEnd) }
}

function isLineStart(text: string, offset: number): boolean {
  return offset === 0 || text[offset - 1] === '\n'
}

/** Returns the number of lines. A last line without a line break counts. */
export function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return text === '' || text.endsWith('\n') ? count : count + 1
}

/**
 * Combines two changes to a text.
 * @param touching whether changes may be adjacent where their order is known
 * @returns null if they overlap
 */
export function mergeChanges(base: string, one: string, other: string, touching = false): string | null {
  if (one === base || one === other) return other
  if (other === base) return one
  const changes = [
    ...lineEdits(base, one).map((edit) => ({ ...edit, from: one })),
    ...lineEdits(base, other).map((edit) => ({ ...edit, from: other })),
  ].toSorted((a, b) => a.start - b.start || a.end - b.end)
  const parts: string[] = []
  let at = 0
  let previous: (typeof changes)[number] | undefined
  for (const change of changes) {
    if (previous && change.start <= previous.end) {
      const same =
        change.start === previous.start &&
        change.end === previous.end &&
        change.from.slice(change.newStart, change.newEnd) === previous.from.slice(previous.newStart, previous.newEnd)
      if (same) continue
      // Of two insertions at one position, either could come first.
      const inserted = previous.start === previous.end && change.start === change.end
      if (!touching || change.start < previous.end || inserted) return null
    }
    parts.push(base.slice(at, change.start), change.from.slice(change.newStart, change.newEnd))
    at = change.end
    previous = change
  }
  return parts.join('') + base.slice(at)
}
