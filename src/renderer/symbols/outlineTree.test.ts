import { expect, test } from 'vitest'
import type { OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import { outlineRows, rowAtLine } from './outlineTree.ts'

const symbol = (name: string, parent: number | null, line: number, endLine: number): OutlineSymbol => ({
  id: name,
  kind: 'function',
  name,
  container: '',
  path: 'a.ts',
  signature: name,
  parent,
  line,
  column: 1,
  endLine,
  endColumn: 2,
  nameLine: line,
  nameColumn: 5,
})
const store = [symbol('Store', null, 1, 20), symbol('add', 0, 2, 5), symbol('inner', 1, 3, 4), symbol('drop', 0, 7, 9)]
const symbols = [...store, symbol('make', null, 30, 40)]
const none = new Set<string>()
const drawn = (filter: string, folded: ReadonlySet<string> = none) =>
  outlineRows(symbols, filter, folded).map(({ symbol: { name }, depth }) => `${'  '.repeat(depth)}${name}`)

test('rows follow the order of the text, without children of collapsed symbols', () => {
  expect(drawn('')).toEqual(['Store', '  add', '    inner', '  drop', 'make'])
  expect(drawn('', new Set(['add']))).toEqual(['Store', '  add', '  drop', 'make'])
  expect(drawn('', new Set(['Store']))).toEqual(['Store', 'make'])
  expect(outlineRows(symbols, '', new Set(['add'])).map(({ expanded }) => expanded)).toEqual([true, false, null, null])
})

test('a filter shows matches and their parents, even if collapsed', () => {
  expect(drawn('inn', new Set(['Store']))).toEqual(['Store', '  add', '    inner'])
  expect(outlineRows(symbols, 'inn', none).map(({ matched }) => matched)).toEqual([false, false, true])
  expect(drawn('zzz')).toEqual([])
})

test('the current row is the innermost visible symbol at the cursor', () => {
  const at = (line: number, folded = none) => {
    const rows = outlineRows(symbols, '', folded)
    return rows[rowAtLine(rows, line)]?.symbol.name
  }
  expect([at(3), at(8), at(12), at(35), at(25)]).toEqual(['inner', 'drop', 'Store', 'make', undefined])
  expect(at(3, new Set(['add']))).toBe('add')
})
