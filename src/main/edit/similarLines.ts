/** Lines of a file that are similar to a text. */
export interface SimilarLines {
  /** 1-based. */
  line: number
  lines: string[]
  /** 0 to 1. */
  similarity: number
}

/** Only the start of longer lines and texts is compared. */
const maxLineLength = 400
const maxWantedLines = 80
/**
 * Limits for large files, so that a failed edit does not block the process. Only the first `maxLineLength` characters
 * of a line count.
 */
const maxComparedLines = 20_000
const maxComparedLength = 400_000
/**
 * In a large file, only the lines around the rarest of the longest words are compared. These limit the number of words
 * tried, and how often a word may occur.
 */
const maxWordsTried = 16
const maxHitsCounted = 50
const candidates = 24
/** Less similar lines do not help. */
const minSimilarity = 0.4

/** Result of a search for similar lines. */
export interface SimilarLinesResult {
  /** Best first, without overlaps. */
  places: SimilarLines[]
  /** The compared lines, 1-based and inclusive, if not the whole file. */
  compared?: { first: number; last: number }
}

/**
 * Finds the ranges of a file that are most similar to a text. Ranks runs of lines in one pass by the trigrams they
 * share with the text, then compares the best line by line. Ignores whitespace. In a large file only compares lines
 * around `line`, otherwise around the rarest word, or at the start.
 */
export function findSimilarLines(text: string, wanted: string, line?: number, count = 3): SimilarLinesResult {
  const wantedLines = trimBlankEnds(wanted.split('\n')).slice(0, maxWantedLines)
  if (wantedLines.length === 0) return { places: [] }
  const allLines = text.split('\n')
  const span = comparedSpan(allLines, line === undefined ? likelyLine(text, wantedLines) : line - 1)
  const fileLines = allLines.slice(span.start, span.end)
  const wantedTriples = wantedLines.map(trigrams)
  const places = bestWindows(fileLines, wantedTriples)
    .map((start): SimilarLines => {
      const lines = fileLines.slice(start, start + wantedLines.length)
      return { line: span.start + start + 1, lines, similarity: similarityOf(lines.map(trigrams), wantedTriples) }
    })
    .filter((place) => place.similarity >= minSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity || a.line - b.line)
  const chosen: SimilarLines[] = []
  for (const place of places) {
    if (chosen.length < count && chosen.every((other) => Math.abs(other.line - place.line) >= wantedLines.length))
      chosen.push(place)
  }
  return fileLines.length === allLines.length
    ? { places: chosen }
    : { places: chosen, compared: { first: span.start + 1, last: span.end } }
}

/** Like `findSimilarLines`, without a line hint. Returns only the ranges. */
export function mostSimilarLines(text: string, wanted: string, count = 3): SimilarLines[] {
  return findSimilarLines(text, wanted, undefined, count).places
}

/** Returns the index of the most likely line: the first with the rarest word of the text, or 0. */
function likelyLine(text: string, wantedLines: readonly string[]): number {
  const words = new Set(
    wantedLines
      .join(' ')
      .split(/\s+/)
      .filter((word) => word.length > 3),
  )
  let likely = { at: 0, hits: maxHitsCounted }
  for (const word of [...words].toSorted((a, b) => b.length - a.length).slice(0, maxWordsTried)) {
    let hits = 0
    for (let at = text.indexOf(word); at !== -1 && hits < likely.hits; at = text.indexOf(word, at + word.length))
      hits += 1
    if (hits > 0 && hits < likely.hits) likely = { at: text.indexOf(word), hits }
  }
  return text.slice(0, likely.at).split('\n').length - 1
}

/** Returns the lines to compare around a line. `end` is exclusive. */
function comparedSpan(lines: readonly string[], around: number): { start: number; end: number } {
  let start = Math.min(Math.max(0, around), lines.length)
  let end = start
  let remaining = maxComparedLength
  while (remaining > 0 && end - start < maxComparedLines && (start > 0 || end < lines.length)) {
    if (end < lines.length) remaining -= Math.min(lines[end++]?.length ?? 0, maxLineLength)
    if (start > 0) remaining -= Math.min(lines[--start]?.length ?? 0, maxLineLength)
  }
  return { start, end }
}

/** Returns the start indexes of the runs that share the most trigrams, at most `candidates`. */
function bestWindows(fileLines: readonly string[], wanted: readonly string[][]): number[] {
  const wantedSet = new Set(wanted.flat())
  const wantedSize = wanted.flat().length
  const size = wanted.length
  const shared = new Float64Array(fileLines.length + 1)
  const total = new Float64Array(fileLines.length + 1)
  for (const [index, line] of fileLines.entries()) {
    let hits = 0
    const own = trigrams(line)
    for (const trigram of own) if (wantedSet.has(trigram)) hits += 1
    shared[index + 1] = (shared[index] ?? 0) + hits
    total[index + 1] = (total[index] ?? 0) + own.length
  }
  const best: { start: number; score: number }[] = []
  for (let start = 0; start <= Math.max(0, fileLines.length - size); start += 1) {
    const end = Math.min(start + size, fileLines.length)
    const hits = (shared[end] ?? 0) - (shared[start] ?? 0)
    const score = (2 * hits) / (wantedSize + (total[end] ?? 0) - (total[start] ?? 0))
    if (hits === 0 || (best.length === candidates && score <= (best.at(-1)?.score ?? 0))) continue
    const at = best.findIndex((other) => score > other.score)
    best.splice(at === -1 ? best.length : at, 0, { start, score })
    if (best.length > candidates) best.pop()
  }
  return best.map((window) => window.start)
}

/** Returns the Dice coefficient over the trigrams of corresponding lines, so that long lines weigh more. */
function similarityOf(lines: readonly string[][], wanted: readonly string[][]): number {
  let both = 0
  let all = 0
  for (const [index, own] of wanted.entries()) {
    const other = lines[index] ?? []
    const left = new Map<string, number>()
    for (const trigram of other) left.set(trigram, (left.get(trigram) ?? 0) + 1)
    for (const trigram of own) {
      const available = left.get(trigram) ?? 0
      if (available > 0) {
        both += 1
        left.set(trigram, available - 1)
      }
    }
    all += own.length + other.length
  }
  return all === 0 ? 0 : (2 * both) / all
}

/** Returns the trigrams of a line, ignoring whitespace and case. */
function trigrams(line: string): string[] {
  const content = ` ${line.slice(0, maxLineLength).trim().replace(/\s+/g, ' ').toLowerCase()} `
  if (content.length < 3) return []
  const found: string[] = []
  for (let at = 0; at + 3 <= content.length; at += 1) found.push(content.slice(at, at + 3))
  return found
}

function trimBlankEnds(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  if (first === -1) return []
  return lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1)
}
