import { plural } from '../../shared/plural.ts'
import { explainSpaceMiss, spaceMiss } from './innerSpace.ts'
import { BlockFinder, fromLines, toLines, type LineStage } from './lineBlocks.ts'
import type { UnifiedHunk } from './unifiedParser.ts'

/** Context lines that may be ignored at the ends of a hunk, as `patch` does by default. */
const maxFuzz = 2

export interface AppliedHunk {
  kind: 'applied'
  hunk: UnifiedHunk
  /** 1-based line of the text before. */
  line: number
  /** Lines between where the header says it stands and where it stood. 0 where the header says nothing. */
  offset: number
  /** Context lines at each end that did not match and were ignored. */
  fuzz: number
  stage: LineStage
}

export interface RejectedHunk {
  kind: 'rejected'
  hunk: UnifiedHunk
  reason: string
}

export interface UnifiedOutcome {
  /** The text with the hunks that could be applied. */
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
 * Applies the hunks of a unified diff to a text with `\n` line ends, each where its lines stand nearest to the line its header
 * names, shifted as the hunks before were. Lines of context stay as the text has them. A hunk without a place is rejected.
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

/** Only what the diff says about the end changes it; models often leave the mark out. */
function endsWithNewline(hunk: UnifiedHunk, before: boolean): boolean {
  return hunk.oldOpen === hunk.newOpen ? before : hunk.oldOpen
}

function place(finder: BlockFinder, hunk: UnifiedHunk, shift: number, from: number): Placed | RejectedHunk {
  const expected = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1 + shift
  let reason = absent
  for (let fuzz = 0; fuzz <= maxFuzz; fuzz += 1) {
    const cut = withoutEnds(hunk.lines, fuzz)
    if (!cut) break
    const old = cut.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
    if (old.length === 0)
      return fuzz === 0 ? insertion(finder, hunk, expected, from) : { kind: 'rejected', hunk, reason }
    // With context left out, only exact lines are sure enough.
    const found = finder.find(old, from, fuzz === 0 ? undefined : ['exact', 'trailing_space'])
    if (!found) {
      if (fuzz === 0 && finder.find(old)) reason = 'Its lines stand before those of the hunk above it.'
      continue
    }
    const wanted = expected === undefined ? undefined : expected + cut.head
    const start = nearest(found.starts, wanted)
    if (start === undefined) {
      return {
        kind: 'rejected',
        hunk,
        reason: `Its lines stand at ${plural(found.starts.length, 'place')} (lines ${found.starts
          .slice(0, 10)
          .map((one) => one + 1)
          .join(', ')}), and none is the nearest to what its header says.`,
      }
    }
    const line = start + 1 - cut.head
    return {
      kind: 'applied',
      hunk,
      line,
      offset: expected === undefined ? 0 : start - cut.head - (expected - shift),
      fuzz,
      stage: found.stage,
      start,
      length: old.length,
      lines: cut.lines,
    }
  }
  const old = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
  const miss = reason === absent ? spaceMiss(finder.lines.join('\n'), old.join('\n')) : undefined
  return { kind: 'rejected', hunk, reason: miss ? explainSpaceMiss(miss, 'It').message : reason }
}

/** A hunk of added lines only stands where its header says. */
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
      reason: 'It has no lines of context, and its header names no line of the file behind the hunk above it.',
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

/** The hunk without so many lines of context at each end; undefined where it has no such lines left. */
function withoutEnds(
  lines: UnifiedHunk['lines'],
  fuzz: number,
): { lines: UnifiedHunk['lines']; head: number } | undefined {
  const before = lines.findIndex(({ mark }) => mark !== ' ')
  const behind = lines.length - 1 - lines.findLastIndex(({ mark }) => mark !== ' ')
  const head = Math.min(fuzz, before)
  const tail = Math.min(fuzz, behind)
  return fuzz > 0 && fuzz > Math.max(before, behind)
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
