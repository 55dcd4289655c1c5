import { truncate } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSearch } from '../../search/search.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { fakeEditor, runTool, temporaryFolder, testContext, writeTree } from '../testing/toolContext.ts'
import { readManyFiles } from './readManyFiles.ts'
import { searchContext } from '../testing/searchContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'src/b.ts': 'two\nlines\n',
    'src/a.ts': 'one\n',
    'src/a.test.ts': 'test\n',
    'README.md': 'read me',
  })
})
afterEach(() => folder.remove())

const read = async (
  args: Record<string, unknown>,
): Promise<{ files: { path: string }[]; summary: Record<string, number>; notes?: string[] }> =>
  JSON.parse((await runTool(readManyFiles, args, await searchContext(folder.root))).text)
const pathsOf = async (args: Record<string, unknown>) => (await read(args)).files.map((file) => file.path)

test('returns JSON with each file once, sorted by path, and a summary', async () => {
  const answer = await read({ paths: ['src/*.ts', '**/b.ts', 'README.md'] })
  expect(answer.files).toEqual([
    { path: 'README.md', truncated: false, content: 'read me', line_count: 1, byte_count: 7, original_byte_count: 7 },
    {
      path: 'src/a.test.ts',
      truncated: false,
      content: 'test\n',
      line_count: 1,
      byte_count: 5,
      original_byte_count: 5,
    },
    { path: 'src/a.ts', truncated: false, content: 'one\n', line_count: 1, byte_count: 4, original_byte_count: 4 },
    {
      path: 'src/b.ts',
      truncated: false,
      content: 'two\nlines\n',
      line_count: 2,
      byte_count: 10,
      original_byte_count: 10,
    },
  ])
  expect(answer.summary).toEqual({
    matched: 4,
    returned: 4,
    truncated_files: 0,
    skipped: 0,
    failed: 0,
    elapsed_ms: expect.any(Number),
  })
  expect(answer.notes).toBeUndefined()
})

test.each(['paths', 'globs', 'patterns'])('accepts the files as %s', async (name) => {
  expect(await pathsOf({ [name]: ['src/a.ts'] })).toEqual(['src/a.ts'])
})

test('exclude omits files and folders, with or without an exclamation mark', async () => {
  expect(await pathsOf({ paths: ['**/*'], exclude: ['*.test.ts'] })).toEqual(['README.md', 'src/a.ts', 'src/b.ts'])
  expect(await pathsOf({ paths: ['**/*'], exclude: ['!src'] })).toEqual(['README.md'])
})

test('a folder includes its files, and an exact file name matches even if it looks like a glob or is ignored', async () => {
  await writeTree(folder.root, { 'app/[id].ts': 'id', 'app/i.ts': 'i', '.gitignore': 'app\n' })
  expect(await pathsOf({ paths: ['src'] })).toEqual(['src/a.test.ts', 'src/a.ts', 'src/b.ts'])
  expect(await pathsOf({ paths: ['app/[id].ts'] })).toEqual(['app/[id].ts'])
  expect(await pathsOf({ paths: [path.join(folder.root, 'README.md')] })).toEqual(['README.md'])
})

test('include_line_numbers prefixes each line with its number', async () => {
  expect((await read({ paths: ['src/b.ts'], include_line_numbers: true })).files).toMatchObject([
    { content: '1: two\n2: lines', line_count: 2, byte_count: 10 },
  ])
})

test('max_bytes_per_file truncates a file, marks it as truncated and splits no character', async () => {
  await writeTree(folder.root, { 'long.txt': 'aé€😀z' })
  for (const [bytes, content] of [
    [1, 'a'],
    [2, 'a'],
    [3, 'aé'],
    [5, 'aé'],
    [6, 'aé€'],
    [9, 'aé€'],
    [10, 'aé€😀'],
  ] as const) {
    const { files, summary } = await read({ paths: ['long.txt'], max_bytes_per_file: bytes })
    expect(files).toMatchObject([
      { truncated: true, content, byte_count: Buffer.byteLength(content), original_byte_count: 11 },
    ])
    expect(summary).toMatchObject({ returned: 1, truncated_files: 1 })
  }
  expect((await read({ paths: ['long.txt'], max_bytes_per_file: 11 })).files).toMatchObject([
    { truncated: false, content: 'aé€😀z' },
  ])
})

test('max_files limits the files, and the result states how many are omitted', async () => {
  const { files, summary, notes } = await read({ paths: ['**/*'], max_files: 2 })
  expect(files.map((file) => file.path)).toEqual(['README.md', 'src/a.test.ts'])
  expect(summary).toMatchObject({ matched: 4, returned: 2, skipped: 2 })
  expect(notes?.join()).toContain('2 matching files not read')
})

test('numbers above their caps are lowered, with a note', async () => {
  const { notes } = await read({ paths: ['README.md'], max_files: 501, max_bytes_per_file: 524_289 })
  expect(notes).toEqual([expect.stringContaining('so 500 was used'), expect.stringContaining('so 524288 was used')])
})

test('binary and oversized files are reported, and the others are still read', async () => {
  await writeTree(folder.root, { 'src/c.bin': Buffer.from([0, 1, 2, 0]), 'src/huge.log': '' })
  await truncate(path.join(folder.root, 'src/huge.log'), 9 * 1024 * 1024)
  const { files, summary } = await read({ paths: ['src/*'] })
  expect(files.slice(3)).toEqual([
    { path: 'src/c.bin', code: 'binary_file', error: expect.any(String), next: expect.stringMatching(/./) },
    {
      path: 'src/huge.log',
      code: 'too_large',
      error: expect.stringContaining('9'),
      next: expect.stringContaining('read_file_range'),
    },
  ])
  expect(summary).toMatchObject({ matched: 5, returned: 3, failed: 2, skipped: 0 })
})

test('unsaved text of an open tab is read', async () => {
  const editor = fakeEditor()
  editor.tabs.set('src/a.ts', { text: 'typed', dirty: true })
  const workspace = await openWorkspace(folder.root)
  const { text } = await runTool(
    readManyFiles,
    { paths: ['src/a.ts'] },
    await testContext(folder.root, { workspace, editor, search: createSearch(workspace) }),
  )
  expect(JSON.parse(text).files).toMatchObject([{ content: 'typed', unsaved: true }])
})

test('the result names globs without a match', async () => {
  const { files, summary, notes } = await read({ paths: ['*.rs', '**/*.md'] })
  expect(files).toHaveLength(1)
  expect(summary.matched).toBe(1)
  expect(notes?.join()).toContain('No file matches "*.rs"')
})

describe('invalid input', () => {
  test.each([
    ['../*.ts', 'outside_workspace'],
    ['/etc/passwd', 'outside_workspace'],
    ['a\0b', 'invalid_path'],
    ['', 'invalid_pattern'],
    ['src/[a', 'invalid_pattern'],
  ])('path %j: %s', async (glob, code) => {
    await expectFailure(read({ paths: [glob] }), code)
  })

  test('an invalid exclude glob', async () => {
    await expectFailure(read({ paths: ['**/*'], exclude: ['['] }), 'invalid_pattern')
  })

  test.each([{ paths: [] }, { max_files: 0 }, { max_bytes_per_file: 0 }])('%j is not a valid argument', (args) => {
    expect(readManyFiles.schema.safeParse({ paths: ['a'], ...args }).success).toBe(false)
  })

  test('a cancelled call fails', async () => {
    const context = await searchContext(folder.root, { signal: AbortSignal.abort() })
    await expect(runTool(readManyFiles, { paths: ['src/a.ts'] }, context)).rejects.toThrow()
  })
})
