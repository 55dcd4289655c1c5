import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { createJobs } from '../../command/jobs.ts'
import { createSearch } from '../../search/search.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import {
  fakeEditor,
  recordingJournal,
  runTool,
  temporaryFolder,
  testContext,
  writeTree,
  type FakeEditor,
  type RecordingJournal,
  type TestContext,
} from '../testing/toolContext.ts'
import { fileList } from './fileList.ts'
import { filePatch } from './filePatch.ts'
import { fileRead } from './rustantFileRead.ts'
import { fileSearch } from './rustantFileSearch.ts'
import { fileWrite } from './rustantFileWrite.ts'
import { shellExec } from './shellExec.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let journal: RecordingJournal
let context: TestContext
const onDisk = (name: string) => readFile(path.join(folder.root, name), 'utf8')

beforeEach(async () => {
  folder = await temporaryFolder({
    'a.txt': 'one\ntwo\nthree\n',
    'open.txt': 'one\ntwo',
    'empty.txt': '',
    'empty/': '',
    '.git/config': '',
    '.gitignore': 'out/\n',
    'out/o.txt': '',
    'src/main.rs': 'fn main() {\n    old();\n}\n',
    'src/config/Config.toml': '',
    'src/[x].txt': '',
  })
  editor = fakeEditor()
  journal = recordingJournal()
  context = await testContext(folder.root, { editor, journal })
  context.search = createSearch(context.workspace)
})
afterEach(() => folder.remove())

describe('file_read', () => {
  const readIt = (args: Record<string, unknown>) => runTool(fileRead, { path: 'a.txt', ...args }, context)

  it('reads a file or an inclusive range of lines', async () => {
    expect((await readIt({})).text).toBe('one\ntwo\nthree\n')
    expect((await readIt({ start_line: 2, end_line: 3 })).text).toBe('two\nthree')
    expect((await readIt({ start_line: 3, end_line: 99 })).view).toEqual({
      kind: 'file',
      path: 'a.txt',
      startLine: 3,
      endLine: 3,
      totalLines: 3,
      unsaved: false,
    })
    expect((await readIt({ path: 'empty.txt' })).text).toBe('')
  })
  it('reads unsaved text with a note', async () => {
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    expect((await readIt({})).text).toMatch(/unsaved changes[^]*typed/)
  })
  it('refuses invalid ranges, missing files, folders and outside paths', async () => {
    await expectFailure(readIt({ start_line: 4 }), 'out_of_range')
    await expectFailure(readIt({ start_line: 3, end_line: 2 }), 'invalid_arguments')
    await expectFailure(readIt({ path: 'no.txt' }), 'not_found')
    await expectFailure(readIt({ path: 'src' }), 'is_directory')
    await expectFailure(readIt({ path: '../x' }), 'outside_workspace')
    expect(fileRead.schema.safeParse({ path: 'a.txt', start_line: 0 }).success).toBe(false)
    expect(fileRead.schema.safeParse({ path: 'a.txt', end_line: -1 }).success).toBe(false)
  })
})

describe('file_list', () => {
  it('lists all entries of one level', async () => {
    const { text, view } = await runTool(fileList, { path: '.' }, context)
    expect(text.split('\n')).toEqual([
      '.git/ (git-ignored)',
      'empty/',
      'out/ (git-ignored)',
      'src/',
      '.gitignore',
      'a.txt',
      'empty.txt',
      'open.txt',
    ])
    expect(view).toMatchObject({ kind: 'files', total: 8, truncated: false })
    expect((await runTool(fileList, { path: 'empty' }, context)).text).toBe('"empty" is empty.')
  })
  it('shows at most 1,000 entries and states the total', async () => {
    await writeTree(folder.root, Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`many/${index}`, ''])))
    const { text } = await runTool(fileList, { path: 'many' }, context)
    expect(text.split('\n')).toHaveLength(1_002)
    expect(text).toContain('(showing 1000 of 1,001 entries.')
  })
  it('refuses files, missing folders and outside paths', async () => {
    await expectFailure(runTool(fileList, { path: 'a.txt' }, context), 'not_a_directory')
    await expectFailure(runTool(fileList, { path: 'no' }, context), 'not_found')
    await expectFailure(runTool(fileList, { path: '..' }, context), 'outside_workspace')
  })
})

