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

// Rules of gitignore(5), as implemented in dir.c and wildmatch.c of git. Paths and rules are byte strings (`latin1`,
// one character per byte), because `?` matches one byte in git.

interface Rule {
  negated: boolean
  /** Whether the rule ends with a slash and matches folders only. */
  directory: boolean
  /**
   * A name pattern matches at any depth. A path pattern, with a slash in the rule, is relative to the folder of the
   * file.
   */
  pattern: NamePattern | PathPattern
}

/** Parsed rules of one file in `.gitignore` format. */
export interface IgnoreFile {
  /**
   * Returns whether the last matching rule ignores (true) or re-includes (false) a path; undefined if no rule matches.
   * The caller checks parent folders.
   * @param names path below the folder of the file, as byte strings
   */
  decides(names: readonly string[], directory: boolean, options?: MatchOptions): boolean | undefined
}

/**
 * Parses the rules of a file. Rules that cannot match anything are dropped.
 * @param content the file as a byte string
 * @param ignoreCase git's `core.ignorecase`
 */
export function readIgnoreFile(content: string, ignoreCase: boolean): IgnoreFile {
  const lines = content.replace(/^\u00ef\u00bb\u00bf/, '').split('\n')
  // The last matching rule decides, so the rules are reversed.
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

/** Removes trailing spaces, except a space escaped with a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') end--
  let backslashes = 0
  while (line[end - 1 - backslashes] === '\\') backslashes++
  // With an odd number of backslashes, the last one escapes the first space.
  return line.slice(0, backslashes % 2 === 1 && end < line.length ? end + 1 : end)
}

/** Encodes a text as UTF-8 in a byte string. */
export function toBytes(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}
