import type { Search } from '../../search/search.ts'

/** Maximum number of words searched for. The longest words are mostly the rarest. */
const maxWords = 6
/** Maximum number of matching lines per word. Beyond it, some files are missed. */
const maxMatches = 500

/**
 * Returns the files that contain any of some words, those with the most words first. Searches with ripgrep, for an
 * incomplete index.
 * @param maxFiles maximum number of files returned
 */
export async function filesMentioning(
  search: Search,
  words: readonly string[],
  maxFiles: number,
  signal: AbortSignal,
): Promise<string[]> {
  const searchedWords = words.toSorted((a, b) => b.length - a.length).slice(0, maxWords)
  const found = await Promise.all(
    searchedWords.map((pattern) =>
      search.text({ pattern, fixed: true, caseSensitive: false, maxResults: maxMatches, maxText: 1 }, { signal }),
    ),
  )
  const counts = new Map<string, number>()
  for (const { matches } of found) {
    for (const path of new Set(matches.map((match) => match.path))) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, maxFiles)
    .map(([path]) => path)
}
