import { isSubsequence, matchesWordStarts } from '../base/queryMatching.ts'

/** Normalizes a query for `pathScore`: lower case, `/` as separator, no spaces, no leading `./`. */
export function preparePathQuery(query: string): string {
  return query
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '')
    .replace(/\s+/g, '')
    .toLowerCase()
}

/**
 * Scores how well a path matches a query; 0 means no match. Matches in the file name rank above matches in folders.
 * Within the name: whole name, prefix, word starts (`sTS`, `s-t-s`), substring, subsequence.
 * @param query returned by `preparePathQuery`, not empty
 */
export function pathScore(path: string, query: string): number {
  const lower = path.toLowerCase()
  if (!isSubsequence(lower, query)) return 0
  const nameAt = lower.lastIndexOf('/') + 1
  const name = lower.slice(nameAt)
  if (!query.includes('/')) {
    if (name === query || withoutExtension(name) === query) return 1000
    if (name.startsWith(query)) return 900
    if (matchesWordStarts(wordsOf(path.slice(nameAt)), query)) return 800
    const at = name.indexOf(query)
    if (at >= 0) return 700 - Math.min(at, 50)
    if (isSubsequence(name, query)) return 500 - Math.min(gapCount(name, query), 200)
  }
  if (lower.endsWith(query)) return 650
  const at = lower.lastIndexOf(query)
  if (at >= 0) return 300 - Math.min(lower.length - at, 100)
  return Math.max(1, 150 - Math.min(gapCount(lower, query), 149))
}

function withoutExtension(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

/**
 * Number of unmatched characters between the first and last matched one. Each query character matches as early as
 * possible.
 */
function gapCount(text: string, query: string): number {
  const first = text.indexOf(query.charAt(0))
  let at = first
  for (let i = 1; i < query.length; i++) at = text.indexOf(query.charAt(i), at + 1)
  return at - first + 1 - query.length
}

/** Lower-case words of a file name. A word starts with a capital or after `-`, `_`, `.` or a space. */
function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[^A-Z\-_. ]+/g) ?? []).map((word) => word.toLowerCase())
}
