import { readdir, readFile, symlink, writeFile as put } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolError } from '../../../shared/errors.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { expectFailure, fileSystemWith, systemError } from '../../workspace/testing/disk.ts'
import {
  fakeEditor,
  recordingJournal,
  runTool,
  temporaryFolder,
  testContext,
  type FakeEditor,
  type RecordingJournal,
  type TestContext,
} from '../testing/toolContext.ts'
import { writeFile } from './writeFile.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let journal: RecordingJournal
let context: TestContext
const onDisk = (name: string) => readFile(path.join(folder.root, name), 'utf8')

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\ntwo\n', 'windows.txt': 'one\r\ntwo\r\n', 'sub/': '' })
  editor = fakeEditor()
  journal = recordingJournal()
  context = await testContext(folder.root, { editor, journal })
})
afterEach(() => folder.remove())

it.each(['content', 'contents', 'text', 'data'])(
  'creates a file with its folders from the argument %s',
  async (name) => {
    const { text, view } = await runTool(writeFile, { file_path: 'new/deep/b.txt', [name]: 'b\n' }, context)
    expect(await onDisk('new/deep/b.txt')).toBe('b\n')
    expect(text).toBe('Created "new/deep/b.txt" with 1 line.')
    expect(view).toMatchObject({
      kind: 'diff',
      editId: 'edit-1',
      files: [{ path: 'new/deep/b.txt', change: 'created', added: 1, removed: 0 }],
    })
    expect(journal.recorded).toEqual([
      { callId: 'call-1', changes: [{ path: 'new/deep/b.txt', before: null, after: 'b\n' }] },
    ])
  },
)

it('has the alias create_file', () => expect(writeFile.aliases).toEqual(['create_file']))

it('replaces a file in its own format, shows the diff and stores the previous text', async () => {
  const { text, view } = await runTool(writeFile, { path: 'windows.txt', content: 'one\n2\n' }, context)
  expect(await onDisk('windows.txt')).toBe('one\r\n2\r\n')
  expect(text).toBe('Replaced "windows.txt": 1 line added, 1 line removed.')
  expect(view).toMatchObject({
    kind: 'diff',
    files: [{ change: 'modified', diff: expect.stringContaining('-two\n+2') }],
  })
  expect(journal.recorded[0]?.changes).toEqual([{ path: 'windows.txt', before: 'one\ntwo\n', after: 'one\n2\n' }])
})

it('reports an unchanged file, and records nothing', async () => {
  expect((await runTool(writeFile, { path: 'a.txt', content: 'one\ntwo\n' }, context)).text).toContain('already')
  expect(journal.recorded).toEqual([])
})

it('writes an empty file, and a text without a final newline', async () => {
  await runTool(writeFile, { path: 'empty.txt', content: '' }, context)
  await runTool(writeFile, { path: 'bare.txt', content: 'bare' }, context)
  expect([await onDisk('empty.txt'), await onDisk('bare.txt')]).toEqual(['', 'bare'])
})

it('writes more lines than a call can have arguments', async () => {
  const content = 'x\n'.repeat(200_000)
  const { text, view } = await runTool(writeFile, { path: 'long.txt', content }, context)
  expect(text).toBe('Created "long.txt" with 200,000 lines.')
  expect(view).toMatchObject({ editId: 'edit-1', files: [{ added: 200_000 }] })
})

it('reports a change that cannot be undone', async () => {
  journal.record = () => undefined
  const { text, view } = await runTool(writeFile, { path: 'a.txt', content: 'new\n' }, context)
  expect(text).toContain('cannot be undone')
  expect(view).toMatchObject({ editId: undefined, note: expect.stringContaining('cannot be undone') })
})

