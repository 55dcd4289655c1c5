import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { runTool, temporaryFolder, writeTree } from '../testing/toolContext.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'
import { findFiles } from './findFiles.ts'
import { searchContext } from '../testing/searchContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'src/tests/a.test.ts': '',
    'src/Testing.md': '',
    'src/b.ts': '',
    'empty-tests/': '',
    'node_modules/p/test.js': '',
    '.gitignore': '*.log\n',
    'test.log': '',
  })
})
afterEach(() => folder.remove())

const find = async (args: Record<string, unknown>): Promise<ToolOutput> =>
  runTool(findFiles, args, await searchContext(folder.root))

test('part of a name finds files and folders, including empty ones, in any case', async () => {
  const { text, view } = await find({ pattern: 'TEST' })
  expect(text).toBe('empty-tests/\nsrc/tests/\nsrc/tests/a.test.ts\nsrc/Testing.md')
  expect(view).toMatchObject({ kind: 'files', total: 4, truncated: false })
})

test('path and max_depth limit the search', async () => {
  expect((await find({ pattern: 'test', path: 'src', max_depth: 1 })).text).toBe('src/tests/\nsrc/Testing.md')
  expect((await find({ pattern: 'a.test', max_depth: 2 })).text).toContain('omit `max_depth`')
})

test('wildcards find files too, if no name contains them', async () => {
  expect((await find({ pattern: '*.ts' })).text).toBe('src/tests/a.test.ts\nsrc/b.ts')
  expect((await find({ pattern: '*.none' })).text).toContain('find_files_glob')
})

test('beyond 200, the result states how many are omitted and how to narrow', async () => {
  await writeTree(
    folder.root,
    Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`many/file${index}.txt`, ''])),
  )
  const { text, view } = await find({ pattern: 'file' })
  expect(text).toContain('showing 200 of 230 entries: 30 more')
  expect(view).toMatchObject({ total: 230, truncated: true, paths: { length: 200 } })
})

test('invalid input is refused', async () => {
  await expectFailure(find({ pattern: '' }), 'invalid_pattern')
  await expectFailure(find({ pattern: 'a\0' }), 'invalid_pattern')
  await expectFailure(find({ pattern: 'a', path: '../..' }), 'outside_workspace')
  await expectFailure(find({ pattern: 'a', path: 'none' }), 'not_found')
  await expectFailure(find({ pattern: 'a', path: 'src/b.ts' }), 'not_a_directory')
  expect(findFiles.schema.safeParse({ pattern: 'a', max_depth: 0 }).success).toBe(false)
})
