import { expect, it } from 'vitest'
import { parsePathLocation, pathsInText } from './pathsInText.ts'

const of = (text: string) =>
  pathsInText(text).map(({ start, end, ...found }) => ({ ...found, text: text.slice(start, end) }))

it('finds paths with the positions that compilers and linters print', () => {
  expect(of('at f (src/a.ts:3:14)')).toEqual([{ path: 'src/a.ts', line: 3, column: 14, text: 'src/a.ts:3:14' }])
  expect(of('a.go:7: unused')).toEqual([{ path: 'a.go', line: 7, text: 'a.go:7' }])
  expect(of('src/a.ts(3,14): error')).toEqual([{ path: 'src/a.ts', line: 3, column: 14, text: 'src/a.ts(3,14)' }])
  expect(of('see ./README.md')).toEqual([{ path: './README.md', text: './README.md' }])
  expect(of('  File "src/a.py", line 3, in f')).toEqual([{ path: 'src/a.py', line: 3, text: 'src/a.py' }])
  expect(of('C:\\src\\a.rs:3')).toEqual([{ path: 'C:\\src\\a.rs', line: 3, text: 'C:\\src\\a.rs:3' }])
  expect(of('just words 12:30')).toEqual([])
})

it('finds paths in sentences, without the punctuation around them', () => {
  expect(of('The bug is in src/a.ts:3-10.')).toEqual([{ path: 'src/a.ts', line: 3, text: 'src/a.ts:3-10' }])
  expect(of('See a.ts#L3-L9, then b.ts!')).toEqual([
    { path: 'a.ts', line: 3, text: 'a.ts#L3-L9' },
    { path: 'b.ts', text: 'b.ts' },
  ])
  expect(of('a.ts (line 12) and b.ts, lines 3 to 4')).toMatchObject([{ line: 12 }, { line: 3 }])
})

it('addresses and shares of the network are no paths', () => {
  expect(of('https://example.org/a.ts:3 //host/share/a.ts \\\\host\\share\\a.ts')).toEqual([])
  expect(parsePathLocation('\\\\host\\share\\a.ts')).toBeNull()
})

it('the work for a long text is bounded', () => {
  expect(pathsInText('a.ts '.repeat(10_000), 50)).toHaveLength(50)
  expect(pathsInText(`${'a/'.repeat(100_000)}:`)).toEqual([])
})
