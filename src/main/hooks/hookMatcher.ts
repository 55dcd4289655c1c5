import { matchesName, parseNamePattern, type NamePattern } from '../base/wildcard.ts'

/** Decides whether a hook applies to a name. */
export interface HookMatcher {
  matches(names: readonly string[]): boolean
  /** Whether the pattern is not understood, so that it applies to every name. */
  unclear: boolean
}

const all: HookMatcher = { matches: () => true, unclear: false }

/**
 * Parses a matcher: names joined by `|`, in which `.*`, `.+` and `*` stand for any text, with optional anchors and one
 * pair of parentheses around them. It is not run as a regular expression, because one from a folder can block the
 * process. Any other pattern applies to every name: a hook that checks too much is safer than one that checks too
 * little.
 */
export function parseMatcher(matcher: string): HookMatcher {
  const text = matcher.trim()
  if (text === '' || text === '*' || text === '.*') return all
  const inner = withoutAnchors(text)
  const group = /^\((?:\?:)?([^()]*)\)$/.exec(inner)?.[1]
  const patterns = (group ?? inner).split('|').map((part) => namePattern(withoutAnchors(part.trim())))
  if (patterns.some((pattern) => pattern === undefined)) return { ...all, unclear: true }
  return {
    matches: (names) =>
      names.some((name) => patterns.some((pattern) => pattern !== undefined && matchesName(pattern, name))),
    unclear: false,
  }
}

/** Returns a matcher that applies to a name if one of several does. */
export function anyMatcher(matchers: readonly HookMatcher[]): HookMatcher {
  return {
    matches: (names) => matchers.some((matcher) => matcher.matches(names)),
    unclear: matchers.some(({ unclear }) => unclear),
  }
}

const withoutAnchors = (text: string): string => text.replace(/^\^/, '').replace(/\$$/, '')

/** Returns undefined for a pattern with other operators. */
function namePattern(text: string): NamePattern | undefined {
  const wildcard = text.replaceAll('.*', '*').replaceAll('.+', '?*')
  return /^[\w:*?-]+$/.test(wildcard) ? parseNamePattern(wildcard) : undefined
}
