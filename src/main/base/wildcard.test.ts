import { describe, expect, test } from 'vitest'
import { compileGlob, expandBraces } from './glob.ts'
import { matchesName, matchesPath, parseNamePattern, parsePathPattern } from './wildcard.ts'

function pathMatches(pattern: string, path: string): boolean {
  const read = parsePathPattern(pattern)
  return read !== undefined && matchesPath(read, path.split('/'))
}

describe('a path pattern', () => {
  test.each([
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/x/y/c', false],
    ['a/**', 'a', false],
    ['a/**', 'a/b/c', true],
    ['**/b', 'b', true],
    ['**/a/**/a/**/b', 'a/x/a/b', true],
    ['**/a/**/a/**/b', 'a/x/b', false],
    ['**', 'x/y', true],
    ['a**b', 'a/b', false],
    ['a**b', 'axyb', true],
    ['*/b', 'a/b', true],
    ['*/b', 'x/a/b', false],
    ['a/*', 'a/b/c', false],
    ['a\\/b', 'a/b', true],
    ['a[/]b', 'a/b', false],
    ['[a-c]/?', 'b/x', true],
    ['', 'a', false],
    ['a//b', 'a/b', false],
  ] as const)('%s on %s: %s', (pattern, path, expected) => {
    expect(pathMatches(pattern, path)).toBe(expected)
  })

  test.each(['[a', '[[:nothing:]]', 'a\\', 'x/[a/y'])('%s cannot match anything', (pattern) => {
    expect(parsePathPattern(pattern)).toBeUndefined()
  })
})

test('patterns and names may be longer than one machine word', () => {
  const long = `${'ab'.repeat(40)}?[x]${'c'.repeat(70)}*d`
  const pattern = parseNamePattern(long)
  const name = `${'ab'.repeat(40)}.x${'c'.repeat(70)}`
  expect(
    pattern && [
      matchesName(pattern, `${name}middle-d`),
      matchesName(pattern, `${name}d`),
      matchesName(pattern, `${name}middle`),
    ],
  ).toEqual([true, true, false])
})

describe('a glob', () => {
  test.each([
    ['{a,b{c,d}}/*.ts', 'bd/x.ts', true],
    ['{a,b{c,d}}/*.ts', 'b/x.ts', false],
    ['{a}', '{a}', true],
    ['{a,', 'a', false],
    ['a{,b}', 'a', true],
    ['\\{a,b}', '{a,b}', true],
    ['[{]a,b}', '{a,b}', true],
    ['?', '😀', true],
    ['??', '😀', false],
    ['[😀]', '😀', true],
    ['{x,[a}', 'x', true],
  ] as const)('%s on %s: %s', (glob, path, expected) => {
    expect(compileGlob(glob)?.(path)).toBe(expected)
  })

  test('ignores case in text and classes if requested', () => {
    expect(
      ['SRC/B.TS', 'src/b.ts', 'src/d.ts'].map((path) =>
        compileGlob('Src/[A-C].{TS,js}', { caseSensitive: false })?.(path),
      ),
    ).toEqual([true, true, false])
  })

  test('with too many brace alternatives is rejected', () => {
    expect(expandBraces('{a,b}'.repeat(8))).toHaveLength(256)
    for (const glob of [
      '{a,b}'.repeat(9),
      '{a,b}'.repeat(200),
      `{${'a'.repeat(100)},b}`.repeat(8),
      '{a,{b,'.repeat(500),
    ])
      expect(expandBraces(glob)?.length ?? 0).toBeLessThanOrEqual(1)
  })
})

describe('hostile patterns take at most pattern length × path length steps', () => {
  const a = (length: number): string => 'a'.repeat(length)
  test.each([
    ['*a*a*a*a*a*b*', a(2000)],
    [`${'*a'.repeat(150)}*b?`, a(4000)],
    [`*${a(500)}b*`, a(4000)],
    [`${'**/a/'.repeat(60)}b*/a`, `${'a/'.repeat(400)}a`],
    [`${'**/*a*a?/'.repeat(40)}b/*`, `${a(30)}/`.repeat(100)],
    [`${'?'.repeat(200)}*`.repeat(4), a(799)],
    [`${'[a-z]*'.repeat(100)}!*`, a(4000)],
  ])('%s', (glob, path) => {
    const tally = { steps: 0 }
    expect(compileGlob(glob, { tally })?.(path)).toBe(false)
    expect(tally.steps).toBeGreaterThan(0)
    expect(tally.steps).toBeLessThanOrEqual(glob.length * path.length)
  })

  test('including a glob with many alternatives', () => {
    const tally = { steps: 0 }
    const glob = `${'{*a*a*a*a,*b*b*b}'.repeat(8)}*c*d`
    expect(compileGlob(glob, { tally })?.(a(2000))).toBe(false)
    expect(tally.steps).toBeLessThanOrEqual((expandBraces(glob)?.join('').length ?? 0) * 2000)
  })
})

describe('a glob of a name in any folder', () => {
  const globs = ['**/*.ts', '**/a', '**/*', '**/{a,b}.ts', '**/[a-b]?', '**/{*.TS,A}', '**/.*', '**/*/a', 'b/**/a']
  const paths = ['a', 'a.ts', 'b/a', 'b/x/a.ts', 'b/A.TS', 'a.ts/b', 'a/', '.a', 'b/.ts', 'a/bc', '\u{1f600}/ab', '']
  test.each(globs)('%s matches the same paths as name by name', (glob) => {
    for (const caseSensitive of [true, false]) {
      const matches = compileGlob(glob, { caseSensitive })
      const stepByStep = compileGlob(glob, { caseSensitive, tally: { steps: 0 } })
      expect(paths.filter((path) => matches?.(path))).toEqual(paths.filter((path) => stepByStep?.(path)))
    }
  })
})
