import type { Search } from '../../search/search.ts'

/** Words looked for: the longest ones, which are mostly the rarest. */
const maxWords = 6
/** Matching lines of one word; of a word in more lines some files stay unseen. */
const maxMatches = 500

/**
 * The files that mention words, those with the most of them first: a direct look with ripgrep while the index is not complete.
 * @param maxFiles files to return
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
