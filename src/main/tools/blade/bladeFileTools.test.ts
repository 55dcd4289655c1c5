import { chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBuffers } from '../../workspace/buffers.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
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
import type { Tool } from '../common/toolDefinition.ts'
import { copyFile } from './copyFile.ts'
import { createDirectory } from './createDirectory.ts'
import { deleteFile } from './deleteFile.ts'
import { getFileInfo } from './getFileInfo.ts'
import { moveFile } from './moveFile.ts'

// Tools that move, copy and delete files without reading their text.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let journal: RecordingJournal
let context: TestContext
const onDisk = (name: string) => readFile(path.join(folder.root, name), 'utf8')
const tree = async () => (await readdir(folder.root, { recursive: true })).toSorted()
const run = (tool: Tool, args: Record<string, unknown>) => runTool(tool, args, context)
const preview = async (tool: Tool, args: Record<string, unknown>) =>
  (await tool.preview?.(tool.schema.parse(args), context))?.view

beforeEach(async () => {
  folder = await temporaryFolder({
    'a.txt': 'one\ntwo\n',
    'b.txt': 'b\n',
    'src/c.txt': 'c\n',
    'x.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]),
  })
  editor = fakeEditor()
  journal = recordingJournal()
  context = await testContext(folder.root, { editor, journal })
})
afterEach(() => {
  vi.restoreAllMocks()
  return folder.remove()
})

