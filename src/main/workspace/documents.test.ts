import { lstat, readFile, symlink, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { fakeEditor, temporaryFolder, type FakeEditor } from '../tools/testing/toolContext.ts'
import { createBuffers, type Buffers } from './buffers.ts'
import { createDocuments, type WindowDocuments } from './documents.ts'
import { expectFailure } from './testing/disk.ts'
import { openWorkspace } from './containment.ts'

const plain = { encoding: 'utf8', eol: '\n' } as const
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let buffers: Buffers
let documents: WindowDocuments
const onDisk = (name: string) => readFile(path.join(folder.root, name), 'utf8')
const put = (name: string, text: string) => writeFile(path.join(folder.root, name), text)

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'one\ntwo\n', 'windows.txt': 'one\r\ntwo\r\n', 'sub/': '' })
  editor = fakeEditor()
  buffers = createBuffers()
  documents = createDocuments(await openWorkspace(folder.root), editor, { buffers })
})
afterEach(() => folder.remove())

describe('a tab without a file', () => {
  const path = 'untitled:Untitled-1'

  it('is read and edited in its tab, and nothing is written to the folder', async () => {
    editor.attached = false
    buffers.sync({ path, open: true, dirty: true, text: 'one\ntwo\n', stamp: '', format: plain })
    const base = await documents.read(path)
    expect(base).toMatchObject({ path, text: 'one\ntwo\n', unsaved: true })
    await documents.edit(base, 'ONE\ntwo\n')
    expect(buffers.get(path)?.text).toBe('ONE\ntwo\n')
    await expect(documents.write(path, 'x')).rejects.toMatchObject({ code: 'invalid_path' })
    await expect(documents.save(path, 'x', plain, { force: true })).rejects.toMatchObject({ code: 'invalid_path' })
    await expect(onDisk(path)).rejects.toThrow('ENOENT')
  })
})

describe('an edit beside changes of others', () => {
  it('is merged with what was saved elsewhere in the file, and with unsaved text while the window reloads', async () => {
    await put('a.txt', 'one\ntwo\nthree\n')
    const base = await documents.read('a.txt')
    await put('a.txt', 'one\ntwo\nthree, saved\n')
    expect(await documents.edit(base, 'ONE\ntwo\nthree\n')).toMatchObject({
      before: 'one\ntwo\nthree, saved\n',
      after: 'ONE\ntwo\nthree, saved\n',
    })
    expect(await onDisk('a.txt')).toBe('ONE\ntwo\nthree, saved\n')
    editor.attached = false
    buffers.sync({ path: 'a.txt', open: true, dirty: true, text: 'one\ntwo\nthree\n' })
    const unsaved = await documents.read('a.txt')
    buffers.sync({ path: 'a.txt', open: true, dirty: true, text: 'one\ntwo\nthree\ntyped\n' })
    await documents.edit(unsaved, 'ONE\ntwo\nthree\n')
    expect(buffers.get('a.txt')?.text).toBe('ONE\ntwo\nthree\ntyped\n')
  })
  it('of the same place is refused with the lines as they are', async () => {
    const base = await documents.read('a.txt')
    await put('a.txt', 'one!\ntwo\n')
    await expect(documents.edit(base, '1\ntwo\n')).rejects.toMatchObject({
      code: 'changed_on_disk',
      message: expect.stringContaining('Line 1 is now:\none!') as string,
    })
  })
})

describe('reading', () => {
  it('returns the text on disk for a closed file', async () => {
    expect(await documents.read('a.txt')).toMatchObject({ path: 'a.txt', text: 'one\ntwo\n', unsaved: false })
  })
  it('returns the text on disk for a clean tab, because it may be newer', async () => {
    editor.tabs.set('a.txt', { text: 'older', dirty: false })
    expect(await documents.read('a.txt')).toMatchObject({ text: 'one\ntwo\n', unsaved: false })
  })
  it('does not transfer the text of a clean tab from the window', async () => {
    editor.tabs.set('a.txt', { text: 'one\ntwo\n', dirty: false })
    await documents.read('a.txt')
    expect(editor.asked).toEqual([{ name: 'editor.buffer', params: { path: 'a.txt', unsavedOnly: true } }])
  })
  it('returns the unsaved text of a dirty tab', async () => {
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    expect(await documents.read('./a.txt')).toMatchObject({ text: 'typed', unsaved: true, size: 8 })
  })
  it('returns unsaved text of a file that was deleted from the disk', async () => {
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    await unlink(path.join(folder.root, 'a.txt'))
    expect(await documents.read('a.txt')).toMatchObject({ text: 'typed', unsaved: true })
  })
  it('returns the mirrored unsaved text while the window reloads', async () => {
    buffers.sync({ path: 'a.txt', open: true, dirty: true, text: 'typed' })
    editor.attached = false
    expect(await documents.read('a.txt')).toMatchObject({ text: 'typed', unsaved: true })
  })
  it('fails outside the workspace, for a missing file and for a directory', async () => {
    await expectFailure(documents.read('../x'), 'outside_workspace')
    await expectFailure(documents.read('none.txt'), 'not_found')
    await expectFailure(documents.read('sub'), 'is_directory')
  })
})

