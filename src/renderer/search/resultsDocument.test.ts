import { expect, test } from 'vitest'
import { placeOf, resultsText } from './resultsDocument.ts'
import { emptySearch } from './searchStore.ts'

const text = resultsText({
  options: { ...emptySearch.options, query: 'total', regex: true, caseSensitive: true, include: 'src' },
  matches: [
    { path: 'src/a.ts', line: 3, text: 'const total = 1' },
    { path: 'src/a.ts', line: 12, text: '  # total:' },
    { path: 'b c.txt', line: 1, text: 'total' },
  ],
  total: 3,
  truncated: false,
})
const lines = text.split('\n')

test('results have the form of a search editor', () => {
  expect(text).toBe(
    '# Query: total\n# Flags: CaseSensitive RegExp\n# Including: src\n\n3 matches in 2 files\n\nsrc/a.ts:\n  3: const total = 1\n  12:   # total:\n\nb c.txt:\n  1: total\n',
  )
})

test.each([
  [8, 12, { path: 'src/a.ts', line: 3, column: 7 }],
  [9, 1, { path: 'src/a.ts', line: 12, column: 1 }],
  [7, 3, { path: 'src/a.ts', line: 1, column: 1 }],
  [12, 7, { path: 'b c.txt', line: 1, column: 2 }],
  [1, 1, null],
  [5, 1, null],
])('line %i leads to its place', (line, column, place) => {
  expect(placeOf(lines.slice(0, line), column)).toEqual(place)
})

test('lines in the form of VS Code lead to their place too', () => {
  const theirs = [
    '# Query: total',
    '# ContextLines: 1',
    '',
    '3 results - 2 files',
    '',
    'api • src/a.ts:',
    '    9  // before',
    '   10: const total = 1',
    '  110: ⟪ 300 characters skipped ⟫ a total',
  ]
  expect(placeOf(theirs.slice(0, 6), 1)).toEqual({ path: 'api/src/a.ts', line: 1, column: 1 })
  expect(placeOf(theirs.slice(0, 7), 8)).toEqual({ path: 'api/src/a.ts', line: 9, column: 1 })
  expect(placeOf(theirs.slice(0, 8), 14)).toEqual({ path: 'api/src/a.ts', line: 10, column: 7 })
  // After the 300 characters and a space.
  expect(placeOf(theirs, 35)).toEqual({
    path: 'api/src/a.ts',
    line: 110,
    column: 302,
  })
  expect(placeOf(theirs.slice(0, 4), 1)).toBeNull()
})

test('files with odd names, and cut lines', () => {
  expect(placeOf(['# Query: a:', '', '#notes.md:', '  4: …long line'], 20)).toEqual({
    path: '#notes.md',
    line: 4,
    column: 1,
  })
  expect(placeOf(['# Query: a:'], 1)).toBeNull()
})
