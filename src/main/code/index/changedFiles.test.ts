import { expect, test } from 'vitest'
import { chunksOf } from './changedFiles.ts'

const listed = (path: string, bytes = 1000) => ({ path, bytes })

test('chunks have at most 50 files and 256 KB; a larger file has one of its own', () => {
  const many = Array.from({ length: 120 }, (_, at) => listed(`a${at}.ts`))
  expect(chunksOf(many).map(({ length }) => length)).toEqual([50, 50, 20])
  expect(chunksOf(many).flat()).toEqual(many)
  const large = [listed('a.ts'), listed('b.ts', 500_000), listed('c.ts'), listed('d.ts', 300_000)]
  expect(chunksOf(large).map((chunk) => chunk.map(({ path }) => path))).toEqual([
    ['a.ts'],
    ['b.ts'],
    ['c.ts'],
    ['d.ts'],
  ])
})

test('files of rare languages are read together, after the others', () => {
  const files = Array.from({ length: 60 }, (_, at) => [
    listed(`a${at}.ts`),
    ...(at % 20 === 0 ? [listed(`a${at}.rb`), listed(`a${at}.go`)] : []),
  ]).flat()
  const [first, second, ...others] = chunksOf(files).map((chunk) => chunk.map(({ path }) => path))
  expect(first).toEqual(Array.from({ length: 50 }, (_, at) => `a${at}.ts`))
  expect(second).toEqual([
    ...Array.from({ length: 10 }, (_, at) => `a${at + 50}.ts`),
    'a0.rb',
    'a20.rb',
    'a40.rb',
    'a0.go',
    'a20.go',
    'a40.go',
  ])
  expect(others).toEqual([])
})
