import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EntryChange } from './callChanges.ts'

/** Minimum share of common content for a deleted and a created file to count as a rename, as in git-diff(1). */
const minSimilarity = 0.5
/** Maximum bytes of compared files. */
const maxSize = 1024 * 1024
/** Maximum number of deleted files to compare, and of created ones. */
const maxFiles = 50

interface Candidate {
  path: string
  size: number
  /** Number of bytes in each distinct line. */
  lines: ReadonlyMap<string, number>
}

/**
 * Finds deleted files that were recreated at another path with similar text. Chooses the most similar ones first.
 * @param textOf returns the text of a file before or after the change; null if it is not text
 * @returns the old path by new path
 */
export async function findSimilarRenames(
  changes: readonly EntryChange[],
  textOf: (change: EntryChange, which: 'before' | 'after') => Promise<string | null>,
): Promise<Map<string, string>> {
  const isSmall = (entry: EntryChange['before']) => entry?.kind === 'file' && entry.size > 0 && entry.size <= maxSize
  const deleted = changes.filter(({ before, after }) => !after && isSmall(before))
  const created = changes.filter(({ before, after }) => !before && isSmall(after))
  const renames = new Map<string, string>()
  if (deleted.length === 0 || created.length === 0 || deleted.length > maxFiles || created.length > maxFiles)
    return renames
  const read = async (all: readonly EntryChange[], which: 'before' | 'after') => {
    const candidates: Candidate[] = []
    for (const change of all) {
      const text = await textOf(change, which)
      if (text !== null) candidates.push(candidateOf(change.path, text))
      await nextTurn()
    }
    return candidates
  }
  const [from, to] = [await read(deleted, 'before'), await read(created, 'after')]
  const pairs = from.flatMap((old) =>
    to
      .map((now) => ({ from: old.path, to: now.path, score: similarity(old, now) }))
      .filter(({ score }) => score >= minSimilarity),
  )
  const used = new Set<string>()
  for (const pair of pairs.toSorted((a, b) => b.score - a.score || sameName(b) - sameName(a))) {
    if (used.has(pair.from) || renames.has(pair.to)) continue
    used.add(pair.from)
    renames.set(pair.to, pair.from)
  }
  return renames
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const sameName = ({ from, to }: { from: string; to: string }) => (nameOf(from) === nameOf(to) ? 1 : 0)

function candidateOf(path: string, text: string): Candidate {
  const lines = new Map<string, number>()
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) lines.set(line, (lines.get(line) ?? 0) + line.length)
  return { path, size: text.length, lines }
}

/** Share of the larger text that both have in common. */
function similarity(one: Candidate, other: Candidate): number {
  const larger = Math.max(one.size, other.size)
  if (larger === 0 || Math.min(one.size, other.size) < larger * minSimilarity) return 0
  let common = 0
  for (const [line, bytes] of one.lines) common += Math.min(bytes, other.lines.get(line) ?? 0)
  return common / larger
}
