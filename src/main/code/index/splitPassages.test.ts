import { expect, it } from 'vitest'
import { splitIntoPassages } from './splitPassages.ts'
import type { FoundSymbol, SymbolKind } from './symbolTypes.ts'
import { queryWords, stem } from '../search/searchWords.ts'
import { wordsOf } from './words.ts'

function symbol(
  kind: SymbolKind,
  qualified: string,
  line: number,
  endLine: number,
  parent: number | null = null,
): FoundSymbol {
  const range = { line, column: 1, endLine, endColumn: 1 }
  return {
    kind,
    name: qualified,
    qualified,
    range,
    nameLine: line,
    nameColumn: 1,
    signature: `${kind} ${qualified}`,
    doc: '',
    exported: true,
    parent,
  }
}
const places = (text: string, symbols: FoundSymbol[] = []) =>
  splitIntoPassages(text, symbols).map(({ line, endLine, symbol: of }) => [line, endLine, of])
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join('\n')

it('returns identifiers and their parts', () => {
  expect(wordsOf('getUserName(snake_case, XMLHttpRequest) x')).toEqual([
    'getusername',
    'get',
    'user',
    'name',
    'snakecase',
    'snake',
    'case',
    'xmlhttprequest',
    'xml',
    'http',
    'request',
  ])
})

it('keeps letters with marks together and treats Chinese characters as words', () => {
  expect(wordsOf('größe Überlauf 读取文件 имяФайла')).toEqual(['größe', 'überlauf', '读', '取', '文', '件', 'имяфайла'])
})

it('skips encoded data and limits repeated words', () => {
  expect(wordsOf(`${'A1b2'.repeat(30)} go go go go`, 3)).toEqual(['go', 'go', 'go'])
})

it('returns significant words and their spellings in code', () => {
  expect(queryWords('Where is the web socket environment?')).toEqual({
    words: ['web', 'socket', 'environment'],
    variants: ['env', 'websocket', 'socketenvironment'],
  })
  expect(queryWords('what is this').words).toEqual(['what', 'is', 'this'])
  expect(queryWords(' … ').words).toEqual([])
})

it('removes word endings for comparison', () => {
  expect(new Set(['parse', 'parsed', 'parses', 'parsing', 'parser'].map(stem)).size).toBe(1)
})

it('splits a text without symbols into windows of lines', () => {
  expect(places(numbered(120))).toEqual([
    [1, 50, null],
    [51, 100, null],
    [101, 120, null],
  ])
  expect(places('')).toEqual([])
  expect(places('\n\n  \n{}\n')).toEqual([])
})

it('makes a passage of a definition and its comment', () => {
  const text = 'import x\n\n/** Adds. */\n// really\nfunction add() {\n}\nlet rest = 1\n'
  expect(places(text, [symbol('function', 'add', 5, 6), symbol('variable', 'rest', 7, 7)])).toEqual([
    [1, 1, null],
    [3, 6, 0],
    [7, 7, null],
  ])
})

it('splits a long definition along its members', () => {
  const symbols = [
    symbol('class', 'Store', 1, 100),
    symbol('method', 'Store.add', 10, 20, 0),
    symbol('property', 'Store.size', 21, 21, 0),
    symbol('method', 'Store.all', 30, 90, 0),
  ]
  expect(places(numbered(100), symbols)).toEqual([
    [1, 9, 0],
    [10, 20, 1],
    [21, 29, 0],
    [30, 79, 3],
    [80, 90, 3],
    [91, 100, 0],
  ])
})

it('limits the passages of a huge line and of a file full of definitions', () => {
  const [only] = splitIntoPassages(`${'word '.repeat(200_000)}`, [])
  expect(only?.body).toBe('word word word')
  const many = Array.from({ length: 5000 }, (_, index) => symbol('function', `f${index}`, index + 1, index + 1))
  expect(splitIntoPassages(numbered(5000), many)).toHaveLength(2000)
})

it('has each word once, where it weighs most', () => {
  const text = '/** Adds numbers. */\nfunction add(left, right) {\n  return sum(left, right, rest, rest)\n}\n'
  const add = { ...symbol('function', 'add', 2, 4), signature: 'function add(left, right)', doc: 'Adds numbers.' }
  expect(splitIntoPassages(text, [add])).toMatchObject([
    { name: 'add', about: 'function left right adds numbers', body: 'return sum rest rest' },
  ])
})
