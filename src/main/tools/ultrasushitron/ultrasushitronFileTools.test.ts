import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
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
import { diff } from './diffTool.ts'
import { edit } from './editTool.ts'
import { patch } from './patchTool.ts'
import { read } from './readTool.ts'
import { truncateUltraSushiTron } from './ultraSushiTronToolset.ts'
import { write } from './writeTool.ts'

const many = Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}\n`).join('')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let journal: RecordingJournal
let context: TestContext
const onDisk = (name: string) => readFile(path.join(folder.root, name), 'utf8')

beforeEach(async () => {
  folder = await temporaryFolder({
    'a.txt': 'one\ntwo\none\n',
    'b.txt': 'one\n2\none\n',
    'many.txt': many,
    'long.txt': `${'x'.repeat(2_001)}\nend`,
    'empty.txt': '',
    'windows.txt': 'x\r\ny\r\n',
    'sub/': '',
  })
  editor = fakeEditor()
  journal = recordingJournal()
  context = await testContext(folder.root, { editor, journal })
})
afterEach(() => folder.remove())

describe('Read', () => {
  const lines = async (args: Record<string, unknown>) => (await runTool(read, args, context)).text.split('\n')

  it('numbers lines from an offset that starts at 1, with an absolute path too', async () => {
    expect(await lines({ file_path: 'a.txt' })).toEqual(['     1\tone', '     2\ttwo', '     3\tone'])
    expect(await lines({ file_path: path.join(folder.root, 'a.txt'), offset: 2, limit: 1 })).toEqual([
      '     2\ttwo',
      '[… 1 more of 3 lines. Read on with offset 3. …]',
    ])
  })
  it('returns 2,000 lines or the requested number, and states how to read on', async () => {
    const shown = await lines({ file_path: 'many.txt' })
    expect(shown).toHaveLength(2_001)
    expect(shown.at(-1)).toBe('[… 500 more of 2,500 lines. Read on with offset 2001. …]')
    expect(await lines({ file_path: 'many.txt', limit: 9_999 })).toHaveLength(2_500)
  })
  it('truncates lines over 2,000 characters', async () => {
    const [first, second] = await lines({ file_path: 'long.txt' })
    expect(first).toBe(`     1\t${'x'.repeat(2_000)} [… 1 more character …]`)
    expect(second).toBe('     2\tend')
  })
  it('ends a page of long lines after a complete line', async () => {
    await runTool(write, { file_path: 'wide.txt', content: `${'é'.repeat(1_900)}\n`.repeat(100) }, context)
    const output = await runTool(read, { file_path: 'wide.txt' }, context)
    expect(output.text).toMatch(/Read on with offset 27\. …\]$/)
    expect(truncateUltraSushiTron(output).truncated).toBe(false)
  })
  it('reads unsaved text with a note, and an empty file', async () => {
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    expect((await lines({ file_path: 'a.txt' })).join('\n')).toMatch(/unsaved changes[^]* {5}1\ttyped$/)
    expect(await lines({ file_path: 'empty.txt' })).toEqual(['(the file is empty)'])
  })
  it('refuses invalid ranges, missing files, folders and outside paths', async () => {
    await expectFailure(runTool(read, { file_path: 'a.txt', offset: 4 }, context), 'out_of_range')
    await expectFailure(runTool(read, { file_path: 'no.txt' }, context), 'not_found')
    await expectFailure(runTool(read, { file_path: 'sub' }, context), 'is_directory')
    await expectFailure(runTool(read, { file_path: '/etc/passwd' }, context), 'outside_workspace')
    for (const wrong of [{ offset: 0 }, { limit: 0 }, { limit: -1 }, { offset: 1.5 }])
      expect(read.schema.safeParse({ file_path: 'a.txt', ...wrong }).success).toBe(false)
  })
})

describe('Write', () => {
  it('creates a file with its folders, overwrites in the format of the file, previews, and records', async () => {
    await runTool(write, { file_path: 'new/c.toml', content: 'port = 1\n' }, context)
    await runTool(write, { file_path: 'windows.txt', content: 'z\n' }, context)
    expect([await onDisk('new/c.toml'), await onDisk('windows.txt')]).toEqual(['port = 1\n', 'z\r\n'])
    expect(journal.recorded).toHaveLength(2)
    expect((await write.preview?.({ file_path: 'q', content: 'q' }, context))?.view).toMatchObject({
      kind: 'diff',
      files: [{ change: 'created' }],
    })
    expect(write.writes?.({ file_path: 'q', content: '' })).toEqual(['q'])
    await expectFailure(runTool(write, { file_path: '../x', content: '' }, context), 'outside_workspace')
    await expectFailure(runTool(write, { file_path: 'sub', content: '' }, context), 'is_directory')
  })
})

describe('Edit', () => {
  const change = (args: Record<string, unknown>) => runTool(edit, { file_path: 'a.txt', ...args }, context)

  it('replaces the only occurrence, or every occurrence', async () => {
    await change({ old_string: 'two', new_string: '2' })
    expect((await change({ old_string: 'one', new_string: '1', replace_all: true })).text).toBe(
      'Edited "a.txt" at 2 places (lines 1, 3): 2 lines added, 2 lines removed.',
    )
    expect(await onDisk('a.txt')).toBe('1\n2\n1\n')
    expect(journal.recorded).toHaveLength(2)
  })
  test.each([
    ['one', '1', 'ambiguous_match'],
    ['three', '3', 'no_match'],
    ['', 'x', 'invalid_arguments'],
    ['two', 'two', 'no_change'],
  ])('refuses to replace %j with %j: %s', async (old, now, code) => {
    await expectFailure(change({ old_string: old, new_string: now }), code)
    await expectFailure(
      Promise.resolve(
        edit.preview?.({ file_path: 'a.txt', old_string: old, new_string: now, replace_all: false }, context),
      ),
      code,
    )
    expect(await onDisk('a.txt')).toBe('one\ntwo\none\n')
  })
})

describe('Diff', () => {
  const compare = (args: Record<string, unknown>) => runTool(diff, args, context)

  it('compares files, texts, and a file with a text', async () => {
    const { text, view } = await compare({ file_a: 'a.txt', file_b: 'b.txt' })
    expect(text).toContain('--- a.txt\n+++ b.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n one\n')
    expect(view).toMatchObject({ kind: 'diff', files: [{ path: 'b.txt', added: 1, removed: 1 }] })
    expect((await compare({ text_a: 'one\n', text_b: 'two' })).text).toContain(
      '-one\n+two\n\\ No newline at end of file',
    )
    expect((await compare({ file_a: 'b.txt', text_b: 'one\n2\none\n' })).text).toBe(
      '"b.txt" and "text_b" are identical.',
    )
  })
  it.each<[string, Record<string, string | Buffer>, string]>([
    ['LF and CRLF', { x: 'a\nb\n', y: 'a\r\nb\r\n' }, 'Line endings: LF in "x", CRLF in "y".'],
    ['LF and CR', { x: 'a\nb\n', y: 'a\rb\r' }, 'Line endings: LF in "x", CR in "y".'],
    ['LF and mixed', { x: 'a\nb\nc\n', y: 'a\nb\r\nc\n' }, 'Line endings: LF in "x", LF and CRLF in "y".'],
    ['two mixtures', { x: 'a\nb\r\n', y: 'a\r\nb\n' }, 'Line endings: LF and CRLF in both, but not at the same lines.'],
    ['a mark', { x: 'a\n', y: '\uFEFFa\n' }, 'Encodings: utf8 in "x", utf8bom in "y".'],
    [
      'UTF-16',
      { x: 'a\n', y: Buffer.from('\uFEFFa\r\n', 'utf16le') },
      'Line endings: LF in "x", CRLF in "y". Encodings: utf8 in "x", utf16le in "y".',
    ],
  ])('does not call files identical that differ in %s', async (_difference, files, expected) => {
    await writeTree(folder.root, files)
    expect((await compare({ file_a: 'x', file_b: 'y' })).text).toBe(
      `"x" and "y" have the same lines but are not identical. ${expected}`,
    )
  })
  it('names different line endings below a diff and of texts', async () => {
    expect((await compare({ file_a: 'b.txt', text_b: 'one\r\n2\r\none\r\n' })).text).toContain(
      'not identical. Line endings',
    )
    const { text } = await compare({ text_a: 'one\ntwo\n', text_b: 'one\r\n2\r\n' })
    expect(text).toContain('-two\n+2\n\nLine endings: LF in "text_a", CRLF in "text_b".')
  })
  it('shows the requested number of lines around a change', async () => {
    expect((await compare({ file_a: 'a.txt', file_b: 'b.txt', context_lines: 0 })).text).toContain(
      '@@ -2 +2 @@\n-two\n+2\n',
    )
  })
  it('compares unsaved text', async () => {
    editor.tabs.set('a.txt', { text: 'one\n2\none\n', dirty: true })
    expect((await compare({ file_a: 'a.txt', file_b: 'b.txt' })).text).toContain('are identical')
  })
  it('has a bounded size if the texts differ completely', async () => {
    const { text } = await compare({ text_a: many, text_b: many.replaceAll('line', 'row').repeat(4) })
    expect(text).toContain('-line 1\n')
    expect(text).toContain('+row 2500\n')
  })
  it('refuses missing, contradictory and invalid arguments', async () => {
    await expectFailure(compare({ file_a: 'a.txt' }), 'invalid_arguments')
    await expectFailure(compare({ file_a: 'a.txt', text_a: 'x', file_b: 'b.txt' }), 'invalid_arguments')
    await expectFailure(compare({ file_a: 'a.txt', file_b: 'no.txt' }), 'not_found')
    expect(diff.schema.safeParse({ text_a: '', text_b: 'x', context_lines: -1 }).success).toBe(false)
  })
})

describe('Patch', () => {
  const two = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -3 +3,2 @@\n-one\n+uno\n+more\n'
  const run = (args: Record<string, unknown>) => runTool(patch, { file_path: 'a.txt', ...args }, context)

  it('applies several hunks and returns their lines', async () => {
    const { text, view } = await run({ patch: two })
    expect(await onDisk('a.txt')).toBe('1\ntwo\nuno\nmore\n')
    expect(text).toBe('Patched "a.txt" (+3 -2).\nHunk 1 at line 1\nHunk 2 at line 3')
    expect(view).toMatchObject({ kind: 'diff', editId: 'edit-1' })
    expect(journal.recorded[0]?.changes).toEqual([
      { path: 'a.txt', before: 'one\ntwo\none\n', after: '1\ntwo\nuno\nmore\n' },
    ])
  })
  it('reports offset and fuzz', async () => {
    const { text } = await run({
      file_path: 'many.txt',
      patch: '@@ -10,4 +10,4 @@\n line 12\n line 13\n-line 14\n+new\n wrong\n',
    })
    expect(text).toContain('Hunk 1 at line 12, offset 2 lines, fuzz 1')
  })
  it('writes nothing if one hunk is rejected, and shows it', async () => {
    const error = await expectFailure(
      run({ patch: '@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -3 +3 @@\n-three\n+3\n' }),
      'no_match',
    )
    expect(error.message).toContain('1 of 2 hunks')
    expect(error.message).toContain('Hunk 2 rejected: Its lines are not in the file.\n@@ -3 +3 @@\n-three\n+3')
    expect(await onDisk('a.txt')).toBe('one\ntwo\none\n')
    expect(journal.recorded).toEqual([])
  })
  it('with dry_run only shows its effect, including rejected hunks', async () => {
    const good = await run({ patch: two, dry_run: true })
    expect(good.text).toMatch(/nothing was written\. The whole patch would apply\.[^]*Hunk 2 at line 3[^]*\+uno/)
    expect((await run({ patch: '@@ -3 +3 @@\n-three\n+3\n', dry_run: true })).text).toContain(
      '1 of 1 hunk would be rejected',
    )
    expect(await onDisk('a.txt')).toBe('one\ntwo\none\n')
    expect(patch.riskOf?.({ file_path: 'a.txt', patch: two, dry_run: true })).toBe('read')
    expect(patch.writes?.({ file_path: 'a.txt', patch: two, dry_run: false })).toEqual(['a.txt'])
  })
  it('creates a file from /dev/null', async () => {
    const created = '--- /dev/null\n+++ b/new/c.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n'
    await run({ file_path: 'new/c.txt', patch: created })
    expect(await onDisk('new/c.txt')).toBe('a\nb\n')
    await expectFailure(run({ file_path: 'new/c.txt', patch: created }), 'already_exists')
  })
  it('edits a tab with unsaved changes', async () => {
    editor.tabs.set('a.txt', { text: 'one\ntwo\none\ntyped', dirty: true })
    expect((await run({ patch: two })).text).toContain('Only the open tab was edited')
    expect([editor.tabs.get('a.txt')?.text, await onDisk('a.txt')]).toEqual([
      '1\ntwo\nuno\nmore\ntyped',
      'one\ntwo\none\n',
    ])
  })
  it('keeps Windows line endings', async () => {
    await run({ file_path: 'windows.txt', patch: '@@ -1,2 +1,2 @@\r\n-x\r\n+z\r\n y\r\n' })
    expect(await onDisk('windows.txt')).toBe('z\r\ny\r\n')
  })
  test.each<[string, Record<string, unknown>, string]>([
    ['no diff', { patch: 'hello' }, 'invalid_arguments'],
    ['an empty diff', { patch: '' }, 'invalid_arguments'],
    ['a deletion', { patch: '--- a/a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-one\n' }, 'invalid_arguments'],
    ['a missing file', { file_path: 'no.txt', patch: two }, 'not_found'],
    ['a path outside the workspace', { file_path: '../x', patch: two }, 'outside_workspace'],
    ['a patch that changes nothing', { patch: '@@ -1 +1 @@\n-one\n+one\n' }, 'no_change'],
  ])('refuses %s', async (_, args, code) => {
    await expectFailure(run(args), code)
    expect((await readdir(folder.root)).toSorted()).toEqual([
      'a.txt',
      'b.txt',
      'empty.txt',
      'long.txt',
      'many.txt',
      'sub',
      'windows.txt',
    ])
    expect(await onDisk('a.txt')).toBe('one\ntwo\none\n')
  })
})
