import { describe, expect, test } from 'vitest'
import { checkGlob, globFilter, compileGlobMatcher, splitGlobs } from './globs.ts'

describe('a glob', () => {
  test.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**', 'src/a/b.c', true],
    ['src/', 'src/a/b.c', true],
    ['/a.ts', 'a.ts', true],
    ['/a.ts', 'src/a.ts', false],
    ['./a.ts', 'a.ts', true],
    ['*.{ts,tsx}', 'x/a.tsx', true],
    ['[ab].ts', 'b.ts', true],
    ['a?.ts', 'ab.ts', true],
    ['a\\[1\\].ts', 'a[1].ts', true],
    ['*', '.hidden', false],
    ['.hid*', '.hidden', true],
    ['*.ts', '.a.ts', false],
    ['*.ts', 'src/.a.ts', false],
    ['*.ts', '.hidden/a.ts', false],
    ['*.ts', 'src/.hidden/a.ts', false],
    ['*.ts', 'src/a.b/c.ts', true],
    ['.a.ts', 'src/.a.ts', true],
    ['@(a|b).ts', 'a.ts', false],
    // As repeated groups, these would take exponential time.
    ['{a,a}+b', 'a'.repeat(200), false],
    ['(a|a)+b', 'a'.repeat(200), false],
    ['c++/*', 'c++/a', true],
    ['+page.ts', 'x/+page.ts', true],
  ] as const)('%s on %s: %s', (glob, path, matches) => {
    expect(compileGlobMatcher(glob, { caseSensitive: true })(path)).toBe(matches)
  })

  test('is case-sensitive only on request', () => {
    expect(compileGlobMatcher('*.TS', { caseSensitive: true })('a.ts')).toBe(false)
    expect(compileGlobMatcher('*.TS', { caseSensitive: false })('a.ts')).toBe(true)
  })

  test.each([
    '',
    ' ',
    '[',
    '[!',
    '[]',
    'a[b',
    '{a,b',
    'a\\',
    '../a',
    'a/../b',
    'nul\0',
    'x'.repeat(2000),
    `${'{a,b}'.repeat(9)}`,
  ])('%j is rejected', (glob) => {
    expect(() => checkGlob(glob)).toThrow(
      expect.objectContaining({ code: 'invalid_pattern', next: expect.stringMatching(/./) }),
    )
  })

  test.each(['[]]', '[!]]', '\\[', '\\{', 'a}', '**/*.{ts,js}', 'a..b'])('%j is accepted', (glob) => {
    expect(() => checkGlob(glob)).not.toThrow()
  })
})

test('a list is split at commas outside braces', () => {
  expect(splitGlobs('*.{a,b}, src/**,,!x ')).toEqual(['*.{a,b}', 'src/**', '!x'])
  expect(splitGlobs(' ')).toEqual([])
})

test('without globs there is no filter; with excludes only, all other files match', () => {
  expect(globFilter([])).toBeUndefined()
  const filter = globFilter(['!*.test.ts'])
  expect([filter?.matches('a.ts'), filter?.matches('a.test.ts')]).toEqual([true, false])
})
