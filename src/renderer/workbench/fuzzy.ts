export interface FuzzyMatch {
  /** Higher is better. */
  score: number
  /** Indices of the matched characters in the text. */
  positions: number[]
}

const boundary = /[\s/_.\-:\\]/

/** Whether the query's characters occur in order; word starts and runs score. Null when they do not. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | null {
  const needle = query.toLowerCase().replaceAll(' ', '')
  const hay = text.toLowerCase()
  const positions: number[] = []
  let score = 0
  let from = 0
  for (const char of needle) {
    const run = positions.at(-1)
    let at = hay.indexOf(char, from)
    if (at < 0) return null
    if (run !== undefined && at !== run + 1) {
      // A word start later on beats a stray letter now.
      const start = wordStart(hay, char, at)
      if (start >= 0) at = start
    }
    if (run !== undefined && at === run + 1) score += 6
    if (at === 0 || boundary.test(hay[at - 1] ?? '')) score += 5
    score += 1
    positions.push(at)
    from = at + char.length
  }
  return { score: score - text.length * 0.02 - (positions[0] ?? 0) * 0.05, positions }
}

function wordStart(hay: string, char: string, from: number): number {
  for (let at = hay.indexOf(char, from); at >= 0; at = hay.indexOf(char, at + 1)) {
    if (boundary.test(hay[at - 1] ?? ' ')) return at
  }
  return -1
}

/** Items whose text matches, best first; all in their order for an empty query. */
export function fuzzyFilter<T>(query: string, items: readonly T[], textOf: (item: T) => string): { item: T; positions: number[] }[] {
  if (!query.trim()) return items.map((item) => ({ item, positions: [] }))
  return items
    .flatMap((item) => {
      const match = fuzzyMatch(query, textOf(item))
      return match ? [{ item, ...match }] : []
    })
    .toSorted((a, b) => b.score - a.score)
}
