import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, writeTree } from '../testing/toolContext.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'
import { findFilesGlob } from './findFilesGlob.ts'
import { searchContext } from '../testing/searchContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ 'src/App.tsx': '', 'src/deep/b.tsx': '', 'src/c.css': '', 'README.md': '' })
})
afterEach(() => folder.remove())

const find = async (args: Record<string, unknown>): Promise<ToolOutput> =>
  runTool(findFilesGlob, args, await searchContext(folder.root))

test.each(['pattern', 'glob'])('accepts the pattern as %s and returns paths', async (name) => {
  const { text, view } = await find({ [name]: '**/*.tsx' })
  expect(text).toBe('src/App.tsx\nsrc/deep/b.tsx')
  expect(view).toEqual({ kind: 'files', paths: ['src/App.tsx', 'src/deep/b.tsx'], total: 2, truncated: false })
})

test('globs are relative to path, `*` matches within one folder, case matters only on request', async () => {
  expect((await find({ pattern: 'src/*.tsx' })).text).toBe('src/App.tsx')
  expect((await find({ pattern: '*.tsx', path: 'src/deep' })).text).toBe('src/deep/b.tsx')
  expect((await find({ pattern: 'app*' })).text).toBe('src/App.tsx')
  expect((await find({ pattern: 'app*', case_sensitive: true })).text).toContain('No file')
})

test('beyond 200, the result states how many are omitted and how to narrow', async () => {
  await writeTree(folder.root, Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`many/${index}.txt`, ''])))
  const { text, view } = await find({ pattern: '*.txt' })
  expect(text).toContain('showing 200 of 230 files: 30 more')
  expect(text).toContain('`path`')
  expect(view).toMatchObject({ total: 230, truncated: true, paths: { length: 200 } })
})

test('no match: the result states how many files were searched and what to try', async () => {
  expect((await find({ pattern: '*.zig' })).text).toContain('No file in "." matches "*.zig" (4 files searched)')
})

test('invalid input is refused', async () => {
  for (const pattern of ['', '[', 'a{', '../*']) await expectFailure(find({ pattern }), 'invalid_pattern')
  await expectFailure(find({ pattern: '*', path: '..' }), 'outside_workspace')
  await expectFailure(find({ pattern: '*', path: 'none' }), 'not_found')
  await expectFailure(find({ pattern: '*', path: 'README.md' }), 'not_a_directory')
})