describe('delete_file', () => {
  it('deletes a text file, shows its content and stores it for undo', async () => {
    const { text, view } = await run(deleteFile, { path: 'a.txt' })
    expect(text).toBe('Deleted "a.txt".')
    expect(view).toMatchObject({
      kind: 'diff',
      editId: 'edit-1',
      files: [{ path: 'a.txt', change: 'deleted', added: 0, removed: 2 }],
    })
    expect(journal.recorded[0]?.changes).toEqual([
      { path: 'a.txt', before: 'one\ntwo\n', after: null, mode: expect.any(Number) },
    ])
    expect(await tree()).not.toContain('a.txt')
  })
  it('deletes binary files, large files and folders without undo, and reports it', async () => {
    await writeFile(path.join(folder.root, 'large.txt'), 'x'.repeat(1024 * 1024 + 1))
    for (const args of [{ path: 'x.png' }, { path: 'large.txt' }, { path: 'src', recursive: true }]) {
      const { view } = await run(deleteFile, args)
      expect(view).toMatchObject({
        kind: 'diff',
        files: [{ path: args.path, change: 'deleted', diff: '' }],
        note: expect.stringContaining('cannot be undone'),
      })
      expect(view).not.toHaveProperty('editId')
    }
    expect(journal.recorded).toEqual([])
    expect(await tree()).toEqual(['a.txt', 'b.txt'])
  })
  it('stores line endings and BOM for undo, but cannot restore UTF-16', async () => {
    await writeFile(path.join(folder.root, 'windows.txt'), '\uFEFFa\r\nb\r\n')
    await writeFile(path.join(folder.root, 'wide.txt'), Buffer.from('\uFEFFa\n', 'utf16le'))
    await run(deleteFile, { path: 'windows.txt' })
    expect(journal.recorded[0]?.changes).toEqual([
      { path: 'windows.txt', before: '\uFEFFa\r\nb\r\n', after: null, mode: expect.any(Number) },
    ])
    expect((await run(deleteFile, { path: 'wide.txt' })).view).toMatchObject({
      files: [{ removed: 1 }],
      note: expect.stringContaining('cannot'),
    })
    expect(journal.recorded).toHaveLength(1)
  })
  it('requires recursive for a folder', async () => {
    await expectFailure(run(deleteFile, { path: 'src' }), 'not_empty')
    await run(createDirectory, { path: 'empty' })
    await expectFailure(run(deleteFile, { path: 'empty' }), 'is_directory')
    await expectFailure(run(deleteFile, { path: '.', recursive: true }), 'invalid_path')
  })
  it('deletes a link and not its target', async () => {
    await symlink('a.txt', path.join(folder.root, 'link'))
    expect((await run(deleteFile, { path: 'link' })).text).toBe('Deleted the symbolic link "link".')
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })
  it('refuses a file with unsaved changes, in a folder too', async () => {
    editor.tabs.set('src/c.txt', { text: 'typed', dirty: true })
    await expectFailure(run(deleteFile, { path: 'src/c.txt' }), 'unsaved_changes')
    await expectFailure(run(deleteFile, { path: 'src', recursive: true }), 'unsaved_changes')
    editor.tabs.set('src/c.txt', { text: 'c\n', dirty: false })
    await run(deleteFile, { path: 'src', recursive: true })
  })
  it('refuses a folder with unsaved changes while the window reloads', async () => {
    const buffers = createBuffers()
    buffers.sync({ path: 'src/c.txt', open: true, dirty: true, text: 'typed' })
    editor.attached = false
    context.documents = createDocuments(context.workspace, editor, { buffers })
    await expectFailure(run(deleteFile, { path: 'src', recursive: true }), 'unsaved_changes')
    await expectFailure(run(moveFile, { source: 'src', destination: 'lib' }), 'unsaved_changes')
    expect(await onDisk('src/c.txt')).toBe('c\n')
  })
  it('does not fail if the content cannot be stored for undo, and reports it', async () => {
    journal.record = () => undefined
    expect((await run(deleteFile, { path: 'a.txt' })).view).toEqual({
      kind: 'diff',
      files: [expect.anything()],
      note: expect.stringContaining('too large to store'),
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    journal.record = () => {
      throw new Error('database or disk is full')
    }
    const { text, view } = await run(deleteFile, { path: 'b.txt' })
    expect([text, view]).toEqual([
      'Deleted "b.txt".',
      { kind: 'diff', files: [expect.anything()], note: expect.stringContaining('could not be stored') },
    ])
    expect(console.error).toHaveBeenCalledOnce()
  })
  it('previews the deletion and changes nothing', async () => {
    expect(await preview(deleteFile, { path: 'a.txt' })).toMatchObject({ files: [{ change: 'deleted', removed: 2 }] })
    expect(await preview(deleteFile, { path: 'src', recursive: true })).toMatchObject({
      files: [{ path: 'src', change: 'deleted', diff: '' }],
    })
    // A call that would be refused is refused before the preview.
    await expect(preview(deleteFile, { path: 'src' })).rejects.toMatchObject({ code: 'not_empty' })
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })
})

describe('move_file', () => {
  it('moves a file and creates the parent folders', async () => {
    const { text, view } = await run(moveFile, { source: 'a.txt', destination: 'new/place/a.txt' })
    expect(text).toBe('Moved "a.txt" to "new/place/a.txt".')
    expect(view).toMatchObject({ kind: 'diff', files: [{ path: 'new/place/a.txt', from: 'a.txt', change: 'renamed' }] })
    expect(await onDisk('new/place/a.txt')).toBe('one\ntwo\n')
  })
  it('replaces a file only with overwrite, and stores the replaced one', async () => {
    await expectFailure(run(moveFile, { source: 'a.txt', destination: 'b.txt' }), 'already_exists')
    const { text, view } = await run(moveFile, { source: 'a.txt', destination: 'b.txt', overwrite: true })
    expect(text).toContain('replacing')
    expect(view).toMatchObject({ editId: 'edit-1' })
    expect(journal.recorded[0]?.changes).toEqual([
      { path: 'a.txt', before: 'one\ntwo\n', after: null, mode: expect.any(Number) },
      { path: 'b.txt', before: 'b\n', after: 'one\ntwo\n', mode: expect.any(Number) },
    ])
  })
  it('offers no undo that would restore the replaced file in another format', async () => {
    await writeFile(path.join(folder.root, 'windows.txt'), 'a\r\nb\r\n')
    const { view } = await run(copyFile, { source: 'a.txt', destination: 'windows.txt', overwrite: true })
    expect(view).not.toHaveProperty('editId')
    await writeFile(path.join(folder.root, 'windows.txt'), 'a\r\nb\r\n')
    expect(
      (await run(moveFile, { source: 'windows.txt', destination: 'b.txt', overwrite: true })).view,
    ).not.toHaveProperty('editId')
    expect(journal.recorded).toEqual([])
  })
  it('refuses to move a folder into itself', () =>
    expectFailure(run(moveFile, { source: 'src', destination: 'src/inner' }), 'invalid_path'))
  it('refuses a source or destination with unsaved changes', async () => {
    editor.tabs.set('b.txt', { text: 'typed', dirty: true })
    await expectFailure(run(moveFile, { source: 'b.txt', destination: 'z.txt' }), 'unsaved_changes')
    await expectFailure(run(moveFile, { source: 'a.txt', destination: 'b.txt', overwrite: true }), 'unsaved_changes')
  })
})

describe('copy_file', () => {
  it('copies a file and creates the parent folders, and copies a folder with its content', async () => {
    const { text, view } = await run(copyFile, { source: 'a.txt', destination: 'new/a.txt' })
    expect(text).toBe('Copied "a.txt" to "new/a.txt".')
    expect(view).toMatchObject({
      kind: 'diff',
      editId: 'edit-1',
      files: [{ path: 'new/a.txt', change: 'created', added: 2 }],
    })
    expect((await run(copyFile, { source: 'src', destination: 'lib' })).text).toBe(
      'Copied the directory "src" to "lib".',
    )
    expect(await tree()).toEqual(expect.arrayContaining(['a.txt', 'new/a.txt', 'src/c.txt', 'lib/c.txt']))
  })
  it('copies a binary file', async () => {
    await run(copyFile, { source: 'x.png', destination: 'y.png' })
    expect(await readFile(path.join(folder.root, 'y.png'))).toEqual(await readFile(path.join(folder.root, 'x.png')))
    expect(journal.recorded).toEqual([])
  })
  it('replaces a file only with overwrite, and stores the replaced one', async () => {
    await expectFailure(run(copyFile, { source: 'a.txt', destination: 'b.txt' }), 'already_exists')
    await run(copyFile, { source: 'a.txt', destination: 'b.txt', overwrite: true })
    expect(journal.recorded[0]?.changes).toEqual([
      { path: 'b.txt', before: 'b\n', after: 'one\ntwo\n', mode: expect.any(Number) },
    ])
    expect(await onDisk('b.txt')).toBe('one\ntwo\n')
  })
  it('previews the copy and changes nothing', async () => {
    expect(await preview(copyFile, { source: 'a.txt', destination: 'q/a.txt' })).toMatchObject({
      files: [{ path: 'q/a.txt', change: 'created', added: 2 }],
    })
    expect(await tree()).not.toContain('q')
  })
})

describe('create_directory', () => {
  it('creates a folder with its parents; an existing one stays unchanged', async () => {
    expect((await run(createDirectory, { path: 'p/q' })).text).toBe('Created the directory "p/q".')
    expect((await run(createDirectory, { path: 'p/q' })).text).toContain('already exists')
    await expectFailure(run(createDirectory, { path: 'a.txt' }), 'already_exists')
  })
})

describe('get_file_info', () => {
  it('returns JSON', async () => {
    await chmod(path.join(folder.root, 'a.txt'), 0o644)
    const { text, format } = await run(getFileInfo, { path: 'a.txt' })
    expect(format).toBe('json')
    expect(JSON.parse(text)).toEqual({
      path: 'a.txt',
      size: 8,
      is_directory: false,
      is_file: true,
      modified: expect.any(Number),
      readonly: false,
    })
    expect(JSON.parse((await run(getFileInfo, { path: 'src' })).text)).toMatchObject({
      is_directory: true,
      is_file: false,
    })
  })
})

describe('risk and paths', () => {
  it('moving and copying are destructive only with overwrite', () => {
    for (const tool of [moveFile, copyFile]) {
      const risk = (overwrite: boolean) =>
        tool.riskOf?.(tool.schema.parse({ source: 'a', destination: 'b', overwrite }))
      expect([tool.risk, risk(false), risk(true)]).toEqual(['destructive', 'write', 'destructive'])
    }
    expect([deleteFile.risk, createDirectory.risk, getFileInfo.risk]).toEqual(['destructive', 'write', 'read'])
  })
  it('each returns the paths that it writes', () => {
    const writes = (tool: Tool, args: Record<string, unknown>) => tool.writes?.(tool.schema.parse(args))
    expect(writes(deleteFile, { path: 'a' })).toEqual(['a'])
    expect(writes(createDirectory, { path: 'a' })).toEqual(['a'])
    expect(writes(moveFile, { source: 'a', destination: 'b' })).toEqual(['a', 'b'])
    expect(writes(copyFile, { source: 'a', destination: 'b' })).toEqual(['b'])
  })
})

describe('a path outside the workspace and an invalid path are refused', () => {
  const calls: [string, (given: string) => Promise<unknown>][] = [
    ['delete_file', (given) => run(deleteFile, { path: given, recursive: true })],
    ['create_directory', (given) => run(createDirectory, { path: given })],
    ['get_file_info', (given) => run(getFileInfo, { path: given })],
    ['move_file from', (given) => run(moveFile, { source: given, destination: 'z' })],
    ['move_file to', (given) => run(moveFile, { source: 'a.txt', destination: given })],
    ['copy_file from', (given) => run(copyFile, { source: given, destination: 'z' })],
    ['copy_file to', (given) => run(copyFile, { source: 'a.txt', destination: given })],
  ]
  it.each(calls)('%s', async (_, call) => {
    const other = await temporaryFolder({ 'secret.txt': 'secret' })
    try {
      await symlink(other.root, path.join(folder.root, 'door'))
      const before = await tree()
      for (const given of [
        '../x',
        '..',
        '/',
        path.join(other.root, 'secret.txt'),
        'door/secret.txt',
        'door/new/x',
        '~',
        '~/x',
        'no/../../x',
      ]) {
        await expectFailure(call(given), 'outside_workspace')
      }
      await expectFailure(call(''), 'invalid_path')
      await expectFailure(call('a\0b'), 'invalid_path')
      expect(await tree()).toEqual(before)
      expect(await readdir(other.root)).toEqual(['secret.txt'])
    } finally {
      await other.remove()
    }
  })
})
