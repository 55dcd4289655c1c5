import { foldLookAlikes } from './lookAlikes.ts'

/** How a text was found in a file. Later stages are tried only where the earlier ones found nothing. */
export const matchStages = ['exact', 'trailing_space', 'indentation', 'look_alikes'] as const
export type MatchStage = (typeof matchStages)[number]

/** A stretch of a text; offsets in UTF-16 units, `end` exclusive, lines 1-based and inclusive. */
export interface Place {
  start: number
  end: number
  startLine: number
  endLine: number
}

export interface Found {
  stage: MatchStage
  places: Place[]
  /** There were more places than are worth holding. */
  more: boolean
  /** Whole lines were compared and their indentation was not. */
  indentationIgnored: boolean
}

/** More places than this are as good as countless: the text tells nothing. */
const maxPlaces = 10_000

/**
 * Every place where `wanted` stands in `text`, by the first stage that finds any: exactly; whole lines without their trailing
 * space; whole lines without their indentation; the same three with look-alike quotes, dashes and spaces folded.
 * @returns null when no stage finds it
 */
export function findPlaces(text: string, wanted: string): Found | null {
  const exact = findExact(text, wanted, text)
  if (exact.places.length > 0) return { stage: 'exact', indentationIgnored: false, ...exact }
  // Blank lines alone stand everywhere in a file; only the exact stage may look for them.
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

/** Occurrences may overlap: two overlapping ones are two places. */
function findExact(haystack: string, needle: string, text: string): { places: Place[]; more: boolean } {
  const places: Place[] = []
  let line = 1
  let counted = 0
  for (let start = haystack.indexOf(needle); start !== -1; start = haystack.indexOf(needle, start + 1)) {
    if (places.length === maxPlaces) return { places, more: true }
    line += countNewlines(text, counted, start)
    counted = start
    const end = start + needle.length
    // A match that ends with a line end still ends on that line.
    places.push({ start, end, startLine: line, endLine: line + countNewlines(text, start, end - 1) })
  }
  return { places, more: false }
}

function findLines(
  haystack: string,
  needle: string,
  normalise: (line: string) => string,
): { places: Place[]; more: boolean } {
  const lines = haystack.split('\n')
  const bare = lines.map(normalise)
  const wanted = wholeLines(needle).map(normalise)
  const takesLineEnd = needle.endsWith('\n')
  const places: Place[] = []
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

/** The lines of a text; a final line end closes the last line and does not begin another. */
export function wholeLines(text: string): string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** Not with `indexOf`: it would look beyond `to`, for every match to the end of a file that is one long line. */
function countNewlines(text: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === 10) count += 1
  return count
}
