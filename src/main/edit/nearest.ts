/** A place in a file that resembles a text. */
export interface NearPlace {
  /** 1-based. */
  line: number
  lines: string[]
  /** 0 to 1. */
  similarity: number
}

/** Longer lines and texts are compared by their beginning; longer files are searched to this line. */
const maxLineLength = 400
const maxWantedLines = 80
const maxFileLines = 200_000
const candidates = 24
/** Below this a place has nothing to do with the text. */
const worthShowing = 0.4

/**
 * The places of a file that resemble a text the most, best first, none overlapping another.
 * Runs of lines are ranked by the letter triples they share with the text (one pass over the file); the best are then compared
 * line by line. White space does not count.
 */
export function nearestPlaces(text: string, wanted: string, count = 3): NearPlace[] {
  const wantedLines = trimBlankEnds(wanted.split('\n')).slice(0, maxWantedLines)
  if (wantedLines.length === 0) return []
  const fileLines = text.split('\n', maxFileLines)
  const wantedTriples = wantedLines.map(triples)
  const places = bestWindows(fileLines, wantedTriples)
    .map((start): NearPlace => {
      const lines = fileLines.slice(start, start + wantedLines.length)
      return { line: start + 1, lines, similarity: alike(lines.map(triples), wantedTriples) }
    })
    .filter((place) => place.similarity >= worthShowing)
    .toSorted((a, b) => b.similarity - a.similarity || a.line - b.line)
  const chosen: NearPlace[] = []
  for (const place of places) {
    if (chosen.length < count && chosen.every((other) => Math.abs(other.line - place.line) >= wantedLines.length)) chosen.push(place)
  }
  return chosen
}

/** Line indexes where the runs start that share the most triples, at most `candidates`. */
function bestWindows(fileLines: readonly string[], wanted: readonly string[][]): number[] {
  const wantedSet = new Set(wanted.flat())
  const wantedSize = wanted.flat().length
  const size = wanted.length
  const shared = new Float64Array(fileLines.length + 1)
  const total = new Float64Array(fileLines.length + 1)
  for (const [index, line] of fileLines.entries()) {
    let hits = 0
    const own = triples(line)
    for (const triple of own) if (wantedSet.has(triple)) hits += 1
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

/** Dice's coefficient over the triples of lines at the same place, so that long lines weigh more. */
function alike(lines: readonly string[][], wanted: readonly string[][]): number {
  let both = 0
  let all = 0
  for (const [index, own] of wanted.entries()) {
    const other = lines[index] ?? []
    const left = new Map<string, number>()
    for (const triple of other) left.set(triple, (left.get(triple) ?? 0) + 1)
    for (const triple of own) {
      const available = left.get(triple) ?? 0
      if (available > 0) {
        both += 1
        left.set(triple, available - 1)
      }
    }
    all += own.length + other.length
  }
  return all === 0 ? 0 : (2 * both) / all
}

function triples(line: string): string[] {
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
