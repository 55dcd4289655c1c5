import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { EnvelopeHunk, PatchLine } from './envelope.ts'
import { indentLike } from './indentation.ts'
import { BlockFinder, fromLines, toLines, type LineStage } from './lineBlocks.ts'
import { describeWhitespaceMismatch, findWhitespaceMismatch } from './whitespaceFailureHint.ts'
import { mostSimilarLines } from './similarLines.ts'
import { truncate } from '../../shared/text/truncate.ts'

/** Where a hunk was applied. */
export interface HunkLocation {
  /** 1-based line in the file before the patch. */
  line: number
  stage: LineStage
}

/**
 * If there are several matches, uses the one at most this many lines after the header or the previous hunk (Rusty's
 * "3-line window").
 */
const maxDistance = 3

/** A hunk with the lines of the file that it replaces. */
interface Placed extends HunkLocation {
  start: number
  /** Number of lines in the file. */
  length: number
  lines: readonly PatchLine[]
}

/**
 * Applies hunks in file order to a text with `\n` line endings. Context lines and a final newline are kept as in the
 * file.
 * @throws ToolError no_match with the most similar lines, ambiguous_match with all matches, out_of_range for lines that
 * a header inserts outside the file
 */
export function applyHunks(
  text: string,
  hunks: readonly EnvelopeHunk[],
  path: string,
): { text: string; places: HunkLocation[] } {
  const { lines, finalNewline } = toLines(text)
  const finder = new BlockFinder(lines)
  const placed: Placed[] = []
  let cursor = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = placeHunk(finder, hunk, { cursor, follows: index > 0, path })
    placed.push(place)
    cursor = place.start + place.length
  }
  const pieces: (readonly string[])[] = []
  let at = 0
  for (const place of placed) {
    pieces.push(lines.slice(at, place.start), hunkLines(lines, place))
    at = place.start + place.length
  }
  pieces.push(lines.slice(at))
  return {
    text: fromLines({ lines: pieces.flat(), finalNewline }),
    places: placed.map(({ line, stage }) => ({ line, stage })),
  }
}

/** Where to search for a hunk. */
interface SearchPosition {
  /** 0-based line where the search starts. */
  cursor: number
  /** Whether another hunk of the file precedes this one, so that a match shortly after it is preferred. */
  follows: boolean
  path: string
}

function placeHunk(finder: BlockFinder, hunk: EnvelopeHunk, position: SearchPosition): Placed {
  const anchors = anchorsOf(finder, hunk, position)
  const old = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
  if (old.length === 0) return insertion(finder, hunk, anchors, position)
  const from = anchors[0] ?? position.cursor
  const found = finder.find(old, from)
  if (!found) {
    // An empty line before the next header often separates hunks and is not in the file.
    const shorter = withoutBlankEnd(hunk)
    if (shorter) return placeHunk(finder, shorter, position)
    throw noMatch(finder, old, hunk, position, from)
  }
  const { stage } = found
  const starts = hunk.endOfFile
    ? found.starts.filter((start) => start + old.length === finder.lines.length)
    : found.starts
  const start = starts.length === 1 ? starts[0] : nearest(starts, anchors, hunk, position)
  if (start === undefined)
    throw starts.length === 0 ? notAtEnd(hunk, position, found.starts) : ambiguous(finder, hunk, position, starts)
  return { start, length: old.length, line: start + 1, stage, lines: hunk.lines }
}

/** Returns the 0-based lines of the innermost header, one for each match of the outermost. Empty without headers. */
function anchorsOf(finder: BlockFinder, hunk: EnvelopeHunk, { cursor, path }: SearchPosition): number[] {
  let anchors: number[] | undefined
  for (const header of hunk.headers) {
    const places = headerPlaces(finder, header, cursor)
    const inside: number[] = anchors
      ? anchors.flatMap((anchor) => places.find((place) => place > anchor) ?? [])
      : places
    if (inside.length === 0) {
      const name = `The header "@@ ${header}" (line ${hunk.at} of the patch)`
      throw new ToolError(
        'no_match',
        places.length > 0
          ? `${name} was not found in "${path}" after the header above it.`
          : cursor > 0 && headerPlaces(finder, header, 0).length > 0
            ? `${name} was not found in "${path}" after the previous hunk.`
            : `${name} was not found in "${path}".`,
        'Copy a whole line of the file after "@@", or omit it and add context lines. Hunks must be in file order.',
      )
    }
    anchors = [...new Set(inside)]
  }
  return anchors ?? []
}

/** Returns the lines that equal a header or start with it, because models often write only the start of a line. */
function headerPlaces(finder: BlockFinder, header: string, from: number): number[] {
  const whole = finder.find([header], from)
  if (whole) return whole.starts
  return finder.lines.flatMap((line, index) => (index >= from && line.trim().startsWith(header) ? [index] : []))
}

/**
 * Selects the match nearest to where the patch expects the hunk; undefined if the patch does not single out one match.
 */
function nearest(
  starts: readonly number[],
  anchors: readonly number[],
  hunk: EnvelopeHunk,
  { cursor, follows }: SearchPosition,
): number | undefined {
  if (anchors.length > 0) {
    const near = anchors.flatMap(
      (anchor) => starts.find((start) => start >= anchor && start <= anchor + 1 + maxDistance) ?? [],
    )
    const [only, ...others] = new Set(near)
    return others.length === 0 ? only : undefined
  }
  if (hunk.hint !== undefined) {
    const expected = hunk.hint - 1
    const near = starts
      .filter((start) => Math.abs(start - expected) <= maxDistance)
      .toSorted((a, b) => Math.abs(a - expected) - Math.abs(b - expected))
    const [first, second] = near
    return first !== undefined && (second === undefined || Math.abs(first - expected) < Math.abs(second - expected))
      ? first
      : undefined
  }
  // After another hunk, the first of several nearby matches is not necessarily the right one.
  const near = starts.filter((start) => start <= cursor + maxDistance)
  return follows && near.length === 1 ? near[0] : undefined
}

