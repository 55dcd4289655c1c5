import { expect, test } from 'vitest'
import { cursorAt } from './cursorContext.ts'

const at = (text: string, line: number, column: number) => cursorAt('a.ts', text, line, column)

test.each([
  ['a.b.call(x)', 7, { text: 'call', column: 5, receiver: 'a.b' }],
  ['call(x)', 1, { text: 'call', column: 1, receiver: null }],
  ['call(x)', 5, { text: 'call', column: 1, receiver: null }],
  ['Store::add', 9, { text: 'add', column: 8, receiver: 'Store' }],
  ['$größe_2 = 1', 3, { text: '$größe_2', column: 1, receiver: null }],
  ['12345', 2, null],
  ['a + b', 4, null],
])('the word in "%s" at column %i', (line, column, word) => expect(at(line, 1, column).word).toEqual(word))

test('a position beyond the end of a line or text is moved to its end', () => {
  expect(at('one\ntwo', 1, 90)).toMatchObject({ column: 4, word: { text: 'one' } })
  expect(at('one\ntwo', 9, 90)).toMatchObject({ column: 1, word: null })
})

test('quoted text and dotted names are possible modules', () => {
  expect(at("import x from './a/b.js'", 1, 18).module).toBe('./a/b.js')
  expect(at('from pkg.sub import x', 1, 11).module).toBe('pkg.sub')
  expect(at('#include "dir/file.h"', 1, 14).module).toBe('dir/file.h')
})

test('the text before the word is returned as lines', () => {
  expect(at('from x import (\n  one,\n  two,\n)', 3, 4).before).toEqual(['from x import (', '  one,', '  '])
  expect(at('line\n'.repeat(500), 400, 1).before).toHaveLength(100)
})