describe('file_search', () => {
  const search = async (args: Record<string, unknown>) => (await runTool(fileSearch, args, context)).text

  it('accepts a glob', async () => {
    expect(await search({ pattern: '**/*.rs' })).toBe('src/main.rs')
    expect(await search({ pattern: '*.{toml,rs}', path: 'src' })).toBe('src/config/Config.toml\nsrc/main.rs')
  })
  it('accepts part of a name, or of a path if it contains "/"', async () => {
    expect(await search({ pattern: 'config' })).toBe('src/config/Config.toml')
    expect(await search({ pattern: 'MAIN' })).toBe('src/main.rs')
    expect(await search({ pattern: 'config/conf' })).toBe('src/config/Config.toml')
    expect(await search({ pattern: 'x].txt' })).toBe('src/[x].txt')
  })
  it('returns at most 200 files, and reports no match', async () => {
    await writeTree(
      folder.root,
      Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/${index}.log`, ''])),
    )
    for (const pattern of ['*.log', 'log']) expect(await search({ pattern })).toContain('(showing 200 of 201 files.')
    expect(await search({ pattern: 'nowhere' })).toContain('has a name that contains "nowhere"')
    expect(await search({ pattern: '*.py' })).toContain('matches "*.py"')
  })
  it('refuses invalid patterns and folders', async () => {
    await expectFailure(search({ pattern: ' ' }), 'invalid_pattern')
    await expectFailure(search({ pattern: 'a\0' }), 'invalid_pattern')
    await expectFailure(search({ pattern: '[' }), 'invalid_pattern')
    await expectFailure(search({ pattern: 'x', path: 'no' }), 'not_found')
    await expectFailure(search({ pattern: 'x', path: '..' }), 'outside_workspace')
  })
})

describe('file_write', () => {
  const write = (given: string, content: string) => runTool(fileWrite, { path: given, content }, context)

  it('creates a file with its folders, and overwrites one', async () => {
    await write('new/b.txt', 'b\n')
    await write('a.txt', 'a\n')
    expect([await onDisk('new/b.txt'), await onDisk('a.txt')]).toEqual(['b\n', 'a\n'])
    expect(journal.recorded).toHaveLength(2)
  })
  it('accepts at most 10 MB', async () => {
    const most = 'é'.repeat(5 * 1024 * 1024)
    await write('big.txt', most)
    expect((await onDisk('big.txt')).length).toBe(most.length)
    await expectFailure(write('bigger.txt', `${most}x`), 'too_large')
    await expectFailure(
      Promise.resolve(fileWrite.preview?.({ path: 'bigger.txt', content: `${most}x` }, context)),
      'too_large',
    )
    await expectFailure(runTool(fileRead, { path: 'bigger.txt' }, context), 'not_found')
  })
  it('refuses folders, outside paths and files with unsaved changes', async () => {
    await expectFailure(write('src', ''), 'is_directory')
    await expectFailure(write('../x', ''), 'outside_workspace')
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    await expectFailure(write('a.txt', ''), 'unsaved_changes')
  })
})

describe('file_patch', () => {
  const patchIt = (patch: string, given = 'a.txt') => runTool(filePatch, { path: given, patch }, context)
  const block = (search: string, replace: string) => `<<<<<<< SEARCH\n${search}=======\n${replace}>>>>>>> REPLACE\n`

  it('applies a unified diff', async () => {
    const { text, view } = await patchIt('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n')
    expect(await onDisk('a.txt')).toBe('one\n2\nthree\n')
    expect(text).toContain('Hunk 1 at line 1')
    expect(view).toMatchObject({ kind: 'diff', editId: 'edit-1' })
  })
  it('applies search and replace blocks, all of them or none', async () => {
    await patchIt(`a.txt\n\`\`\`\n${block('one\n', '1\n')}${block('three\n', '')}\`\`\``)
    expect(await onDisk('a.txt')).toBe('1\ntwo\n')
    await expectFailure(patchIt(block('1\n', 'uno\n') + block('nothing\n', 'x\n')), 'no_match')
    expect(await onDisk('a.txt')).toBe('1\ntwo\n')
    expect(journal.recorded).toHaveLength(1)
  })
  it('finds the last line of a file without a final newline', async () => {
    await patchIt(block('two\n', '2\n'), 'open.txt')
    expect((await onDisk('open.txt')).trimEnd()).toBe('one\n2')
  })
  it('previews both formats and changes nothing', async () => {
    for (const patch of [block('two\n', '2\n'), '@@ -2 +2 @@\n-two\n+2\n']) {
      expect((await filePatch.preview?.({ path: 'a.txt', patch }, context))?.view).toMatchObject({
        kind: 'diff',
        files: [{ added: 1, removed: 1 }],
      })
    }
    expect(await onDisk('a.txt')).toBe('one\ntwo\nthree\n')
  })
  test.each<[string, string, string]>([
    ['text that is not a patch', 'change two to 2', 'invalid_arguments'],
    ['a block that is not closed', '<<<<<<< SEARCH\none\n=======\n1\n', 'invalid_arguments'],
    ['a block in a block', '<<<<<<< SEARCH\none\n<<<<<<< SEARCH\n', 'invalid_arguments'],
    ['a block without a middle', '<<<<<<< SEARCH\none\n>>>>>>> REPLACE\n', 'invalid_arguments'],
    ['a block with an empty search text', block('\n', 'x\n'), 'invalid_arguments'],
    ['a block that changes nothing', block('one\n', 'one\n'), 'no_change'],
    ['a hunk that does not match', '@@ -1 +1 @@\n-uno\n+1\n', 'no_match'],
  ])('refuses %s', async (_, patch, code) => {
    await expectFailure(patchIt(patch), code)
    expect(await onDisk('a.txt')).toBe('one\ntwo\nthree\n')
  })
  it('refuses missing files and outside paths', async () => {
    await expectFailure(patchIt(block('x\n', 'y\n'), 'no.txt'), 'not_found')
    await expectFailure(patchIt('@@ -1 +1 @@\n-x\n+y\n', '../x'), 'outside_workspace')
  })
})

