/** Whether a code point belongs to the class. */
export type CharacterClass = (code: number) => boolean

/** Inclusive range of code points. `folds`: when case is ignored, its capital letters also match small letters. */
interface Range {
  from: number
  to: number
  folds?: true
}

const range = (from: string, to: string): Range => ({ from: from.charCodeAt(0), to: to.charCodeAt(0) })
const control: readonly Range[] = [
  { from: 0, to: 31 },
  { from: 127, to: 127 },
]
const digit = range('0', '9')
const upper = range('A', 'Z')
const lower = range('a', 'z')
const punctuation: readonly Range[] = [range('!', '/'), range(':', '@'), range('[', '`'), range('{', '~')]

/** POSIX class names in the C locale, as in git. */
const named: ReadonlyMap<string, readonly Range[]> = new Map([
  ['alnum', [digit, upper, lower]],
  ['alpha', [upper, lower]],
  ['blank', [range(' ', ' '), range('\t', '\t')]],
  ['cntrl', control],
  ['digit', [digit]],
  ['graph', [range('!', '~')]],
  ['lower', [lower]],
  ['print', [range(' ', '~')]],
  ['punct', punctuation],
  ['space', [range('\t', '\r'), range(' ', ' ')]],
  ['upper', [upper]],
  ['xdigit', [digit, range('A', 'F'), range('a', 'f')]],
])

const slash = '/'.charCodeAt(0)
const toCapital = lower.from - upper.from

/**
 * Parses a class such as `[a-z]`, `[!_]` or `[[:alpha:]]`. A class never contains `/`. Rules: git's wildmatch.c.
 * @param at index of the opening bracket
 * @param ignoreCase ranges and `[:upper:]` also match small letters; the text to match must be lower case
 * @returns the class and the index after it; undefined if the class is not closed or contains an unknown name
 */
export function parseCharacterClass(
  pattern: string,
  at: number,
  ignoreCase: boolean,
): { has: CharacterClass; end: number } | undefined {
  let next = at + 1
  const negated = pattern[next] === '!' || pattern[next] === '^'
  if (negated) next++
  const ranges: Range[] = []
  /** Previous character, the start of a range if a `-` follows. */
  let previous: number | undefined
  // The first character is always a member, even if it is a closing bracket.
  for (let first = true; first || pattern[next] !== ']'; first = false) {
    const nameEnd = pattern.startsWith('[:', next) ? pattern.indexOf(']', next + 2) : -1
    if (pattern.startsWith('[:', next) && nameEnd < 0) return undefined
    if (nameEnd > next + 2 && pattern[nameEnd - 1] === ':') {
      const name = pattern.slice(next + 2, nameEnd - 1)
      const members = named.get(name)
      if (members === undefined) return undefined
      ranges.push(...members.map((member): Range => (name === 'upper' ? { ...member, folds: true } : member)))
      previous = undefined
      next = nameEnd + 1
    } else if (
      pattern[next] === '-' &&
      previous !== undefined &&
      next + 1 < pattern.length &&
      pattern[next + 1] !== ']'
    ) {
      const end = readCharacter(pattern, next + 1)
      if (end === undefined) return undefined
      ranges.push({ from: previous, to: end.code, folds: true })
      previous = undefined
      next = end.next
    } else {
      const single = readCharacter(pattern, next)
      if (single === undefined) return undefined
      ranges.push({ from: single.code, to: single.code })
      previous = single.code
      next = single.next
    }
  }
  const includes = (code: number, { from, to }: Range): boolean => code >= from && code <= to
  const member = (code: number): boolean => {
    const capital = ignoreCase && includes(code, lower) ? code - toCapital : undefined
    return ranges.some(
      (each) => includes(code, each) || (each.folds === true && capital !== undefined && includes(capital, each)),
    )
  }
  return { has: (code) => code !== slash && member(code) !== negated, end: next + 1 }
}

/** Reads one character, escaped or not; undefined at the end of the pattern. */
function readCharacter(pattern: string, at: number): { code: number; next: number } | undefined {
  const from = pattern[at] === '\\' ? at + 1 : at
  const code = pattern.codePointAt(from)
  return code === undefined ? undefined : { code, next: from + (code > 0xffff ? 2 : 1) }
}
