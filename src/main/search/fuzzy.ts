/** What a path is weighed against: lower case, `/` separated, without spaces. */
export function prepareQuery(query: string): string {
  return query
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '')
    .replace(/\s+/g, '')
    .toLowerCase()
}

/**
 * How well a path answers a few typed letters: 0 when they do not occur in it in order. A file's name counts more than its
 * folders; in a name its whole, its beginning, the beginnings of its words (`sTS`, `s-t-s`), a piece, and letters in
 * order count in this order.
 * @param query as `prepareQuery` returns it, not empty
 */
export function fuzzyScore(path: string, query: string): number {
  const lower = path.toLowerCase()
  if (!isSubsequence(lower, query)) return 0
  const nameAt = lower.lastIndexOf('/') + 1
  const name = lower.slice(nameAt)
  if (!query.includes('/')) {
    if (name === query || stem(name) === query) return 1000
    if (name.startsWith(query)) return 900
    if (startsWords(path, nameAt, query)) return 800
    const at = name.indexOf(query)
    if (at >= 0) return 700 - Math.min(at, 50)
    if (isSubsequence(name, query)) return 500 - Math.min(spread(name, query), 200)
  }
  if (lower.endsWith(query)) return 650
  const at = lower.lastIndexOf(query)
  if (at >= 0) return 300 - Math.min(lower.length - at, 100)
  return Math.max(1, 150 - Math.min(spread(lower, query), 149))
}

function stem(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

function isSubsequence(text: string, query: string): boolean {
  let at = -1
  for (let i = 0; i < query.length; i++) {
    at = text.indexOf(query.charAt(i), at + 1)
    if (at < 0) return false
  }
  return true
}

/** How many characters lie between the letters of a query, taken at their first places. */
function spread(text: string, query: string): number {
  const first = text.indexOf(query.charAt(0))
  let at = first
  for (let i = 1; i < query.length; i++) at = text.indexOf(query.charAt(i), at + 1)
  return at - first + 1 - query.length
}

/**
 * Whether the query is made of beginnings of a name's words: `gwst` or `gws` in `getWorkspaceStructure.ts`. A word begins after
 * `-`, `_`, `.` or a space, or with a capital.
 */
function startsWords(path: string, nameAt: number, query: string): boolean {
  const words: string[] = path.slice(nameAt).match(/[A-Z]+(?![a-z])|[A-Z]?[^A-Z\-_. ]+/g) ?? []
  const lower = words.map((word) => word.toLowerCase())
  // From every word the query may take some letters or none; a word's first letters have to fit.
  const fits = (wordIndex: number, queryIndex: number): boolean => {
    if (queryIndex === query.length) return true
    for (let i = wordIndex; i < lower.length; i++) {
      const word = lower[i] ?? ''
      let taken = 0
      while (taken < word.length && word[taken] === query[queryIndex + taken]) taken++
      for (; taken > 0; taken--) if (fits(i + 1, queryIndex + taken)) return true
    }
    return false
  }
  return query.length <= 30 && lower.length <= 12 && fits(0, 0)
}