describe('an edit', () => {
  it('of a closed file is written to disk in the format of the file', async () => {
    const outcome = await documents.edit(await documents.read('windows.txt'), 'one\n2\n')
    expect(outcome).toEqual({
      path: 'windows.txt',
      created: false,
      before: 'one\ntwo\n',
      after: 'one\n2\n',
      unsaved: false,
    })
    expect(await onDisk('windows.txt')).toBe('one\r\n2\r\n')
  })
  it('of a clean tab is written to disk and shown in the tab, which stays clean', async () => {
    editor.tabs.set('a.txt', { text: 'one\ntwo\n', dirty: false })
    await documents.edit(await documents.read('a.txt'), 'new\n')
    expect(await onDisk('a.txt')).toBe('new\n')
    expect(editor.tabs.get('a.txt')).toEqual({
      text: 'new\n',
      dirty: false,
      stamp: (await documents.open('a.txt')).stamp,
    })
  })
  it('of a dirty tab changes only the tab', async () => {
    editor.tabs.set('a.txt', { text: 'typed\n', dirty: true })
    const outcome = await documents.edit(await documents.read('a.txt'), 'typed\nand edited\n')
    expect(outcome).toMatchObject({ before: 'typed\n', after: 'typed\nand edited\n', unsaved: true })
    expect(editor.tabs.get('a.txt')).toMatchObject({ text: 'typed\nand edited\n', dirty: true })
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })
  it('while the window reloads changes the text to be restored', async () => {
    buffers.sync({ path: 'a.txt', open: true, dirty: true, text: 'typed' })
    editor.attached = false
    await documents.edit(await documents.read('a.txt'), 'typed and edited')
    expect(buffers.list()).toEqual([{ path: 'a.txt', dirty: true, text: 'typed and edited' }])
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })
  it('is rejected when the file has changed on disk', async () => {
    const base = await documents.read('a.txt')
    await put('a.txt', 'other\n')
    await expectFailure(documents.edit(base, 'new\n'), 'changed_on_disk')
    expect(await onDisk('a.txt')).toBe('other\n')
  })
  it('is rejected when the file was deleted', async () => {
    const base = await documents.read('a.txt')
    await unlink(path.join(folder.root, 'a.txt'))
    await expectFailure(documents.edit(base, 'new\n'), 'changed_on_disk')
  })
  it('is rejected when the user typed since it was read', async () => {
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    const base = await documents.read('a.txt')
    editor.tabs.set('a.txt', { text: 'typed more', dirty: true })
    await expectFailure(documents.edit(base, 'edited'), 'conflict')
    expect(editor.tabs.get('a.txt')?.text).toBe('typed more')
  })
  it('is rejected when the user started typing in a clean tab', async () => {
    const base = await documents.read('a.txt')
    editor.tabs.set('a.txt', { text: 'one\ntwo\nthree', dirty: true })
    await expectFailure(documents.edit(base, 'edited'), 'conflict')
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })
  it('keeps text that the user types while the edit is being written', async () => {
    editor = fakeEditor({
      'editor.applyText': () => {
        throw new ToolError('conflict', 'typed', 'read')
      },
    })
    editor.tabs.set('a.txt', { text: 'one\ntwo\n', dirty: false })
    documents = createDocuments(await openWorkspace(folder.root), editor)
    await documents.edit(await documents.read('a.txt'), 'new\n')
    expect(await onDisk('a.txt')).toBe('new\n')
    expect(editor.tabs.get('a.txt')?.text).toBe('one\ntwo\n')
  })
  it('that runs concurrently with another edit of the same text is rejected', async () => {
    const base = await documents.read('a.txt')
    const results = await Promise.allSettled([documents.edit(base, 'first\n'), documents.edit(base, 'second\n')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await onDisk('a.txt')).toBe('first\n')
  })
})

describe('writing a whole file', () => {
  it('reports the planned change first, and writes nothing if that fails', async () => {
    const planned: unknown[] = []
    const write = (name: string) =>
      documents.write(name, 'new\n', undefined, async (change) => {
        planned.push(change)
        throw new ToolError('too_large', 'No memory.', 'Use a command.')
      })
    await expectFailure(write('a.txt'), 'too_large')
    await expectFailure(write('new/b.txt'), 'too_large')
    expect(planned).toEqual([
      { path: 'a.txt', before: 'one\ntwo\n', after: 'new\n' },
      { path: 'new/b.txt', before: null, after: 'new\n' },
    ])
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
    await expectFailure(documents.read('new/b.txt'), 'not_found')
  })
  it('creates the file and its folders', async () => {
    expect(await documents.write('x/y.txt', 'a\nb')).toEqual({
      path: 'x/y.txt',
      created: true,
      before: null,
      after: 'a\nb',
      unsaved: false,
    })
    expect(await onDisk('x/y.txt')).toBe('a\nb')
  })
  it('keeps the line endings of a replaced file and the given ones of a new file', async () => {
    await documents.write('windows.txt', 'x\ny\n')
    await documents.write('new.txt', 'x\r\ny\r\n')
    await documents.write('a.txt', 'x\r\ny\r\n')
    expect([await onDisk('windows.txt'), await onDisk('new.txt'), await onDisk('a.txt')]).toEqual([
      'x\r\ny\r\n',
      'x\r\ny\r\n',
      'x\ny\n',
    ])
  })
  it('keeps the encoding', async () => {
    await writeFile(path.join(folder.root, 'wide.txt'), Buffer.from('\uFEFFold', 'utf16le'))
    await documents.write('wide.txt', 'new ☕')
    expect(await readFile(path.join(folder.root, 'wide.txt'))).toEqual(Buffer.from('\uFEFFnew ☕', 'utf16le'))
  })
  it('updates an open clean tab', async () => {
    editor.tabs.set('a.txt', { text: 'one\ntwo\n', dirty: false })
    await documents.write('a.txt', 'new\n')
    expect(editor.tabs.get('a.txt')).toMatchObject({ text: 'new\n', dirty: false })
  })
  it('is rejected for a tab with unsaved changes', async () => {
    editor.tabs.set('a.txt', { text: 'typed', dirty: true })
    await expectFailure(documents.write('a.txt', 'new'), 'unsaved_changes')
    expect(await onDisk('a.txt')).toBe('one\ntwo\n')
  })
  it('is rejected for a directory and for a binary file', async () => {
    await writeFile(path.join(folder.root, 'x.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]))
    await expectFailure(documents.write('sub', 'x'), 'is_directory')
    await expectFailure(documents.write('x.png', 'x'), 'binary_file')
  })
  it.skipIf(process.platform === 'win32')('follows a symlink inside the workspace but not out of it', async () => {
    await symlink('a.txt', path.join(folder.root, 'link'))
    await symlink('/tmp/tizona-must-not-appear', path.join(folder.root, 'door'))
    expect((await documents.write('link', 'through\n')).path).toBe('a.txt')
    expect((await lstat(path.join(folder.root, 'link'))).isSymbolicLink()).toBe(true)
    expect(await onDisk('a.txt')).toBe('through\n')
    await expectFailure(documents.write('door', 'x'), 'outside_workspace')
  })
})

describe('saving a tab', () => {
  it('writes the chosen format and returns the new stamp', async () => {
    const { stamp } = await documents.open('a.txt')
    const saved = await documents.save('a.txt', 'x\ny\n', { encoding: 'utf8bom', eol: '\r\n' }, { stamp })
    expect(await onDisk('a.txt')).toBe('\uFEFFx\r\ny\r\n')
    expect((await documents.open('a.txt')).stamp).toBe(saved)
  })
  it('is rejected if the file was changed or deleted, unless forced', async () => {
    const { stamp } = await documents.open('a.txt')
    await put('a.txt', 'other')
    await expectFailure(documents.save('a.txt', 'mine', plain, { stamp }), 'changed_on_disk')
    await documents.save('a.txt', 'mine', plain, { stamp, force: true })
    expect(await onDisk('a.txt')).toBe('mine')
    await unlink(path.join(folder.root, 'a.txt'))
    await expectFailure(documents.save('a.txt', 'mine', plain, { stamp }), 'changed_on_disk')
    await documents.save('a.txt', 'again', plain, { stamp, force: true })
    expect(await onDisk('a.txt')).toBe('again')
  })
  it('of a new tab does not overwrite an existing file', async () => {
    await expectFailure(documents.save('a.txt', 'mine', plain), 'changed_on_disk')
    await documents.save('fresh.txt', 'mine', plain)
    expect(await onDisk('fresh.txt')).toBe('mine')
  })
})

describe('the mirror of the tabs', () => {
  it('stores only the text of dirty tabs and removes closed tabs', () => {
    buffers.sync({ path: 'a', open: true, dirty: true, text: 'typed' })
    buffers.sync({ path: 'b', open: true, dirty: false, text: 'saved' })
    expect(buffers.list()).toEqual([
      { path: 'a', dirty: true, text: 'typed' },
      { path: 'b', dirty: false, text: null },
    ])
    buffers.sync({ path: 'a', open: false, dirty: false, text: null })
    expect(buffers.get('a')).toBeUndefined()
    buffers.sync({ path: 'a', open: true, dirty: true, text: 'typed' })
    buffers.discard(['a', 'b', 'c'])
    expect(buffers.list()).toEqual([
      { path: 'b', dirty: false, text: null },
      { path: 'a', dirty: false, text: null },
    ])
  })
})
