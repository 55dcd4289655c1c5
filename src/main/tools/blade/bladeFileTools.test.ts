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
import type { Tool } from '../toolDefinition.ts'
import { copyFile } from './copyFile.ts'
import { createDirectory } from './createDirectory.ts'
import { deleteFile } from './deleteFile.ts'
import { getFileInfo } from './getFileInfo.ts'
import { moveFile } from './moveFile.ts'

// The tools that move files about and do not read their text.

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
  it('deletes a text file, shows what went and keeps it for undo', async () => {
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
  it('deletes binary and large files and folders without keeping them, and says so', async () => {
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
  it('keeps line ends and BOM for undo, but cannot bring UTF-16 back', async () => {
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
  it('needs recursive for a folder', async () => {
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
  it("refuses where the user's typing would lose its file, in a folder too", async () => {
    editor.tabs.set('src/c.txt', { text: 'typed', dirty: true })
    await expectFailure(run(deleteFile, { path: 'src/c.txt' }), 'unsaved_changes')
    await expectFailure(run(deleteFile, { path: 'src', recursive: true }), 'unsaved_changes')
    editor.tabs.set('src/c.txt', { text: 'c\n', dirty: false })
    await run(deleteFile, { path: 'src', recursive: true })
  })
  it('knows of typing in a folder while the window reloads', async () => {
    const buffers = createBuffers()
    buffers.sync({ path: 'src/c.txt', open: true, dirty: true, text: 'typed' })
    editor.attached = false
    context.documents = createDocuments(context.workspace, editor, { buffers })
    await expectFailure(run(deleteFile, { path: 'src', recursive: true }), 'unsaved_changes')
    await expectFailure(run(moveFile, { source: 'src', destination: 'lib' }), 'unsaved_changes')
    expect(await onDisk('src/c.txt')).toBe('c\n')
  })
  it('does not fail once the file is gone: what cannot be kept for undo is said', async () => {
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
  it('previews what would go and touches nothing', async () => {
    expect(await preview(deleteFile, { path: 'a.txt' })).toMatchObject({ files: [{ change: 'deleted', removed: 2 }] })
    expect(await preview(deleteFile, { path: 'src', recursive: true })).toMatchObject({
      files: [{ path: 'src', change: 'deleted', diff: '' }],
    })
    // What would be refused is refused before it is shown.
    await expect(preview(deleteFile, { path: 'src' })).rejects.toMatchObject({ code: 'not_empty' })
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })
})

describe('move_file', () => {
  it('moves with the parents made', async () => {
    const { text, view } = await run(moveFile, { source: 'a.txt', destination: 'new/place/a.txt' })
    expect(text).toBe('Moved "a.txt" to "new/place/a.txt".')
    expect(view).toMatchObject({ kind: 'diff', files: [{ path: 'new/place/a.txt', from: 'a.txt', change: 'renamed' }] })
    expect(await onDisk('new/place/a.txt')).toBe('one\ntwo\n')
  })
  it('replaces a file only when told to, and keeps what it replaced', async () => {
    await expectFailure(run(moveFile, { source: 'a.txt', destination: 'b.txt' }), 'already_exists')
    const { text, view } = await run(moveFile, { source: 'a.txt', destination: 'b.txt', overwrite: true })
    expect(text).toContain('replacing')
    expect(view).toMatchObject({ editId: 'edit-1' })
    expect(journal.recorded[0]?.changes).toEqual([
      { path: 'a.txt', before: 'one\ntwo\n', after: null, mode: expect.any(Number) },
      { path: 'b.txt', before: 'b\n', after: 'one\ntwo\n', mode: expect.any(Number) },
    ])
  })
  it('offers no undo that would put the replaced file back in another format', async () => {
    await writeFile(path.join(folder.root, 'windows.txt'), 'a\r\nb\r\n')
    const { view } = await run(copyFile, { source: 'a.txt', destination: 'windows.txt', overwrite: true })
    expect(view).not.toHaveProperty('editId')
    await writeFile(path.join(folder.root, 'windows.txt'), 'a\r\nb\r\n')
    expect(
      (await run(moveFile, { source: 'windows.txt', destination: 'b.txt', overwrite: true })).view,
    ).not.toHaveProperty('editId')
    expect(journal.recorded).toEqual([])
  })
  it('refuses a folder into itself', () =>
    expectFailure(run(moveFile, { source: 'src', destination: 'src/inner' }), 'invalid_path'))
  it("refuses where the user's typing would be lost, at either end", async () => {
    editor.tabs.set('b.txt', { text: 'typed', dirty: true })
    await expectFailure(run(moveFile, { source: 'b.txt', destination: 'z.txt' }), 'unsaved_changes')
    await expectFailure(run(moveFile, { source: 'a.txt', destination: 'b.txt', overwrite: true }), 'unsaved_changes')
  })
})

describe('copy_file', () => {
  it('copies a file with the parents made, and a folder with everything in it', async () => {
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
  it('replaces a file only when told to, and keeps what it replaced', async () => {
    await expectFailure(run(copyFile, { source: 'a.txt', destination: 'b.txt' }), 'already_exists')
    await run(copyFile, { source: 'a.txt', destination: 'b.txt', overwrite: true })
    expect(journal.recorded[0]?.changes).toEqual([
      { path: 'b.txt', before: 'b\n', after: 'one\ntwo\n', mode: expect.any(Number) },
    ])
    expect(await onDisk('b.txt')).toBe('one\ntwo\n')
  })
  it('previews the copy and touches nothing', async () => {
    expect(await preview(copyFile, { source: 'a.txt', destination: 'q/a.txt' })).toMatchObject({
      files: [{ path: 'q/a.txt', change: 'created', added: 2 }],
    })
    expect(await tree()).not.toContain('q')
  })
})

describe('create_directory', () => {
  it('makes it with its parents; one that exists is left', async () => {
    expect((await run(createDirectory, { path: 'p/q' })).text).toBe('Created the directory "p/q".')
    expect((await run(createDirectory, { path: 'p/q' })).text).toContain('already exists')
    await expectFailure(run(createDirectory, { path: 'a.txt' }), 'already_exists')
  })
})

describe('get_file_info', () => {
  it('answers JSON', async () => {
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
  it('moving and copying are destructive only where they may replace', () => {
    for (const tool of [moveFile, copyFile]) {
      const risk = (overwrite: boolean) =>
        tool.riskOf?.(tool.schema.parse({ source: 'a', destination: 'b', overwrite }))
      expect([tool.risk, risk(false), risk(true)]).toEqual(['destructive', 'write', 'destructive'])
    }
    expect([deleteFile.risk, createDirectory.risk, getFileInfo.risk]).toEqual(['destructive', 'write', 'read'])
  })
  it('each tells what it writes', () => {
    const writes = (tool: Tool, args: Record<string, unknown>) => tool.writes?.(tool.schema.parse(args))
    expect(writes(deleteFile, { path: 'a' })).toEqual(['a'])
    expect(writes(createDirectory, { path: 'a' })).toEqual(['a'])
    expect(writes(moveFile, { source: 'a', destination: 'b' })).toEqual(['a', 'b'])
    expect(writes(copyFile, { source: 'a', destination: 'b' })).toEqual(['b'])
  })
})

describe('no way out of the workspace and no path that is none', () => {
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
