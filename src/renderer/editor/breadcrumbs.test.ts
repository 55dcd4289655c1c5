import { expect, it } from 'vitest'
import type { OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import { pathCrumbs, siblings, symbolTrail } from './breadcrumbs.ts'

function symbol(name: string, line: number, endLine: number, parent: number | null, kind = 'method'): OutlineSymbol {
  const place = { column: 1, endColumn: 1, nameLine: line, nameColumn: 1 }
  return { id: name, kind, name, container: '', path: 'a.ts', line, endLine, ...place, signature: name, parent }
}

const symbols = [
  symbol('fs', 1, 1, null, 'import'),
  symbol('Tree', 3, 20, null, 'class'),
  symbol('read', 4, 8, 1),
  symbol('write', 10, 18, 1),
  symbol('main', 22, 30, null, 'function'),
]

it('the path consists of its folders and the file', () => {
  expect(pathCrumbs('src/app/main.ts')).toEqual([
    { name: 'src', path: 'src', folder: true },
    { name: 'app', path: 'src/app', folder: true },
    { name: 'main.ts', path: 'src/app/main.ts', folder: false },
  ])
})

it('shows the symbols around the cursor from the outside in', () => {
  expect(symbolTrail(symbols, 12).map(({ name }) => name)).toEqual(['Tree', 'write'])
  expect(symbolTrail(symbols, 9).map(({ name }) => name)).toEqual(['Tree'])
  expect(symbolTrail(symbols, 21)).toEqual([])
  expect(symbolTrail(symbols, 1)).toEqual([])
})

it('lists the symbols of the same level', () => {
  expect(siblings(symbols, symbols[2] ?? symbol('', 1, 1, null)).map(({ name }) => name)).toEqual(['read', 'write'])
  expect(siblings(symbols, symbols[4] ?? symbol('', 1, 1, null)).map(({ name }) => name)).toEqual(['Tree', 'main'])
})
