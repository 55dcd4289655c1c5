import { readClass } from './characterClass.ts'
import { WildcardAutomaton, type Token } from './wildcardAutomaton.ts'

/**
 * Wildcard patterns over `/` separated paths, matched in at most pattern length × path length steps, whatever the pattern.
 * Patterns come from workspaces and models, so none of them may become a regular expression in the main process.
 */
export interface PathPattern {
  readonly segments: readonly Segment[]
}

/** Any number of whole segments. `atLeast` is 1 for a trailing `**`: `a/**` is what is inside `a` and not `a` itself. */
interface AnySegments {
  readonly kind: 'segments'
  readonly atLeast: 0 | 1
}

/** A pattern for one name. */
export interface NamePattern {
  readonly kind: 'name'
  /** What lies between `head` and `tail`; with `text`, `head` is all there is. */
  readonly middle: 'text' | 'star' | 'other'
  /** Plain text at both ends, which rejects most names at once. */
  readonly head: string
  readonly tail: string
  /** Made when first needed. */
  automaton(): WildcardAutomaton
}
type Segment = AnySegments | NamePattern

export interface MatchOptions {
  /** Wildcards also match a dot at the beginning of a segment. Default true, as in git. */
  dot?: boolean
  /** Counts comparisons, so that tests can bound them. */
  tally?: { steps: number }
}

const star: Token = { kind: 'star' }
const any: Token = { kind: 'any' }

/**
 * Reads a pattern: `*` and `?` within a segment, `**` as a whole segment, classes, and `\` before a literal character. Any
 * other `**` is a `*`. Rules: git's wildmatch.c with WM_PATHNAME.
 * @param ignoreCase ASCII letters match either case; paths must be given in lower case
 * @returns undefined for a pattern that can match nothing: an open class, an unknown class name, a `\` at the end
 */
export function readPathPattern(pattern: string, ignoreCase = false): PathPattern | undefined {
  const segments: Segment[] = []
  let at = 0
  for (;;) {
    const globstar = pattern.startsWith('**', at) ? endOfStars(pattern, at) : -1
    const separator = globstar < 0 ? 0 : separatorAt(pattern, globstar)
    if (globstar >= 0 && (globstar === pattern.length || separator > 0)) {
      // Git skips a `**` only before a plain slash, so `**\/` and a trailing `**` stand for at least one segment.
      segments.push({ kind: 'segments', atLeast: separator === 1 ? 0 : 1 })
      if (globstar === pattern.length) return { segments }
      at = globstar + separator
      continue
    }
    const name = readName(pattern, at, true, ignoreCase)
    if (name === undefined) return undefined
    segments.push(toNamePattern(name.tokens))
    if (name.end === pattern.length) return { segments }
    at = name.end + separatorAt(pattern, name.end)
  }
}

/** Reads a pattern for a single name. @returns undefined for a pattern that can match nothing */
export function readNamePattern(pattern: string, ignoreCase = false): NamePattern | undefined {
  const name = readName(pattern, 0, false, ignoreCase)
  return name === undefined ? undefined : toNamePattern(name.tokens)
}

function toNamePattern(tokens: readonly Token[]): NamePattern {
  const texts = tokens.map((token) => (token.kind === 'text' ? token.text : ''))
  const first = tokens.findIndex((token) => token.kind !== 'text')
  if (first < 0)
    return {
      kind: 'name',
      middle: 'text',
      head: texts.join(''),
      tail: '',
      automaton: () => new WildcardAutomaton(tokens),
    }
  const last = tokens.findLastIndex((token) => token.kind !== 'text')
  let automaton: WildcardAutomaton | undefined
  return {
    kind: 'name',
    middle: first === last && tokens[first]?.kind === 'star' ? 'star' : 'other',
    head: texts.slice(0, first).join(''),
    tail: texts.slice(last + 1).join(''),
    automaton: () => (automaton ??= new WildcardAutomaton(tokens)),
  }
}

