import { foldLookAlikes } from './characterForms.ts'

/** How a text was matched. A stage is only tried if the previous ones found nothing. */
export const matchStages = ['exact', 'trailing_space', 'indentation', 'look_alikes'] as const
export type MatchStage = (typeof matchStages)[number]

/** A range of text. Offsets are in UTF-16 units, `end` is exclusive; lines are 1-based and inclusive. */
export interface MatchedRange {
  start: number
  end: number
  startLine: number
  endLine: number
}

/** All matches of a text at the first stage that has any. */
export interface TextMatches {
  stage: MatchStage
  places: MatchedRange[]
  /** Whether there are more matches than `places`. */
  more: boolean
  /** Whether whole lines were compared without their indentation. */
  indentationIgnored: boolean
}

/** Maximum number of matches. A text with more is too unspecific to select one. */
const maxPlaces = 10_000

/**
 * Finds all matches of `wanted` in `text` at the first stage that has any: exact; whole lines without trailing space;
 * whole lines without indentation; the same three with look-alike quotes, dashes and spaces folded.
 * @returns null if no stage matches
 */
export function findMatches(text: string, wanted: string): TextMatches | null {
  const exact = findExact(text, wanted, text)
  if (exact.places.length > 0) return { stage: 'exact', indentationIgnored: false, ...exact }
  // Without this, blank text would match everywhere.
  if (wanted.trim() === '') return null

  for (const folded of [false, true]) {
    const haystack = folded ? foldLookAlikes(text) : text
    const needle = folded ? foldLookAlikes(wanted) : wanted
    if (folded) {
      const same = findExact(haystack, needle, text)
      if (same.places.length > 0) return { stage: 'look_alikes', indentationIgnored: false, ...same }
    }
    const trimmed = findLines(haystack, needle, (line) => line.trimEnd())
    if (trimmed.places.length > 0)
      return { stage: folded ? 'look_alikes' : 'trailing_space', indentationIgnored: false, ...trimmed }
    const bare = findLines(haystack, needle, (line) => line.trim())
    if (bare.places.length > 0)
      return { stage: folded ? 'look_alikes' : 'indentation', indentationIgnored: true, ...bare }
  }
  return null
}

/** Finds exact matches. Overlapping matches count separately. */
function findExact(haystack: string, needle: string, text: string): { places: MatchedRange[]; more: boolean } {
  const places: MatchedRange[] = []
  let line = 1
  let counted = 0
  for (let start = haystack.indexOf(needle); start !== -1; start = haystack.indexOf(needle, start + 1)) {
    if (places.length === maxPlaces) return { places, more: true }
    line += countNewlines(text, counted, start)
    counted = start
    const end = start + needle.length
    // A match that ends with a line ending still ends on that line.
    places.push({ start, end, startLine: line, endLine: line + countNewlines(text, start, end - 1) })
  }
  return { places, more: false }
}

function findLines(
  haystack: string,
  needle: string,
  normalize: (line: string) => string,
): { places: MatchedRange[]; more: boolean } {
  const lines = haystack.split('\n')
  const bare = lines.map(normalize)
  const wanted = wholeLines(needle).map(normalize)
  const takesLineEnd = needle.endsWith('\n')
  const places: MatchedRange[] = []
  let offset = 0
  for (let first = 0; first + wanted.length <= bare.length; first += 1) {
    if (wanted.every((line, index) => bare[first + index] === line)) {
      if (places.length === maxPlaces) return { places, more: true }
      const length = lines.slice(first, first + wanted.length).reduce((sum, line) => sum + line.length + 1, -1)
      const end = offset + length
      places.push({
        start: offset,
        end: takesLineEnd && end < haystack.length ? end + 1 : end,
        startLine: first + 1,
        endLine: first + wanted.length,
      })
    }
    offset += (lines[first]?.length ?? 0) + 1
  }
  return { places, more: false }
}

/** Splits a text into lines. A final line ending does not start another line. */
export function wholeLines(text: string): string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/**
 * Avoids `indexOf`, which would search beyond `to`: in a file with one long line, to the end of the file for each
 * match.
 */
function countNewlines(text: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === 10) count += 1
  return count
}