describe('shell_exec', () => {
  it('runs a command, shows its progress, and ends it at the time limit', async () => {
    const jobs = createJobs({
      workspaceRoot: folder.root,
      graceMs: 300,
      onChanged: () => undefined,
      onOutput: () => undefined,
    })
    try {
      context.jobs = jobs
      expect((await runTool(shellExec, { command: 'echo hi' }, context)).text).toMatch(/^hi\n\[exit 0/)
      expect(context.progressed.map((progress) => progress.kind)).toEqual(['job', 'job'])
      expect((await runTool(shellExec, { command: 'sleep 60', timeout_secs: 1 }, context)).text).toContain(
        'pass a higher timeout_secs (at most 600 seconds)',
      )
      await expectFailure(runTool(shellExec, { command: '' }, context), 'invalid_arguments')
      expect(await shellExec.commandLine?.({ command: 'ls', timeout_secs: 1 }, context)).toEqual({
        command: 'ls',
        cwd: '.',
      })
      expect(shellExec.withCommand?.({ command: 'ls', timeout_secs: 9 }, 'ls -a')).toEqual({
        command: 'ls -a',
        timeout_secs: 9,
      })
      expect(shellExec.schema.safeParse({ command: 'ls', timeout_secs: 0 }).success).toBe(false)
    } finally {
      await jobs.dispose()
    }
  })
})
