/** A path with an optional position. Line and column are 1-based. */
export interface PathLocation {
  path: string
  line?: number
  column?: number
}

/** A part of a text that may be the path of a file. */
export interface PathInText extends PathLocation {
  /** Index of its first character (0-based), and of the character after it. */
  start: number
  end: number
}

/** Maximum length of a path with its position, in UTF-16 units. */
const maxLength = 500
/** `:line:column`, `:line-line` or `#Lline`. */
const position = String.raw`(?::(\d+)(?:-\d+)?(?::(\d+))?|#L(\d+)(?:-L?\d+)?)?`
const placePattern = new RegExp(`^(.*?)${position}$`, 'u')
/** The second group is the sentence's punctuation. */
const tokenPattern = new RegExp(String.raw`^(.*?${position})[.:!?…]*$`, 'u')
/** `(line,column)` after a path, or `line 12` in words, as in Python tracebacks. */
const after = /^\((\d+),(\d+)\)|^["'`]?,?\s\(?(?:at |on )?lines?\s(\d+)/

/**
 * Pure: parses a path with an optional position.
 * @returns null for a URL, a network share or anything that is not a path
 */
export function parsePathLocation(text: string): PathLocation | null {
  const found = text.length > maxLength ? null : placePattern.exec(text)
  const path = found?.[1] ?? ''
  if (!/\p{L}/u.test(path) || path.includes('://') || /^(?:\/\/|\\\\)/.test(path)) return null
  const [line, column] = [found?.[2] ?? found?.[4], found?.[3]].map(Number)
  return { path, ...(line && { line, ...(column && { column }) }) }
}

/** Pure: finds what looks like a path in a text. @param limit maximum number of paths */
export function pathsInText(text: string, limit = 20): PathInText[] {
  const found: PathInText[] = []
  for (const { 0: token, index } of text.matchAll(/[^\s"'`<>()[\]{}|,;]+/g)) {
    if (found.length >= limit) break
    const exact = token.length > maxLength ? '' : (tokenPattern.exec(token)?.[1] ?? '')
    const place = parsePathLocation(exact)
    if (place === null || !/[./\\]/.test(place.path)) continue
    const end = index + exact.length
    const near = place.line === undefined ? after.exec(text.slice(end, end + 40)) : null
    const [line, column] = [near?.[1] ?? near?.[3], near?.[2]].map(Number)
    found.push({
      ...place,
      ...(line && { line, ...(column && { column }) }),
      start: index,
      end: near?.[1] === undefined ? end : end + near[0].length,
    })
  }
  return found
}
