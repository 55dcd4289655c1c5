import { goneHunks, returnedHunks, withGone, withoutKept } from './goneHunks.ts'
import { countLines, lineEdits } from './lineEdits.ts'
import type { GoneHunk, Hunk, HunkLines, TextReview } from './textReviewTypes.ts'

export type { Hunk, TextReview } from './textReviewTypes.ts'

/**
 * Who changed the current text. `agent`: the base stays. `user`: edits outside hunks move into the base; edits inside
 * belong to the hunk. `settle`: the base follows in every touched range, as after undoing older changes.
 */
export type Actor = 'agent' | 'user' | 'settle'

export function reviewOf(base: string, current: string, gone: readonly GoneHunk[] = []): TextReview {
  return makeReview({ current, hunks: hunksBetween(base, current, documentStart), baseVersion: {}, gone }, base)
}

function makeReview({ current, hunks, baseVersion, gone }: Omit<TextReview, 'base'>, known?: string): TextReview {
  let base = known
  return {
    get base() {
      return (base ??= withoutHunks(current, hunks))
    },
    baseVersion,
    current,
    hunks,
    gone,
  }
}

/** Applies a change to the current text. Only compares the changed lines and the hunks that they touch. */
export function changeText(review: TextReview, text: string, actor: Actor): TextReview {
  if (text === review.current) return review
  const base = new Shift()
  const hunks: Hunk[] = []
  /** End of the last cluster in the old texts. */
  let last: Position = documentStart
  /** Growth of the current text so far. */
  let grown = 0
  let grownLines = 0
  let { gone } = review
  let touched = false
  /** The agent's hunks in which lines change. */
  const replaced: Hunk[] = []
  for (const { start, end, members } of cluster(review.hunks, lineEdits(review.current, text), actor)) {
    const edits = members.flatMap((member) => ('edit' in member ? [member.edit] : []))
    const old = members.flatMap((member) => ('hunk' in member ? [member.hunk] : []))
    const [first, final] = [old[0], old.at(-1)]
    if (first && edits.length === 0) {
      addHunk(hunks, moved(first, base, grown, grownLines))
      last = endOf(first)
      continue
    }
    // Outside hunks both texts are equal, so positions differ by a constant.
    const from = last
    const skipped = countLines(review.current.slice(from.offset, start))
    const at: Position = {
      baseOffset: from.baseOffset + (start - from.offset),
      offset: start,
      baseLine: from.baseLine + skipped,
      line: from.line + skipped,
    }
    const baseEnd = final ? final.baseEnd + (end - final.end) : at.baseOffset + (end - start)
    const newStart = start + grown
    const lineBefore = at.line + grownLines
    grown += edits.reduce((sum, edit) => sum + (edit.newEnd - edit.newStart) - (edit.end - edit.start), 0)
    const removed = withoutHunks(review.current, old, start, end)
    const added = text.slice(newStart, end + grown)
    const oldLines = countLines(review.current.slice(start, end))
    grownLines += countLines(added) - oldLines
    touched ||= first !== undefined
    const outside = actor === 'user' && !first
    const found = outside && returnedHunks(gone, text, { removed, start: newStart, end: end + grown })
    const place = {
      baseOffset: at.baseOffset + base.shift,
      offset: newStart,
      baseLine: at.baseLine + base.lineShift,
      line: lineBefore,
    }
    let next: Hunk[] = []
    if (found) {
      gone = gone.filter((hunk) => !found.returned.has(hunk))
      for (const hunk of hunksBetween(found.base, added, place)) addHunk(hunks, hunk)
      if (found.base !== removed) base.replace(removed, found.base)
    } else if (outside || actor === 'settle') base.replace(removed, added)
    else {
      next = hunksBetween(removed, added, place, actor === 'user')
      for (const hunk of next) addHunk(hunks, hunk)
    }
    // While the user types in a hunk, the agent's lines are enough.
    const types = next.length === 1 && old.length === 1 && next[0]?.lines.removed === first?.lines.removed
    replaced.push(...old.filter(({ lines }) => lines.typed !== true || !types))
    last = { baseOffset: baseEnd, offset: end, baseLine: at.baseLine + countLines(removed), line: at.line + oldLines }
  }
  if (touched) gone = withGone(gone, goneHunks({ review, replaced }, text, hunks))
  return makeReview({ current: text, hunks, baseVersion: base.changed ? {} : review.baseVersion, gone })
}

/** A position in base and current text, as offsets and numbers of preceding lines. */
interface Position {
  baseOffset: number
  offset: number
  baseLine: number
  line: number
}

const documentStart: Position = { baseOffset: 0, offset: 0, baseLine: 0, line: 0 }

function endOf({ baseEnd, end, baseLine, line, lines }: Hunk): Position {
  return { baseOffset: baseEnd, offset: end, baseLine: baseLine + lines.removedCount, line: line + lines.addedCount }
}

function moved(hunk: Hunk, { shift, lineShift }: Shift, grown = 0, grownLines = 0): Hunk {
  return {
    baseStart: hunk.baseStart + shift,
    baseEnd: hunk.baseEnd + shift,
    start: hunk.start + grown,
    end: hunk.end + grown,
    baseLine: hunk.baseLine + lineShift,
    line: hunk.line + grownLines,
    lines: hunk.lines,
  }
}

