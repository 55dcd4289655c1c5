/**
 * Returns up to three names with the smallest edit distance to `name`, best first, at most a third of their length
 * away.
 */
export function nearestNames(name: string, candidates: readonly string[]): string[] {
  const wanted = fold(name)
  return candidates
    .map((candidate) => ({ candidate, distance: distance(wanted, fold(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

const fold = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Levenshtein distance. Only the first 100 characters of a name are compared. */
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