function endOfStars(pattern: string, from: number): number {
  let at = from
  while (pattern[at] === '*') at++
  return at
}

/** The length of the separator at a place: 1 for `/`, 2 for `\/`, else 0. */
function separatorAt(pattern: string, at: number): 0 | 1 | 2 {
  if (pattern[at] === '/') return 1
  return pattern[at] === '\\' && pattern[at + 1] === '/' ? 2 : 0
}

function readName(
  pattern: string,
  from: number,
  endsAtSeparator: boolean,
  ignoreCase: boolean,
): { tokens: Token[]; end: number } | undefined {
  const tokens: Token[] = []
  let at = from
  while (at < pattern.length && !(endsAtSeparator && separatorAt(pattern, at) > 0)) {
    const char = characterAt(pattern, at)
    if (char === '*') {
      // Two stars in a row are one: the automaton counts on it.
      tokens.push(star)
      at = endOfStars(pattern, at)
    } else if (char === '?') {
      tokens.push(any)
      at++
    } else if (char === '[') {
      const found = readClass(pattern, at, ignoreCase)
      if (found === undefined) return undefined
      tokens.push({ kind: 'class', has: found.has })
      at = found.end
    } else if (char === '\\') {
      if (at + 1 === pattern.length) return undefined
      // Git compares an escaped character as it is, ignored case or not.
      const escaped = characterAt(pattern, at + 1)
      tokens.push({ kind: 'text', text: escaped })
      at += 1 + escaped.length
    } else {
      tokens.push({ kind: 'text', text: ignoreCase ? lowerAscii(char) : char })
      at += char.length
    }
  }
  return { tokens, end: at }
}

/** The character at an index, a surrogate pair whole. */
function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0)
}

/** A text with its ASCII letters in lower case; git folds no others. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether a pattern matches a whole path, given as its segments. */
export function matchesPath({ segments }: PathPattern, names: readonly string[], options: MatchOptions = {}): boolean {
  const last = segments.at(-1)
  if (last?.kind === 'name' && !hasEnds(last, names.at(-1) ?? '')) return false
  let at = 0
  let next = 0
  /** The last `**` passed and the first name that it has not taken yet. */
  let retry = -1
  let taken = 0
  for (;;) {
    const segment = segments[next]
    if (segment?.kind === 'segments') {
      for (let required = segment.atLeast; required > 0; required--) {
        if (!isTakable(names[at], options)) return false
        at++
      }
      retry = next
      taken = at
      next++
    } else if (at < names.length && segment !== undefined && matchesName(segment, names[at] ?? '', options)) {
      at++
      next++
    } else if (at === names.length && segment === undefined) {
      return true
    } else {
      // Only the last `**` may take more: whatever an earlier one could take, it could have left to this one.
      if (retry < 0 || taken >= names.length || !isTakable(names[taken], options)) return false
      taken++
      at = taken
      next = retry + 1
    }
    if (options.tally) options.tally.steps++
  }
}

function isTakable(name: string | undefined, { dot = true }: MatchOptions): boolean {
  return name !== undefined && (dot || !name.startsWith('.'))
}

function hasEnds({ head, tail }: NamePattern, name: string): boolean {
  return name.startsWith(head) && name.endsWith(tail)
}

/** Whether a pattern matches a whole name. Surrogate pairs are one character. */
export function matchesName(pattern: NamePattern, name: string, { dot = true, tally }: MatchOptions = {}): boolean {
  const { middle, head, tail } = pattern
  if (tally) tally.steps++
  if (!hasEnds(pattern, name) || (!dot && name.startsWith('.') && head === '')) return false
  if (middle === 'text') return name === head
  // Most patterns are of the form `*.log`: the ends decide.
  if (middle === 'star') return name.length >= head.length + tail.length
  return pattern.automaton().accepts(name, tally)
}
