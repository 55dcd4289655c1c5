import { lineHunks } from '../../shared/diff/lineHunks.ts'
import { ToolError } from '../../shared/errors.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { findMatches, type TextMatches, type MatchStage, type MatchedRange, wholeLines } from './tolerantMatching.ts'
import { indentLike } from './indentation.ts'
import { foldLookAlikes, inFormOf } from './characterForms.ts'
import { findSimilarLines } from './similarLines.ts'
import { describeWhitespaceMismatch, findWhitespaceMismatch } from './whitespaceFailureHint.ts'
import { truncate } from '../../shared/text/truncate.ts'

/** A line of the old text and the matching line of the file. */
interface Pair {
  old: string
  file: string
}

/**
 * Returns the replacement for a match. Lines that the edit does not change stay byte for byte as in the file. New lines
 * get the file's indentation if the match ignored it, and the file's typography if the old text differed only in that.
 * @param old the matched text
 * @param now the new text
 */
function replacementFor(text: string, place: MatchedRange, found: TextMatches, old: string, now: string): string {
  if (found.stage === 'exact') return now
  if (now === '') return ''
  const matched = text.slice(place.start, place.end)
  const file = wholeLines(matched)
  const oldLines = wholeLines(old)
  const newLines = wholeLines(now)
  const indent = found.indentationIgnored
    ? indentLike(file, oldLines, newLines, text.split('\n'))
    : (line: string) => line
  const adapt = (line: string, pair?: Pair) =>
    indent(found.stage === 'look_alikes' && pair ? keepTypography(line, pair) : line)
  const lines = replaceLines(file, oldLines, newLines, adapt)
  // If the old text has a final line ending but matched at the end of a file without one, the file stays without.
  const endsLine = now.endsWith('\n') && (matched.endsWith('\n') || !old.endsWith('\n'))
  return lines.join('\n') + (endsLine ? '\n' : '')
}

function replaceLines(
  file: readonly string[],
  old: readonly string[],
  now: readonly string[],
  adapt: (line: string, pair?: Pair) => string,
): string[] {
  // Collected in arrays, because `push` fails with too many arguments.
  const result: string[][] = []
  let at = 0
  for (const { original, modified } of lineHunks(old, now)) {
    const start = original.start - 1
    const removed = old.slice(start, start + original.count)
    const added = now.slice(modified.start - 1, modified.start - 1 + modified.count)
    const pairs = removed.map((line, index): Pair => ({ old: line, file: file[start + index] ?? line }))
    result.push(file.slice(at, start))
    result.push(added.map((line, index) => adapt(line, removed.length === added.length ? pairs[index] : undefined)))
    at = start + original.count
  }
  result.push(file.slice(at, old.length))
  return result.flat()
}

/** Keeps the file's quotes, dashes and spaces at the start and end that a new line shares with the old one. */
function keepTypography(line: string, pair: Pair): string {
  const old = pair.old.trim()
  const file = pair.file.trim()
  if (old.length !== file.length || foldLookAlikes(old) !== foldLookAlikes(file)) return line
  const content = line.trim()
  const at = line.length - line.trimStart().length
  let head = 0
  while (head < Math.min(old.length, content.length) && old[head] === content[head]) head += 1
  let tail = 0
  while (tail < Math.min(old.length, content.length) - head && old.at(-1 - tail) === content.at(-1 - tail)) tail += 1
  const kept = file.slice(0, head) + content.slice(head, content.length - tail) + file.slice(file.length - tail)
  return line.slice(0, at) + kept + line.slice(at + content.length)
}

/** One search-and-replace edit. */
export interface Edit {
  oldText: string
  newText: string
  /** Lines of the old text, 1-based and inclusive, that select one of several matches. */
  startLine?: number
  endLine?: number
}

/** Range and replacement of an edit. */
export interface Placement extends MatchedRange {
  stage: MatchStage
  replacement: string
}

/** Parameter names of a tool, for errors. */
export interface ParameterNames {
  oldText: string
  newText: string
  /** Hint about another way to select one of several matches, if the tool has one. */
  alternative?: string
}
const defaultNames: ParameterNames = { oldText: 'old_text', newText: 'new_text' }

