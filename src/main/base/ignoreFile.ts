import {
  lowerAscii,
  matchesName,
  matchesPath,
  readNamePattern,
  readPathPattern,
  type MatchOptions,
  type NamePattern,
  type PathPattern,
} from './wildcard.ts'

// The rules of gitignore(5), as dir.c and wildmatch.c of git apply them. Paths and rules are byte strings (one character a byte,
// `latin1`), because a `?` of git's is one byte.

interface Rule {
  negated: boolean
  /** Only for folders: the rule ends with a slash. */
  directory: boolean
  /** A rule without a slash is for names in any folder below; the others are for paths from the file's folder. */
  pattern: NamePattern | PathPattern
}

/** The rules of one file in the format of `.gitignore`. */
export interface IgnoreFile {
  /**
   * Whether a path is ignored (true) or expressly not (false) by the last rule that matches it; undefined where none does. Folders
   * above the path are the caller's matter.
   * @param names the path below the file's folder, as byte strings
   */
  decides(names: readonly string[], directory: boolean, options?: MatchOptions): boolean | undefined
}

/**
 * Reads the rules of a file. Rules that can match nothing are left out.
 * @param content the file as a byte string
 * @param ignoreCase git's `core.ignorecase`
 */
export function readIgnoreFile(content: string, ignoreCase: boolean): IgnoreFile {
  const lines = content.replace(/^\u00ef\u00bb\u00bf/, '').split('\n')
  // The last rule that matches decides, so they are tried from there.
  const rules = lines.flatMap((line) => readRule(line, ignoreCase) ?? []).toReversed()
  return {
    decides(names, directory, options) {
      const folded = ignoreCase ? names.map(lowerAscii) : names
      const name = folded.at(-1) ?? ''
      const found = rules.find((rule) => {
        if (rule.directory && !directory) return false
        return 'segments' in rule.pattern
          ? matchesPath(rule.pattern, folded, options)
          : matchesName(rule.pattern, name, options)
      })
      return found === undefined ? undefined : !found.negated
    },
  }
}

function readRule(line: string, ignoreCase: boolean): Rule | undefined {
  if (line.startsWith('#')) return undefined
  const [whole = ''] = line.replace(/\r$/, '').split('\0')
  let text = withoutTrailingSpaces(whole)
  const negated = text.startsWith('!')
  if (negated) text = text.slice(1)
  const directory = text.endsWith('/')
  if (directory) text = text.slice(0, -1)
  if (text === '') return undefined
  const anchored = text.includes('/')
  const pattern = anchored
    ? readPathPattern(text.startsWith('/') ? text.slice(1) : text, ignoreCase)
    : readNamePattern(text, ignoreCase)
  return pattern === undefined ? undefined : { negated, directory, pattern }
}

/** Spaces at the end do not count unless a backslash stands before them. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') end--
  let backslashes = 0
  while (line[end - 1 - backslashes] === '\\') backslashes++
  // An odd number: the last one escapes the first space.
  return line.slice(0, backslashes % 2 === 1 && end < line.length ? end + 1 : end)
}

/** A text as the byte string of its UTF-8. */
export function toBytes(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}