it('does not fail if the tab cannot be updated', async () => {
  const shown = vi.spyOn(console, 'error').mockImplementation(() => {})
  const stubborn = fakeEditor({
    'editor.applyText': () => {
      throw new ToolError('internal', 'The window did not answer.')
    },
  })
  stubborn.tabs.set('a.txt', { text: 'one\ntwo\n', dirty: false })
  const at = await testContext(folder.root, { editor: stubborn, journal })
  expect((await runTool(writeFile, { path: 'a.txt', content: 'new\n' }, at)).text).toContain('Replaced "a.txt"')
  expect(await onDisk('a.txt')).toBe('new\n')
  expect(shown).toHaveBeenCalledOnce()
  shown.mockRestore()
})

it('updates an open tab', async () => {
  editor.tabs.set('a.txt', { text: 'one\ntwo\n', dirty: false })
  await runTool(writeFile, { path: 'a.txt', content: 'new\n' }, context)
  expect(editor.tabs.get('a.txt')).toMatchObject({ text: 'new\n', dirty: false })
})

it('previews the diff and changes nothing', async () => {
  const preview = async (args: Record<string, unknown>) =>
    (await writeFile.preview?.(writeFile.schema.parse(args), context))?.view
  expect(await preview({ path: 'a.txt', content: 'one\n' })).toMatchObject({
    kind: 'diff',
    files: [{ change: 'modified', removed: 1 }],
  })
  expect(await preview({ path: 'x/new.txt', content: 'one\n' })).toMatchObject({
    kind: 'diff',
    files: [{ path: 'x/new.txt', change: 'created', added: 1 }],
  })
  expect((await readdir(folder.root)).toSorted()).toEqual(['a.txt', 'sub', 'windows.txt'])
  expect(journal.recorded).toEqual([])
  await expectFailure(preview({ path: '../x', content: '' }), 'outside_workspace')
})

describe('refuses without writing:', () => {
  const write = (given: string) => runTool(writeFile, { path: given, content: 'x' }, context)
  afterEach(async () => {
    expect(journal.recorded).toEqual([])
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })

  it('invalid paths', async () => {
    await expectFailure(write(''), 'invalid_path')
    await expectFailure(write('a\0.txt'), 'invalid_path')
    await expectFailure(write('a.txt/below'), 'not_a_directory')
    await expectFailure(write('sub'), 'is_directory')
    await expectFailure(write('.'), 'is_directory')
  })
  it('every path outside the workspace', async () => {
    const other = await temporaryFolder()
    try {
      await symlink(other.root, path.join(folder.root, 'door'))
      await symlink(path.join(other.root, 'new.txt'), path.join(folder.root, 'dangling'))
      for (const given of [
        '../x',
        path.join(other.root, 'x'),
        'door/x',
        'door/new/x',
        'dangling',
        '~/x',
        'no/../../x',
      ]) {
        await expectFailure(write(given), 'outside_workspace')
      }
      expect(await readdir(other.root)).toEqual([])
    } finally {
      await other.remove()
    }
  })
  it('a file with unsaved changes', async () => {
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    await expectFailure(write('a.txt'), 'unsaved_changes')
    await expectFailure(
      Promise.resolve(writeFile.preview?.(writeFile.schema.parse({ path: 'a.txt', content: 'x' }), context)),
      'unsaved_changes',
    )
    expect(editor.tabs.get('a.txt')?.text).toBe('typed')
  })
  it('a binary file', async () => {
    await put(path.join(folder.root, 'x.zip'), Buffer.from('PK\x03\x04\0', 'latin1'))
    await expectFailure(write('x.zip'), 'binary_file')
  })
  it('a full disk', async () => {
    const fileSystem = fileSystemWith({ open: () => Promise.reject(systemError('ENOSPC')) })
    context.documents = createDocuments(context.workspace, editor, { fileSystem })
    await expectFailure(write('a.txt'), 'no_space')
    await expectFailure(write('new/b.txt'), 'no_space')
    expect((await readdir(folder.root)).toSorted()).toEqual(['a.txt', 'sub', 'windows.txt'])
  })
})
