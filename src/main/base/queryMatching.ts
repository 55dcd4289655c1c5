/**
 * Predicates for fuzzy search. Each search ranks matches its own way: file paths by folders
 * (main/search/pathScore.ts), symbol names by case (main/code/search/nameScore.ts), lists in the window by position,
 * with highlights (renderer/platform/quickPick/fuzzyMatch.ts).
 */

/** Limits of `matchesWordStarts`, which backtracks. Longer input does not match. */
const maxWords = 12
const maxQueryLength = 30

/** Whether the text contains the characters of the query in the same order. Case-sensitive. */
export function isSubsequence(text: string, query: string): boolean {
  let at = -1
  for (let index = 0; index < query.length; index++) {
    at = text.indexOf(query.charAt(index), at + 1)
    if (at < 0) return false
  }
  return true
}

/**
 * Whether the query is a concatenation of word prefixes in order: `gwst` matches get, workspace, structure. Words may
 * be skipped.
 */
export function matchesWordStarts(words: readonly string[], query: string): boolean {
  if (words.length > maxWords || query.length > maxQueryLength) return false
  const matches = (wordIndex: number, queryIndex: number): boolean => {
    if (queryIndex === query.length) return true
    for (let index = wordIndex; index < words.length; index++) {
      const word = words[index] ?? ''
      let length = 0
      while (length < word.length && queryIndex + length < query.length && word[length] === query[queryIndex + length])
        length++
      // Also try shorter prefixes, because the next word may need the letters.
      for (; length > 0; length--) if (matches(index + 1, queryIndex + length)) return true
    }
    return false
  }
  return matches(0, 0)
}
