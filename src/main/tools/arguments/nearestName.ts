import { editDistance } from '../../base/editDistance.ts'

/**
 * Returns up to three names with the smallest edit distance to `name`, best first, at most a third of their length
 * away.
 */
export function nearestNames(name: string, candidates: readonly string[]): string[] {
  const wanted = fold(name)
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted, fold(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Only the first 100 characters of a name are compared. */
const fold = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 100)
