/**
 * How well a symbol's name answers a query: exact, then prefix, then camel-hump (`gWS`, `gws` for `getWorkspaceStructure` and
 * `get_workspace_structure`), then a piece, then letters in order. 0 when it does not.
 */
export function nameScore(name: string, query: string, lowerQuery: string, lower = name.toLowerCase()): number {
  if (name === query) return 1000
  if (!isSubsequence(lower, lowerQuery)) return 0
  if (lower === lowerQuery) return 950
  const extra = Math.min(lower.length - lowerQuery.length, 50)
  if (lower.startsWith(lowerQuery)) return 850 - extra
  if (startsHumps(name, lowerQuery)) return 750 - extra
  const at = lower.indexOf(lowerQuery)
  if (at >= 0) return 650 - Math.min(at, 50) - extra
  // Letters strewn over a long name are an accident and no answer.
  return lowerQuery.length >= 3 && lower.length <= lowerQuery.length * 4 ? 400 - extra * 2 : 0
}

function isSubsequence(text: string, query: string): boolean {
  let at = 0
  for (let index = 0; index < query.length; index++) {
    at = text.indexOf(query.charAt(index), at) + 1
    if (at === 0) return false
  }
  return true
}

/** The words a name is made of, lower case: `XMLHttpRequest2` is xml, http, request2. */
export function humps(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[^A-Z\W_]+/g) ?? []).map((word) => word.toLowerCase())
}

function startsHumps(name: string, query: string): boolean {
  const words = humps(name)
  if (words.length > 12 || query.length > 30 || words[0]?.[0] !== query[0]) return false
  const fits = (word: number, at: number): boolean => {
    if (at === query.length) return true
    for (let index = word; index < words.length; index++) {
      const letters = words[index] ?? ''
      let taken = 0
      while (taken < letters.length && at + taken < query.length && letters[taken] === query[at + taken]) taken++
      for (; taken > 0; taken--) if (fits(index + 1, at + taken)) return true
    }
    return false
  }
  return fits(0, 0)
}
