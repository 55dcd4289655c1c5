export interface FuzzyMatch {
  /** Higher is better. */
  score: number
  /** Indices of the matched characters in the text. */
  positions: number[]
}

const boundary = /[\s/_.\-:\\]/

/**
 * Scores a text for a query whose characters must occur in order. Whole words, word starts and consecutive characters
 * score higher.
 * @returns null if the text does not match
 */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | null {
  const words = query.toLowerCase().split(' ').filter(Boolean)
  const hay = text.toLowerCase()
  const positions = matchWords(words, hay, true) ?? matchWords(words, hay, false)
  if (!positions) return null
  let score = 0
  for (const [index, at] of positions.entries()) {
    score += 1
    if (index > 0 && at === (positions[index - 1] ?? 0) + 1) score += 6
    if (at === 0 || boundary.test(hay[at - 1] ?? '')) score += 5
  }
  return { score: score - text.length * 0.02 - (positions[0] ?? 0) * 0.05, positions }
}

/** Finds the positions of the query's characters. @param whole prefer a contiguous occurrence of each word */
function matchWords(words: readonly string[], hay: string, whole: boolean): number[] | null {
  const positions: number[] = []
  for (const word of words) {
    const from = (positions.at(-1) ?? -1) + 1
    const start = whole ? wordStart(hay, word, from) : -1
    const at = start < 0 && whole ? hay.indexOf(word, from) : start
    const found = at < 0 ? matchLetters(word, hay, positions) : Array.from(word, (_char, index) => at + index)
    if (!found) return null
    positions.push(...found)
  }
  return positions
}

function matchLetters(word: string, hay: string, before: readonly number[]): number[] | null {
  const found: number[] = []
  for (const char of word) {
    const last = found.at(-1) ?? before.at(-1)
    let at = hay.indexOf(char, (last ?? -1) + 1)
    if (at < 0) return null
    if (last !== undefined && at !== last + 1) {
      // A later word start scores better than this letter.
      const start = wordStart(hay, char, at)
      if (start >= 0) at = start
    }
    found.push(at)
  }
  return found
}

/** Returns the index of the first word that starts with `prefix`; -1 if there is none. */
function wordStart(hay: string, prefix: string, from: number): number {
  for (let at = hay.indexOf(prefix, from); at >= 0; at = hay.indexOf(prefix, at + 1)) {
    if (boundary.test(hay[at - 1] ?? ' ')) return at
  }
  return -1
}
