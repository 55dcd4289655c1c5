import { isSubsequence, matchesWordStarts } from '../../base/queryMatching.ts'

/**
 * Scores how well a name matches a query: exact, prefix, word starts (`gWS`, `gws` for `getWorkspaceStructure` and
 * `get_workspace_structure`), substring, subsequence. Returns 0 without a match.
 */
export function nameScore(name: string, query: string, lowerQuery: string, lower = name.toLowerCase()): number {
  if (name === query) return 1000
  if (!isSubsequence(lower, lowerQuery)) return 0
  if (lower === lowerQuery) return 950
  const extra = Math.min(lower.length - lowerQuery.length, 50)
  if (lower.startsWith(lowerQuery)) return 850 - extra
  if (startsIdentifierWords(name, lowerQuery)) return 750 - extra
  const at = lower.indexOf(lowerQuery)
  if (at >= 0) return 650 - Math.min(at, 50) - extra
  // Letters scattered over a long name match by coincidence.
  return lowerQuery.length >= 3 && lower.length <= lowerQuery.length * 4 ? 400 - extra * 2 : 0
}

/** Splits an identifier into lower-case words: `XMLHttpRequest2` into xml, http, request2. */
export function identifierWords(name: string): string[] {
  const words: string[] = []
  for (let at = 0; at < name.length;) {
    let end = at
    while (isUpper(name.charCodeAt(end))) end++
    // The last capital begins the next word.
    if (end > at + 1 && isLower(name.charCodeAt(end))) end--
    else if (end - at < 2 && (end === at || isLower(name.charCodeAt(end))))
      while (isLower(name.charCodeAt(end)) || isDigit(name.charCodeAt(end))) end++
    if (end > at) words.push(name.slice(at, end).toLowerCase())
    at = Math.max(end, at + 1)
  }
  return words
}

// No regular expression, because every name and every word of an indexed text is split.
const isUpper = (unit: number): boolean => unit >= 65 && unit <= 90
const isLower = (unit: number): boolean => unit >= 97 && unit <= 122
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57

/** Whether the query matches word starts of the name, including the first word. */
function startsIdentifierWords(name: string, query: string): boolean {
  const words = identifierWords(name)
  return words[0]?.[0] === query[0] && matchesWordStarts(words, query)
}
