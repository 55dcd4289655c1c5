/** The names closest to `name` by edit distance, best first, at most three, none that is further than a third of its length. */
export function nearest(name: string, candidates: readonly string[]): string[] {
  const wanted = fold(name)
  return candidates
    .map((candidate) => ({ candidate, distance: distance(wanted, fold(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

const fold = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Levenshtein distance, one row at a time. Names longer than 100 characters are compared by their first 100. */
function distance(left: string, right: string): number {
  const a = left.slice(0, 100)
  const b = right.slice(0, 100)
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
