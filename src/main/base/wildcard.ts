import { parseCharacterClass } from './characterClass.ts'
import { WildcardAutomaton, type Token } from './wildcardAutomaton.ts'

/**
 * Wildcard patterns for paths with `/` separators, matched in at most pattern length × path length steps. Patterns come
 * from workspaces and models, so they are not converted to regular expressions, which could block the main process.
 */
export interface PathPattern {
  readonly segments: readonly Segment[]
}

/** Any number of whole segments. `atLeast` is 1 for a trailing `**`: `a/**` matches everything in `a`, but not `a`. */
interface AnySegments {
  readonly kind: 'segments'
  readonly atLeast: 0 | 1
}

/** Pattern for one name. */
export interface NamePattern {
  readonly kind: 'name'
  /** What is between `head` and `tail`. For `text`, `head` is the whole pattern. */
  readonly middle: 'text' | 'star' | 'other'
  /** Literal start and end, which quickly reject most names. */
  readonly head: string
  readonly tail: string
  /** Created on first use. */
  automaton(): WildcardAutomaton
}
type Segment = AnySegments | NamePattern

export interface MatchOptions {
  /** Whether wildcards match a leading dot of a segment. Default true, as in git. */
  dot?: boolean
  /** Counts comparisons for tests. */
  tally?: { steps: number }
}

const star: Token = { kind: 'star' }
const any: Token = { kind: 'any' }

/**
 * Parses a pattern: `*` and `?` within a segment, `**` as a whole segment, classes, and `\` before a literal
 * character. Any other `**` means `*`. Rules: git's wildmatch.c with WM_PATHNAME.
 * @param ignoreCase ASCII letters match both cases; paths must be lower case
 * @returns undefined for a pattern that matches nothing: an unclosed class, an unknown class name, a trailing `\`
 */
export function parsePathPattern(pattern: string, ignoreCase = false): PathPattern | undefined {
  const segments: Segment[] = []
  let at = 0
  for (;;) {
    const globstar = pattern.startsWith('**', at) ? endOfStars(pattern, at) : -1
    const separator = globstar < 0 ? 0 : separatorAt(pattern, globstar)
    if (globstar >= 0 && (globstar === pattern.length || separator > 0)) {
      // Git skips a `**` only before a plain slash, so `**\/` and a trailing `**` match at least one segment.
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

/** Returns the pattern of the last name if it may follow any folders (`**`), so that a path's last name decides. */
export function lastNamePattern({ segments }: PathPattern): NamePattern | undefined {
  const [folders, name, ...more] = segments
  const isAnywhere = folders?.kind === 'segments' && folders.atLeast === 0 && more.length === 0
  return isAnywhere && name?.kind === 'name' ? name : undefined
}

/** Parses a pattern for a single name. @returns undefined for a pattern that matches nothing */
export function parseNamePattern(pattern: string, ignoreCase = false): NamePattern | undefined {
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

/** Returns the length of the separator at an index: 1 for `/`, 2 for `\/`, otherwise 0. */
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
      // Merges consecutive stars, as the automaton requires.
      tokens.push(star)
      at = endOfStars(pattern, at)
    } else if (char === '?') {
      tokens.push(any)
      at++
    } else if (char === '[') {
      const found = parseCharacterClass(pattern, at, ignoreCase)
      if (found === undefined) return undefined
      tokens.push({ kind: 'class', has: found.has })
      at = found.end
    } else if (char === '\\') {
      if (at + 1 === pattern.length) return undefined
      // Git compares an escaped character case-sensitively in every mode.
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

/** Returns the character at an index, including both halves of a surrogate pair. */
function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0)
}

/** Converts ASCII letters to lower case. Git folds no others. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether a pattern matches a whole path, given as segments. */
export function matchesPath({ segments }: PathPattern, names: readonly string[], options: MatchOptions = {}): boolean {
  const last = segments.at(-1)
  if (last?.kind === 'name' && !hasEnds(last, names.at(-1) ?? '')) return false
  let at = 0
  let next = 0
  /** The last `**` and the first name that it has not consumed. */
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
      // Only the last `**` needs to consume more: an earlier one could have left these names to it.
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

/** Whether a pattern matches a whole name. A surrogate pair is one character. */
export function matchesName(pattern: NamePattern, name: string, { dot = true, tally }: MatchOptions = {}): boolean {
  const { middle, head, tail } = pattern
  if (tally) tally.steps++
  if (!hasEnds(pattern, name) || (!dot && name.startsWith('.') && head === '')) return false
  if (middle === 'text') return name === head
  // For common patterns such as `*.log`, the ends decide.
  if (middle === 'star') return name.length >= head.length + tail.length
  return pattern.automaton().accepts(name, tally)
}