/** Moves hunks into the base. */
export function keepHunks(review: TextReview, kept: ReadonlySet<Hunk>): TextReview {
  const base = new Shift()
  const hunks: Hunk[] = []
  for (const hunk of review.hunks) {
    if (kept.has(hunk)) base.replace(hunk.lines.removed, hunk.lines.added)
    else hunks.push(moved(hunk, base))
  }
  const gone = withoutKept(review.gone, kept)
  return makeReview({ current: review.current, hunks, baseVersion: base.changed ? {} : review.baseVersion, gone })
}

/** Returns part of the current text with the base's lines instead of hunks, which are within that part. */
export function withoutHunks(current: string, undone: readonly Hunk[], from = 0, to = current.length): string {
  let text = ''
  let at = from
  for (const { start, end, lines } of undone) {
    text += current.slice(at, start) + lines.removed
    at = end
  }
  return text + current.slice(at, to)
}

/** Returns the hunks completely inside one of these ranges of the current text. */
export function hunksWithin(review: TextReview, ranges: readonly Pick<Hunk, 'start' | 'end'>[]): Set<Hunk> {
  return new Set(review.hunks.filter((hunk) => ranges.some(({ start, end }) => start <= hunk.start && hunk.end <= end)))
}

/** Returns the hunks contained in a committed text: nothing in or next to them differs from it. */
export function committedHunks(review: TextReview, committed: string): Set<Hunk> {
  const differences = lineEdits(review.current, committed)
  return new Set(
    review.hunks.filter((hunk) => !differences.some(({ start, end }) => start <= hunk.end && hunk.start <= end)),
  )
}

/** Compares two texts, or parts of them that start at a position. */
function hunksBetween(base: string, current: string, place: Position, typed = false): Hunk[] {
  let [at, line, baseLine] = [0, place.line, place.baseLine]
  return lineEdits(base, current).map(({ start, end, newStart, newEnd }) => {
    const common = countLines(base.slice(at, start))
    const [removed, added] = [base.slice(start, end), current.slice(newStart, newEnd)]
    const lines = { removed, added, removedCount: countLines(removed), addedCount: countLines(added), typed }
    const hunk: Hunk = {
      baseStart: start + place.baseOffset,
      baseEnd: end + place.baseOffset,
      start: newStart + place.offset,
      end: newEnd + place.offset,
      baseLine: baseLine + common,
      line: line + common,
      lines,
    }
    at = end
    line = hunk.line + lines.addedCount
    baseLine = hunk.baseLine + lines.removedCount
    return hunk
  })
}

/** Adds a hunk, merged with the last one if no common line separates them. */
function addHunk(hunks: Hunk[], hunk: Hunk): void {
  const last = hunks.at(-1)
  if (!last || last.end !== hunk.start || last.baseEnd !== hunk.baseStart) {
    hunks.push(hunk)
    return
  }
  const lines: HunkLines = {
    removed: last.lines.removed + hunk.lines.removed,
    added: last.lines.added + hunk.lines.added,
    removedCount: last.lines.removedCount + hunk.lines.removedCount,
    addedCount: last.lines.addedCount + hunk.lines.addedCount,
    typed: last.lines.typed === true && hunk.lines.typed === true,
  }
  hunks[hunks.length - 1] = { ...last, end: hunk.end, baseEnd: hunk.baseEnd, lines }
}

type Edit = ReturnType<typeof lineEdits>[number]
interface Cluster {
  /** Range in the old current text. */
  start: number
  end: number
  members: ({ hunk: Hunk } | { edit: Edit })[]
}

/** Groups hunks and edits that affect each other, in order. */
function cluster(hunks: readonly Hunk[], edits: readonly Edit[], actor: Actor): Cluster[] {
  const members = [
    ...hunks.map((hunk) => ({ start: hunk.start, end: hunk.end, member: { hunk } })),
    ...edits.map((edit) => ({ start: edit.start, end: edit.end, member: { edit } })),
  ].toSorted((a, b) => a.start - b.start || a.end - b.end)
  const clusters: Cluster[] = []
  for (const { start, end, member } of members) {
    const last = clusters.at(-1)
    if (last && joins(last, start, end, actor)) {
      last.end = Math.max(last.end, end)
      last.members.push(member)
    } else clusters.push({ start, end, members: [member] })
  }
  return clusters
}

/**
 * Whether the next range belongs to a cluster. Adjacent lines changed by the agent join a hunk. The user's do not,
 * unless they are inserted at its border or replace a deletion, where both orders are possible.
 */
function joins(last: Cluster, start: number, end: number, actor: Actor): boolean {
  if (start < last.end) return true
  return start === last.end && (actor === 'agent' || start === end || last.start === last.end)
}

/** Growth of the base before a position, in UTF-16 units and in lines. */
class Shift {
  changed = false
  shift = 0
  lineShift = 0

  replace(old: string, replacement: string): void {
    this.changed = true
    this.shift += replacement.length - old.length
    this.lineShift += countLines(replacement) - countLines(old)
  }
}
