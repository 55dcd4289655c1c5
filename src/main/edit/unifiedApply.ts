import { plural } from '../../shared/text/plural.ts'
import { describeWhitespaceMismatch, findWhitespaceMismatch } from './whitespaceFailureHint.ts'
import { BlockFinder, fromLines, toLines, type LineStage } from './lineBlocks.ts'
import type { UnifiedHunk } from './unifiedParser.ts'

/** Maximum number of context lines to ignore at each end of a hunk; the default of `patch`. */
const maxFuzz = 2

/** A hunk with a match in the text. */
export interface AppliedHunk {
  kind: 'applied'
  hunk: UnifiedHunk
  /** 1-based line in the old text. */
  line: number
  /** Number of lines between the position in the header and the match; 0 if the header has no position. */
  offset: number
  /** Number of ignored context lines at each end. */
  fuzz: number
  stage: LineStage
}

/** A hunk that was not applied. */
export interface RejectedHunk {
  kind: 'rejected'
  hunk: UnifiedHunk
  /** A sentence for the error. */
  reason: string
}

/** Outcome of applying a unified diff: the new text, and which hunks were applied or rejected. */
export interface UnifiedOutcome {
  /** The text with all applied hunks. */
  text: string
  hunks: (AppliedHunk | RejectedHunk)[]
}

const absent = 'Its lines are not in the file.'

interface Placed extends AppliedHunk {
  start: number
  length: number
  lines: UnifiedHunk['lines']
}

/**
 * Applies the hunks of a unified diff to a text with `\n` line endings, each at the match closest to the line in its
 * header plus the offset of the previous hunk. Keeps context lines as in the text. Rejects a hunk without a match.
 */
export function applyUnified(text: string, hunks: readonly UnifiedHunk[]): UnifiedOutcome {
  const { lines, finalNewline } = toLines(text)
  const finder = new BlockFinder(lines)
  const results: (Placed | RejectedHunk)[] = []
  let shift = 0
  let from = 0
  for (const hunk of hunks) {
    const result = place(finder, hunk, shift, from)
    results.push(result)
    if (result.kind === 'rejected') continue
    shift = hunk.oldStart === undefined ? shift : result.offset
    from = result.start + result.length
  }
  const placed = results.filter((result) => result.kind === 'applied')
  const pieces: (readonly string[])[] = []
  let at = 0
  for (const one of placed) {
    pieces.push(lines.slice(at, one.start), newLines(lines, one))
    at = one.start + one.length
  }
  pieces.push(lines.slice(at))
  const last = placed.at(-1)
  const ended =
    last === undefined || last.start + last.length < lines.length
      ? finalNewline
      : endsWithNewline(last.hunk, finalNewline)
  return {
    text: fromLines({ lines: pieces.flat(), finalNewline: ended }),
    hunks: results.map((result) =>
      result.kind === 'rejected'
        ? result
        : {
            kind: 'applied',
            hunk: result.hunk,
            line: result.line,
            offset: result.offset,
            fuzz: result.fuzz,
            stage: result.stage,
          },
    ),
  }
}

/** Whether the new text ends with a newline. Unchanged without `\ No newline` marks, which models often omit. */
function endsWithNewline(hunk: UnifiedHunk, before: boolean): boolean {
  return hunk.oldOpen === hunk.newOpen ? before : hunk.oldOpen
}

function place(finder: BlockFinder, hunk: UnifiedHunk, shift: number, from: number): Placed | RejectedHunk {
  const expected = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1 + shift
  let reason = absent
  for (let fuzz = 0; fuzz <= maxFuzz; fuzz += 1) {
    const trimmed = withoutEnds(hunk.lines, fuzz)
    if (!trimmed) break
    const old = trimmed.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
    if (old.length === 0)
      return fuzz === 0 ? insertion(finder, hunk, expected, from) : { kind: 'rejected', hunk, reason }
    // With fuzz, only exact matches are reliable.
    const found = finder.find(old, from, fuzz === 0 ? undefined : ['exact', 'trailing_space'])
    if (!found) {
      if (fuzz === 0 && finder.find(old)) reason = 'Its lines come before those of the previous hunk.'
      continue
    }
    const wanted = expected === undefined ? undefined : expected + trimmed.head
    const start = nearest(found.starts, wanted)
    if (start === undefined) {
      return {
        kind: 'rejected',
        hunk,
        reason: `Its lines match ${plural(found.starts.length, 'place')} (lines ${found.starts
          .slice(0, 10)
          .map((one) => one + 1)
          .join(', ')}), and none is closest to the line in its header.`,
      }
    }
    const line = start + 1 - trimmed.head
    return {
      kind: 'applied',
      hunk,
      line,
      offset: expected === undefined ? 0 : start - trimmed.head - (expected - shift),
      fuzz,
      stage: found.stage,
      start,
      length: old.length,
      lines: trimmed.lines,
    }
  }
  const old = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
  const miss = reason === absent ? findWhitespaceMismatch(finder.lines.join('\n'), old.join('\n')) : undefined
  return { kind: 'rejected', hunk, reason: miss ? describeWhitespaceMismatch(miss, 'It').message : reason }
}

/** Locates a hunk of added lines at the line in its header. */
function insertion(
  finder: BlockFinder,
  hunk: UnifiedHunk,
  expected: number | undefined,
  from: number,
): Placed | RejectedHunk {
  const start = finder.lines.length === 0 ? 0 : expected
  if (start === undefined || start < from || start > finder.lines.length) {
    return {
      kind: 'rejected',
      hunk,
      reason: 'It has no context lines, and its header does not name a line after the previous hunk.',
    }
  }
  return {
    kind: 'applied',
    hunk,
    line: start + 1,
    offset: 0,
    fuzz: 0,
    stage: 'exact',
    start,
    length: 0,
    lines: hunk.lines,
  }
}

function nearest(starts: readonly number[], wanted: number | undefined): number | undefined {
  const [first, second] =
    wanted === undefined ? starts : starts.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))
  if (first === undefined || second === undefined) return first
  return wanted !== undefined && Math.abs(first - wanted) < Math.abs(second - wanted) ? first : undefined
}

/** Removes context lines at each end of a hunk, or returns undefined if there are none left. */
function withoutEnds(
  lines: UnifiedHunk['lines'],
  fuzz: number,
): { lines: UnifiedHunk['lines']; head: number } | undefined {
  const before = lines.findIndex(({ mark }) => mark !== ' ')
  const after = lines.length - 1 - lines.findLastIndex(({ mark }) => mark !== ' ')
  const head = Math.min(fuzz, before)
  const tail = Math.min(fuzz, after)
  return fuzz > 0 && fuzz > Math.max(before, after)
    ? undefined
    : { lines: lines.slice(head, lines.length - tail), head }
}

function newLines(file: readonly string[], { lines, start }: Placed): string[] {
  let at = start
  return lines.flatMap(({ mark, text }) => {
    if (mark === '+') return [text]
    const own = file[at] ?? ''
    at += 1
    return mark === ' ' ? [own] : []
  })
}
