import { isSubsequence, matchesWordStarts } from '../../base/queryMatching.ts'
import { identifierWords } from '../index/words.ts'

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

/** Whether the query matches word starts of the name, including the first word. */
function startsIdentifierWords(name: string, query: string): boolean {
  const words = identifierWords(name)
  return words[0]?.[0] === query[0] && matchesWordStarts(words, query)
}
