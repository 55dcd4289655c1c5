import { expect, it } from 'vitest'
import { pathsInText } from './fileLinks.ts'

it('finds paths with the positions that compilers and linters print', () => {
  const of = (text: string) =>
    pathsInText(text).map(({ start, end, ...found }) => ({ ...found, text: text.slice(start, end) }))
  expect(of('at f (src/a.ts:3:14)')).toEqual([{ path: 'src/a.ts', line: 3, column: 14, text: 'src/a.ts:3:14' }])
  expect(of('a.go:7: unused')).toEqual([{ path: 'a.go', line: 7, text: 'a.go:7' }])
  expect(of('src/a.ts(3,14): error')).toEqual([{ path: 'src/a.ts', line: 3, column: 14, text: 'src/a.ts(3,14)' }])
  expect(of('see ./README.md')).toEqual([{ path: './README.md', text: './README.md' }])
  expect(of('just words 12:30')).toEqual([])
})