/** Locates added lines without context: after their header, at the line of the range, or at the end of the file. */
function insertion(
  finder: BlockFinder,
  hunk: EnvelopeHunk,
  anchors: readonly number[],
  position: SearchPosition,
): Placed {
  const [anchor, ...others] = anchors
  if (others.length > 0) throw ambiguous(finder, hunk, position, anchors)
  if (anchor === undefined && hunk.hint !== undefined && !hunk.endOfFile) {
    const { cursor, path } = position
    if (hunk.hint - 1 < cursor || hunk.hint - 1 > finder.lines.length) {
      throw new ToolError(
        'out_of_range',
        `The hunk at line ${hunk.at} of the patch has no context, and "${path}" has no line ${hunk.hint} after the previous hunk.`,
        'Add lines of context from the file.',
      )
    }
    return { start: hunk.hint - 1, length: 0, line: hunk.hint, stage: 'exact', lines: hunk.lines }
  }
  const start = anchor === undefined || hunk.endOfFile ? finder.lines.length : anchor + 1
  return { start, length: 0, line: start + 1, stage: 'exact', lines: hunk.lines }
}

function withoutBlankEnd(hunk: EnvelopeHunk): EnvelopeHunk | undefined {
  const last = hunk.lines.at(-1)
  if (last?.mark !== ' ' || last.text !== '' || hunk.lines.length === 1) return undefined
  return { ...hunk, lines: hunk.lines.slice(0, -1) }
}

/** Returns the new lines for a match. Added lines get the file's indentation if the match ignored it. */
function hunkLines(file: readonly string[], place: Placed): string[] {
  const there = file.slice(place.start, place.start + place.length)
  const added = place.lines.filter(({ mark }) => mark === '+').map(({ text }) => text)
  const loose = place.stage === 'edge_space' || place.stage === 'look_alikes'
  const old = place.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
  const indent = loose ? indentLike(there, old, added, file) : (line: string) => line
  let at = 0
  return place.lines.flatMap(({ mark, text }) => {
    if (mark === '+') return [indent(text)]
    const own = there[at] ?? ''
    at += 1
    return mark === ' ' ? [own] : []
  })
}

function noMatch(
  finder: BlockFinder,
  old: readonly string[],
  hunk: EnvelopeHunk,
  { path, cursor }: SearchPosition,
  from: number,
): ToolError {
  const earlier = from > 0 ? finder.find(old)?.starts[0] : undefined
  if (earlier !== undefined) {
    const match = `The hunk at line ${hunk.at} of the patch matches line ${earlier + 1} of "${path}"`
    return new ToolError(
      'no_match',
      cursor > earlier
        ? `${match}, which is before the end of the previous hunk.`
        : `${match}, which is before the header of the hunk.`,
      'Put the hunks in file order, each after its own header.',
    )
  }
  const miss = findWhitespaceMismatch(finder.lines.join('\n'), old.join('\n'))
  if (miss) {
    const { message, next } = describeWhitespaceMismatch(miss, `The hunk at line ${hunk.at} of the patch`, {
      path,
      into: 'the hunk',
    })
    return new ToolError('no_match', message, next)
  }
  const places = mostSimilarLines(finder.lines.join('\n'), old.join('\n'))
  const shown = places
    .map(({ line, lines }) =>
      lines
        .slice(0, 8)
        .map((text, index) => numbered(line + index, text))
        .join('\n'),
    )
    .join('\n  …\n')
  const near = places.length === 0 ? 'The file has no similar lines.' : `The most similar lines are:\n${shown}`
  return new ToolError(
    'no_match',
    `The hunk at line ${hunk.at} of the patch was not found in "${path}", neither exactly nor ignoring whitespace at line ends. ${near}`,
    'Read the file and copy its lines into the patch.',
  )
}

function notAtEnd(hunk: EnvelopeHunk, { path }: SearchPosition, starts: readonly number[]): ToolError {
  return new ToolError(
    'no_match',
    `The hunk at line ${hunk.at} of the patch is marked "*** End of File", but matches line ${(starts[0] ?? 0) + 1} of "${path}", not its end.`,
    'Remove the marker, or use the last lines of the file.',
  )
}

function ambiguous(
  finder: BlockFinder,
  hunk: EnvelopeHunk,
  { path }: SearchPosition,
  starts: readonly number[],
): ToolError {
  const shown = starts.slice(0, 10).map((start) => numbered(start + 1, finder.lines[start] ?? ''))
  const more = starts.length > shown.length ? `\n  … and ${starts.length - shown.length} more` : ''
  return new ToolError(
    'ambiguous_match',
    `The hunk at line ${hunk.at} of the patch matches ${plural(starts.length, 'position')} in "${path}":\n${shown.join('\n')}${more}`,
    `Add context lines, or an "@@" header with a line at most ${maxDistance} lines above the change.`,
  )
}

function numbered(line: number, text: string): string {
  return `  ${line}: ${truncate(text, 160)}`
}
