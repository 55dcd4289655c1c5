import type { Search } from '../../search/search.ts'

/** Words looked for: the longest ones, which are mostly the rarest. */
const mostWords = 6
/** Matching lines of one word; of a word in more lines some files stay unseen. */
const mostLines = 500

/**
 * The files that mention words, those with the most of them first: a direct look with ripgrep while the index is not complete.
 * @param most files to return
 */
export async function filesThatMention(
  search: Search,
  words: readonly string[],
  most: number,
  signal: AbortSignal,
): Promise<string[]> {
  const looked = words.toSorted((a, b) => b.length - a.length).slice(0, mostWords)
  const found = await Promise.all(
    looked.map((pattern) =>
      search.text({ pattern, fixed: true, caseSensitive: false, maxResults: mostLines, maxText: 1 }, { signal }),
    ),
  )
  const counts = new Map<string, number>()
  for (const { matches } of found) {
    for (const path of new Set(matches.map((match) => match.path))) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([path]) => path)
}
