import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { importCircles, readImports } from './importGraph.ts'

const root = resolve(import.meta.dirname, '../..')

it('no files of the sources import each other in a circle, types included', () => {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'e2e', 'bench', 'scripts']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file) && !file.startsWith('e2e/fixtures/'))
  expect(files.length).toBeGreaterThan(1000)
  expect(importCircles(readImports(root, files))).toEqual([])
})

it('no two folders of src/shared import each other, so that each can be read without the other', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src/shared'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const folderOf = (file: string) => file.split('/').slice(0, 3).join('/')
  const arrows = new Map<string, string>()
  for (const [file, imported] of readImports(root, files))
    for (const other of imported)
      if (folderOf(other) !== folderOf(file)) arrows.set(`${folderOf(file)} → ${folderOf(other)}`, `${file} → ${other}`)
  expect(arrows.size).toBeGreaterThan(20)
  const both = [...arrows].filter(([arrow]) => arrows.has(arrow.split(' → ').toReversed().join(' → ')))
  expect(both.map(([, example]) => example)).toEqual([])
})

it('finds circles of two and three files, of types and of dynamic imports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tizona-circles-'))
  try {
    const sources = {
      'a.ts': "import { b } from './b.ts'",
      'b.ts': "import type { A } from './a.ts'",
      'c.ts': "import './d.ts'",
      'd.ts': "export * from './e.ts'",
      'e.ts': "const c = await import('./c.ts')",
      'f.ts': "import './a.ts'\n// import './f.ts'",
    }
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text)
    const circles = importCircles(readImports(folder, Object.keys(sources)))
    expect(circles.toSorted(([a = ''], [b = '']) => a.localeCompare(b))).toEqual([
      ['a.ts', 'b.ts'],
      ['c.ts', 'd.ts', 'e.ts'],
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