const maxPlacesShown = 20
const maxLinesShown = 12
const maxLineShown = 160
/** Maximum UTF-16 units of a text in which similar lines are searched, which is slow in longer texts. */
const maxNearestLength = 5_000_000

/**
 * Finds the only range that matches an edit. The edit may have `\r\n` line endings; `text` has `\n`.
 * @throws ToolError invalid_arguments (empty old text, lines in reverse order), no_change, no_match with the most
 * similar lines, ambiguous_match with all matches
 */
export function locateEdit(text: string, edit: Edit, names: ParameterNames = defaultNames): Placement {
  const [old = '', now = ''] = inFormOf(
    text,
    [edit.oldText, edit.newText].map((given) => given.replaceAll('\r\n', '\n')),
  )
  if (old === '') {
    throw new ToolError(
      'invalid_arguments',
      `${names.oldText} is empty, so there is nothing to find.`,
      `Put the text to replace into ${names.oldText}. To replace a whole file, write it; ` +
        'to insert text, repeat an adjacent line in both texts.',
    )
  }
  if (edit.startLine !== undefined && edit.endLine !== undefined && edit.startLine > edit.endLine) {
    throw new ToolError(
      'invalid_arguments',
      `start_line ${edit.startLine} is after end_line ${edit.endLine}.`,
      'Pass the first line as start_line, or omit both.',
    )
  }
  if (old === now) {
    const identical = edit.oldText === edit.newText
    throw new ToolError(
      'no_change',
      identical
        ? `${names.oldText} and ${names.newText} are identical, so the file would not change.`
        : `${names.oldText} and ${names.newText} differ only in their line endings. An edit keeps the line endings of the file, so it would not change.`,
      identical ? `Put the replacement into ${names.newText}.` : 'Convert line endings with a command.',
    )
  }
  const found = findMatches(text, old)
  if (!found) throw noMatch(text, edit, old, now, names)
  const place = choosePlace(found, edit) ?? fail(ambiguous(text, found, edit, names))
  const replacement = replacementFor(text, place, found, old, now)
  if (replacement === text.slice(place.start, place.end)) {
    throw new ToolError(
      'no_change',
      `Line ${place.startLine} already has the content of ${names.newText}; the two texts differ only in whitespace or typography.`,
      'Read the file again: it may already contain the change.',
    )
  }
  return { ...place, stage: found.stage, replacement }
}

/** Applies placements that do not overlap. The rest of the text is unchanged. */
export function applyPlacements(text: string, placements: readonly Placement[]): string {
  const parts: string[] = []
  let at = 0
  for (const placement of placements.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, placement.start), placement.replacement)
    at = placement.end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Describes how loosely a text was matched, for a tool's result. */
export function describeMatchStage(stage: MatchStage): string {
  const words: Record<MatchStage, string> = {
    exact: 'exact match',
    trailing_space: 'matched ignoring trailing space',
    indentation: 'matched ignoring indentation, re-indented like the file',
    look_alikes: 'matched with look-alike quotes, dashes or spaces',
  }
  return words[stage]
}

/** Line numbers written by models are often a few lines off. Larger differences mean a different match. */
const hintTolerance = 5

/**
 * Returns the only match, or the one selected by the line numbers: the only one inside them, or the only one at most 5
 * lines outside.
 */
function choosePlace(found: TextMatches, edit: Edit): MatchedRange | undefined {
  const [only, ...others] = found.places
  if (others.length === 0) return only
  if (found.more || (edit.startLine === undefined && edit.endLine === undefined)) return undefined
  const inside = found.places.filter((place) => distance(place, edit) === 0)
  const selected = inside.length > 0 ? inside : found.places.filter((place) => distance(place, edit) <= hintTolerance)
  return selected.length === 1 ? selected[0] : undefined
}

/**
 * Returns by how many lines a match is outside the edit's line numbers. A single line number means a range as long as
 * the match.
 */
