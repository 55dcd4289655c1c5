import { diffArrays } from 'diff'
import { changedSpan } from '../../shared/changedSpan.ts'

/** A replaced range of whole lines, in UTF-16 units. */
export interface LineEdit {
  start: number
  end: number
  newStart: number
  newEnd: number
}

/** Maximum number of changed lines of an exact comparison. Beyond it, the whole changed block is one edit. */
const maxEditLength = 2_000
/** Maximum duration of a comparison in milliseconds. */
const timeout = 200

/** Returns the replaced lines between two texts, in order. Two edits have at least one common line between them. */
export function lineEdits(before: string, after: string): LineEdit[] {
  if (before === after) return []
  const span = wholeLines(before, after)
  const old = splitLines(before.slice(span.start, span.end))
  const now = splitLines(after.slice(span.newStart, span.newEnd))
  const parts = old.length > 0 && now.length > 0 ? diffArrays(old, now, { maxEditLength, timeout }) : undefined
  if (!parts) return [span]
  const edits: LineEdit[] = []
  let [at, newAt] = [span.start, span.newStart]
  let open: LineEdit | undefined
  for (const { added, removed, value } of parts) {
    const length = value.reduce((sum, line) => sum + line.length, 0)
    if (!added && !removed) {
      open = undefined
      at += length
      newAt += length
      continue
    }
    if (!open) {
      open = { start: at, end: at, newStart: newAt, newEnd: newAt }
      edits.push(open)
    }
    if (removed) open.end = at += length
    else open.newEnd = newAt += length
  }
  return edits
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

/** Splits a text into lines with their ends. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Number of lines of a text. A last line without an end counts. */
export function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return text === '' || text.endsWith('\n') ? count : count + 1
}

/**
 * Combines two changes of a text.
 * @param touching whether changes may touch each other where their order is known
 * @returns null if they touch each other, so that nobody can decide between them
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
      // Of two insertions at one position, either could be first.
      const inserted = previous.start === previous.end && change.start === change.end
      if (!touching || change.start < previous.end || inserted) return null
    }
    parts.push(base.slice(at, change.start), change.from.slice(change.newStart, change.newEnd))
    at = change.end
    previous = change
  }
  return parts.join('') + base.slice(at)
}
