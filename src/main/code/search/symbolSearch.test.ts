import { expect, test } from 'vitest'
import { withEngine } from '../../testing/graphEdges.ts'
import type { SymbolQuery } from './symbolSearch.ts'

async function found(
  files: Readonly<Record<string, string>>,
  query: string,
  limit: number,
  more: Partial<SymbolQuery> = {},
): Promise<string[]> {
  const rows = await withEngine(files, (engine) => engine.search({ query, limit, ...more }))
  return rows.map((row) => `${row.path} ${row.qualified}`)
}

test('ranks keys of data files below code of the same name and above prefix matches', async () => {
  const files = {
    'a.json': '{ "scripts": { "build": "x" } }',
    'b.toml': '[build]\nx = 1\n',
    'c.yaml': 'build: 1\n',
    'z.ts': 'export function build() {}\nexport class Build {}\nexport const builder = 1\n',
  }
  expect(await found(files, 'build', 10)).toEqual([
    'z.ts build',
    'z.ts Build',
    'b.toml build',
    'c.yaml build',
    'a.json scripts.build',
    'z.ts builder',
  ])
})

test('finds code even if many data files have a key of that name', async () => {
  const keys = Object.fromEntries(
    Array.from({ length: 8 }, (_, file) => [
      `${file}.json`,
      JSON.stringify(Array.from({ length: 200 }, (_, index) => ({ name: index }))),
    ]),
  )
  expect((await found({ ...keys, 'z.ts': 'export const name = 1\n' }, 'name', 3))[0]).toBe('z.ts name')
})

test('ranks package declarations below symbols of that name', async () => {
  const files = { 'http/a.go': 'package http\n', 'http/b.go': 'package http\n\nfunc http() {}\n' }
  expect(await found(files, 'http', 5)).toEqual(['http/b.go http', 'http/a.go http', 'http/b.go http'])
})

test('finds imports of dotted names, also below a path', async () => {
  const files = {
    'one/a.py': 'import os.path\nimport os\n',
    'two/b.py': 'import os.path\nimport other.place\n',
    'c.json': '{ "os.path": 1 }',
  }
  expect(await found(files, 'x.os', 5, { kind: 'import' })).toEqual([])
  expect(await found(files, 'os.path', 5, { kind: 'import' })).toEqual(['one/a.py os.path', 'two/b.py os.path'])
  expect(await found(files, 'os.p', 5, { kind: 'import' })).toEqual(['one/a.py os.path', 'two/b.py os.path'])
  expect(await found(files, 'other.place', 5, { kind: 'import' })).toEqual(['two/b.py other.place'])
  expect(await found(files, 'os.', 5, { kind: 'import', path: 'two' })).toEqual(['two/b.py os.path'])
})
