import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { fuzz, textOf } from '../testing/fuzz.ts'
import { compileGlob, expandBraces } from './glob.ts'
import { parseIgnoreFile } from './ignoreFile.ts'
import { matchesPath, parsePathPattern } from './wildcard.ts'

const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', 'A'), minLength: 1, maxLength: 4 })
const place = fc.array(name, { minLength: 1, maxLength: 4 })
const atoms = [
  'a',
  'b',
  'A',
  '.',
  '*',
  '**',
  '?',
  '/',
  '/**/',
  '[ab]',
  '[!a]',
  '[',
  ']',
  '\\',
  '!',
  '#',
  ' ',
  '{a,b}',
  '-',
  '\n',
]

/** Matches as wildmatch(3) defines it, by trying everything. */
function matchesSlowly(pattern: readonly string[], names: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return names.length === 0
  if (first === '**') {
    const atLeast = rest.length === 0 ? 1 : 0
    return (
      names.some((_, taken) => taken >= atLeast && matchesSlowly(rest, names.slice(taken))) ||
      (names.length >= atLeast && matchesSlowly(rest, []))
    )
  }
  return names.length > 0 && matchesName(first, names[0] ?? '') && matchesSlowly(rest, names.slice(1))
}
function matchesName(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  if (pattern.startsWith('*'))
    return matchesName(pattern.slice(1), text) || (text !== '' && matchesName(pattern, text.slice(1)))
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && matchesName(pattern.slice(1), text.slice(1))
}

const segment = fc.oneof(
  { weight: 1, arbitrary: fc.constant('**') },
  {
    weight: 4,
    arbitrary: fc
      .string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), minLength: 1, maxLength: 5 })
      .map((text) => text.replaceAll(/\*+/g, '*')),
  },
)

describe('a pattern', () => {
  fuzz(
    'matches the same paths as an exhaustive search',
    [fc.array(segment, { minLength: 1, maxLength: 4 }), place],
    (segments, names) => {
      const pattern = parsePathPattern(segments.join('/'))
      expect(pattern).toBeDefined()
      if (pattern) expect(matchesPath(pattern, names)).toBe(matchesSlowly(segments, names))
    },
  )

  fuzz(
    'takes at most pattern length times path length steps',
    [textOf(atoms, 40), fc.array(name, { minLength: 1, maxLength: 12 })],
    (text, names) => {
      const pattern = parsePathPattern(text)
      if (!pattern) return
      const tally = { steps: 0 }
      matchesPath(pattern, names, { tally })
      expect(tally.steps).toBeLessThanOrEqual(4 * (text.length + 1) * (names.join('/').length + 1))
    },
  )

  fuzz('of escaped characters matches exactly its own text', [place, place], (wanted, other) => {
    const escaped = wanted.map((text) => text.replaceAll(/./g, '\\$&')).join('/')
    const matches = compileGlob(escaped)
    expect(matches?.(wanted.join('/'))).toBe(true)
    expect(matches?.(other.join('/'))).toBe(wanted.join('/') === other.join('/'))
  })

  fuzz(
    'with braces matches the same paths as its alternatives',
    [textOf([...atoms, '{', ',', '}']), place],
    (glob, names) => {
      const alternatives = expandBraces(glob)
      const matches = compileGlob(glob)
      if (alternatives === undefined) return expect(matches).toBeUndefined()
      const target = names.join('/')
      const some = alternatives.some((each) => {
        const pattern = parsePathPattern(each)
        return pattern !== undefined && matchesPath(pattern, names)
      })
      expect(matches?.(target)).toBe(some)
    },
  )
})

describe('an ignore file', () => {
  const rules = textOf([...atoms, '\r\n', '/', '\0', '\u00ef\u00bb\u00bf'], 30)

  fuzz(
    'of any text is parsed, and the last matching rule decides',
    [rules, place, fc.boolean()],
    (text, names, directory) => {
      const own = parseIgnoreFile(text, false).decides(names, directory)
      const escaped = `/${names.map((part) => part.replaceAll(/./g, '\\$&')).join('/')}`
      expect(parseIgnoreFile(`${text}\n${escaped}`, false).decides(names, directory)).toBe(true)
      expect(parseIgnoreFile(`${text}\n!${escaped}`, false).decides(names, directory)).toBe(false)
      // Comments and blank lines have no effect.
      expect(parseIgnoreFile(`${text}\n#*\n\n   \n`, false).decides(names, directory)).toBe(own)
    },
  )

  fuzz(
    'that ignores case has the same result for both cases',
    [rules, place, fc.boolean()],
    (text, names, directory) => {
      const file = parseIgnoreFile(text, true)
      expect(
        file.decides(
          names.map((part) => part.toUpperCase()),
          directory,
        ),
      ).toBe(
        file.decides(
          names.map((part) => part.toLowerCase()),
          directory,
        ),
      )
    },
  )
})
