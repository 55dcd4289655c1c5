import { expect, it } from 'vitest'
import type { ListedFile, ListedProblem } from '../platform/languages/problemsStore.ts'
import { edgeProblem, neighborFile } from './problemRows.ts'

const at = (startLine: number): ListedProblem => ({
  range: { startLine, startColumn: 2, endLine: startLine, endColumn: 3 },
  severity: 'error',
  message: 'wrong',
  source: '',
  code: '',
  tags: [],
  related: [],
})
const file = (path: string, ...lines: number[]): ListedFile => ({ path, problems: lines.map(at), more: 0 })
// Files with errors come first in the list, whatever their path.
const files = [file('b.ts', 9, 4), file('d.ts', 1), file('a.ts', 2)]

it.each([
  ['a.ts', 'b.ts', 'd.ts'],
  ['b.ts', 'd.ts', 'a.ts'],
  ['d.ts', 'a.ts', 'b.ts'],
  // A file without problems, and no file.
  ['c.ts', 'd.ts', 'b.ts'],
  [null, 'a.ts', 'd.ts'],
])('the files after and before %s follow in the order of paths, around the end', (path, next, previous) => {
  expect(neighborFile(files, path, 1)?.path).toBe(next)
  expect(neighborFile(files, path, -1)?.path).toBe(previous)
})

it('the only file with problems has no other', () => {
  expect(neighborFile([file('a.ts', 1)], 'a.ts', 1)).toBeNull()
})

it('a file is entered at its first or last problem by position', () => {
  expect(edgeProblem(file('b.ts', 9, 4), 1)).toEqual({ line: 4, column: 2 })
  expect(edgeProblem(file('b.ts', 4, 9, 5), -1)).toEqual({ line: 9, column: 2 })
})
