import {
  lowerAscii,
  matchesName,
  matchesPath,
  parseNamePattern,
  parsePathPattern,
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
   * A name pattern matches at any depth. A path pattern (the rule contains a slash) is relative to the file's folder.
   */
  pattern: NamePattern | PathPattern
  /** Characters of the pattern. */
  length: number
}

/** Parsed rules of a file in `.gitignore` format. */
export interface IgnoreFile {
  /**
   * Returns whether the last matching rule ignores (true) or re-includes (false) a path; undefined if no rule
   * matches. The caller checks parent folders.
   * @param names path relative to the file's folder, as byte strings
   */
  decides(names: readonly string[], directory: boolean, options?: MatchOptions): boolean | undefined
}

/**
 * Maximum number of rules with wildcards, and of their characters. Each rule is compared with each name, on the main
 * thread. Beyond it the first ones are dropped, because later rules take precedence.
 */
const maxWildcardRules = 2000
const maxWildcardCharacters = 64 * 1024

/** Index of the last rule without wildcards for each name or path. */
interface LiteralRules {
  names: Map<string, number>
  paths: Map<string, number>
}

/**
 * Parses the rules of a file. Rules that cannot match anything are dropped.
 * @param content the file as a byte string
 * @param ignoreCase git's `core.ignorecase`
 */
export function parseIgnoreFile(content: string, ignoreCase: boolean): IgnoreFile {
  const lines = content.replace(/^\u00ef\u00bb\u00bf/, '').split('\n')
  const rules = lines.flatMap((line) => readRule(line, ignoreCase) ?? [])
  const any: LiteralRules = { names: new Map(), paths: new Map() }
  const directories: LiteralRules = { names: new Map(), paths: new Map() }
  const wildcards: number[] = []
  for (const [at, rule] of rules.entries()) {
    const literal = literalText(rule.pattern)
    const literals = rule.directory ? directories : any
    if (literal === undefined) wildcards.push(at)
    else literals['segments' in rule.pattern ? 'paths' : 'names'].set(literal, at)
  }
  let room = maxWildcardCharacters
  // Reversed, because the last matching rule decides.
  const compared = wildcards
    .slice(-maxWildcardRules)
    .toReversed()
    .filter((at) => (room -= rules[at]?.length ?? 0) >= 0)

  /** Returns the index of the last matching rule without wildcards; -1 if there is none. */
  function lastLiteral(names: readonly string[], directory: boolean): number {
    const name = names.at(-1) ?? ''
    let last = -1
    for (const { names: byName, paths } of directory ? [any, directories] : [any]) {
      last = Math.max(last, byName.get(name) ?? -1)
      if (paths.size > 0) last = Math.max(last, paths.get(names.join('/')) ?? -1)
    }
    return last
  }

  return {
    decides(names, directory, options) {
      const folded = ignoreCase ? names.map(lowerAscii) : names
      const name = folded.at(-1) ?? ''
      const literal = lastLiteral(folded, directory)
      const found = compared.find((at) => {
        if (at < literal) return true
        const rule = rules[at]
        if (rule === undefined || (rule.directory && !directory)) return false
        return 'segments' in rule.pattern
          ? matchesPath(rule.pattern, folded, options)
          : matchesName(rule.pattern, name, options)
      })
      const decisive = rules[Math.max(literal, found ?? -1)]
      return decisive === undefined ? undefined : !decisive.negated
    },
  }
}

/** Returns the only name or path that a pattern matches; undefined if it has wildcards. */
function literalText(pattern: NamePattern | PathPattern): string | undefined {
  const segments = 'segments' in pattern ? pattern.segments : [pattern]
  const texts = segments.flatMap((segment) =>
    segment.kind === 'name' && segment.middle === 'text' ? [segment.head] : [],
  )
  return texts.length === segments.length ? texts.join('/') : undefined
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
    ? parsePathPattern(text.startsWith('/') ? text.slice(1) : text, ignoreCase)
    : parseNamePattern(text, ignoreCase)
  return pattern === undefined ? undefined : { negated, directory, pattern, length: text.length }
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

/** Encodes text as UTF-8 in a byte string. */
export function toByteString(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}
