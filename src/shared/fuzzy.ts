/**
 * What the rankings of typed letters share. The rankings differ on purpose: file paths weigh folders
 * (main/search/pathScore.ts), symbol names are short and case-sensitive first (main/code/search/nameScore.ts), and lists
 * in the window need the positions to highlight (renderer/platform/fuzzyMatch.ts).
 */

/** Bounds of the backtracking in `matchesWordStarts`. Longer input does not match. */
const maxWords = 12
const maxQueryLength = 30

/** Whether all characters of the query occur in the text in this order. Case matters. */
export function isSubsequence(text: string, query: string): boolean {
  let at = -1
  for (let index = 0; index < query.length; index++) {
    at = text.indexOf(query.charAt(index), at + 1)
    if (at < 0) return false
  }
  return true
}

/** Whether the query consists of prefixes of the words in order: `gwst` matches get, workspace, structure. Words may be skipped. */
export function matchesWordStarts(words: readonly string[], query: string): boolean {
  if (words.length > maxWords || query.length > maxQueryLength) return false
  const matches = (wordIndex: number, queryIndex: number): boolean => {
    if (queryIndex === query.length) return true
    for (let index = wordIndex; index < words.length; index++) {
      const word = words[index] ?? ''
      let length = 0
      while (length < word.length && queryIndex + length < query.length && word[length] === query[queryIndex + length])
        length++
      // The longest prefix may take letters that the next word needs.
      for (; length > 0; length--) if (matches(index + 1, queryIndex + length)) return true
    }
    return false
  }
  return matches(0, 0)
}