function distance(place: MatchedRange, edit: Edit): number {
  const length = place.endLine - place.startLine
  const start = edit.startLine ?? (edit.endLine ?? 0) - length
  const end = edit.endLine ?? start + length
  return Math.max(0, start - place.startLine, place.endLine - end)
}

function ambiguous(text: string, found: TextMatches, edit: Edit, names: ParameterNames): ToolError {
  const lines = text.split('\n')
  const shown = found.places
    .slice(0, maxPlacesShown)
    .map((place) => numbered(place.startLine, lines[place.startLine - 1] ?? ''))
  const rest = found.places.length - shown.length
  if (found.more) shown.push('  … and more than 10,000 others')
  else if (rest > 0) shown.push(`  … and ${formatNumber(rest)} more`)
  const count = found.more ? 'more than 10,000' : formatNumber(found.places.length)
  const hinted =
    edit.startLine !== undefined || edit.endLine !== undefined ? ' The line numbers do not select one match.' : ''
  return new ToolError(
    'ambiguous_match',
    `${names.oldText} was found ${count} times (${describeMatchStage(found.stage)}).${hinted} Edit not applied. Matches start at:\n${shown.join('\n')}`,
    `Add surrounding lines to ${names.oldText} until it is unique${names.alternative === undefined ? '' : `, or ${names.alternative}`}.`,
  )
}

function noMatch(text: string, edit: Edit, old: string, now: string, names: ParameterNames): ToolError {
  const miss = findWhitespaceMismatch(text, old)
  if (miss) {
    const { message, next } = describeWhitespaceMismatch(miss, names.oldText)
    return new ToolError('no_match', message, next)
  }
  const nearest =
    text.length > maxNearestLength ? undefined : findSimilarLines(text, old, edit.startLine ?? edit.endLine)
  const places = nearest?.places ?? []
  const best = places[0]
  const parts = [
    `${names.oldText} was not found, neither exactly nor ignoring whitespace at line ends. Edit not applied.`,
  ]
  const existing = now.trim() === '' ? -1 : text.indexOf(now)
  if (existing !== -1) {
    parts.push(
      `Line ${text.slice(0, existing).split('\n').length} already contains ${names.newText}: the edit may already be applied.`,
    )
  }
  if (text === '') parts.push('The file is empty.')
  else if (!nearest) parts.push('The file is over 5 MB, so similar lines were not searched.')
  else if (!best)
    parts.push(
      nearest.compared
        ? `No line from ${lineSpan(nearest.compared)} is similar. Other lines were not compared.`
        : 'The file has no similar lines.',
    )
  else
    parts.push(
      nearest.compared
        ? `The most similar lines from ${lineSpan(nearest.compared)} are:`
        : 'The most similar lines are:',
      ...places.map((place) => showPlace(place.line, place.lines, place.similarity)),
    )
  return new ToolError('no_match', parts.join('\n'), nextAfterNoMatch(old, best?.line, names))
}

function lineSpan({ first, last }: { first: number; last: number }): string {
  return `${formatNumber(first)} to ${formatNumber(last)}`
}

function nextAfterNoMatch(old: string, line: number | undefined, names: ParameterNames): string {
  if (/^\s*\d+\s*[:|\t]/.test(old)) {
    return `Remove the line numbers that a read adds to each line, and copy only the text into ${names.oldText}.`
  }
  return line === undefined
    ? 'Check that this is the right file: search for the text, then read the file.'
    : `Read the file around line ${line} and copy the text from there into ${names.oldText}.`
}

function showPlace(line: number, lines: readonly string[], similarity: number): string {
  const shown = lines.slice(0, maxLinesShown).map((text, index) => numbered(line + index, text))
  const rest = lines.length - shown.length
  return [
    `Line ${line} (${Math.round(similarity * 100)} % similar):`,
    ...shown,
    ...(rest > 0 ? [`  … ${plural(rest, 'more line')}`] : []),
  ].join('\n')
}

function numbered(line: number, text: string): string {
  return `  ${line}: ${truncate(text, maxLineShown)}`
}

function fail(error: ToolError): never {
  throw error
}
