import { readFileSync } from 'node:fs'
import { readdir, readFile, symlink, writeFile as put } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { createDocuments } from '../../workspace/documents.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { expectFailure, fileSystemWith, systemError } from '../../workspace/testing/disk.ts'
import { diskFileSystem } from '../../workspace/fileSystem.ts'
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
import { applyPatch } from './rustyApplyPatch.ts'
import { fileEdit } from './fileEdit.ts'
import { fileRead } from './rustyFileRead.ts'
import { fileWrite } from './rustyFileWrite.ts'

const lib =
  'use std::io;\n\npub fn read_input() -> String {\n    let mut input = String::new();\n    std::io::stdin().read_line(&mut input).unwrap();\n    input\n}\n'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let journal: RecordingJournal
let context: TestContext
const onDisk = (name: string) => readFile(path.join(folder.root, name), 'utf8')

beforeEach(async () => {
  folder = await temporaryFolder({
    'src/lib.rs': lib,
    'ten.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n',
    'a.txt': 'one\ntwo\none\n',
    'b.txt': 'bee\n',
    'windows.txt': 'x\r\ny\r\n',
    'sub/': '',
  })
  editor = fakeEditor()
  journal = recordingJournal()
  context = await testContext(folder.root, { editor, journal })
})
afterEach(() => folder.remove())

describe('file_read', () => {
  const read = (args: Record<string, unknown>) => runTool(fileRead, { path: 'ten.txt', ...args }, context)

  it('has an offset that starts at 0', async () => {
    expect((await read({ offset: 2, limit: 3 })).text).toBe('3\n4\n5')
    expect((await read({ offset: 8, limit: 99 })).text).toBe('9\n10')
    expect((await read({ limit: 1 })).view).toEqual({
      kind: 'file',
      path: 'ten.txt',
      startLine: 1,
      endLine: 1,
      totalLines: 10,
      unsaved: false,
    })
    expect((await read({})).text).toBe(await onDisk('ten.txt'))
  })
  it('reads unsaved text with a note', async () => {
    editor.tabs.set('ten.txt', { text: 'typed', dirty: true })
    expect((await read({})).text).toMatch(/unsaved changes[^]*typed/)
  })
  it('refuses invalid ranges, missing files, folders and outside paths', async () => {
    await expectFailure(read({ offset: 10 }), 'out_of_range')
    await expectFailure(read({ path: 'no.txt' }), 'not_found')
    await expectFailure(read({ path: 'sub' }), 'is_directory')
    await expectFailure(read({ path: '../x' }), 'outside_workspace')
    for (const wrong of [{ offset: -1 }, { limit: 0 }, { limit: -5 }, { offset: 1.5 }, { offset: 'x' }])
      expect(fileRead.schema.safeParse({ path: 'ten.txt', ...wrong }).success).toBe(false)
  })
})

describe('file_write', () => {
  it('creates a file with its folders, overwrites another, and records both', async () => {
    await runTool(fileWrite, { path: 'new/deep/c.txt', content: 'c\n' }, context)
    await runTool(fileWrite, { path: 'windows.txt', content: 'z\n' }, context)
    expect([await onDisk('new/deep/c.txt'), await onDisk('windows.txt')]).toEqual(['c\n', 'z\r\n'])
    expect(journal.recorded.map(({ changes }) => changes[0]?.path)).toEqual(['new/deep/c.txt', 'windows.txt'])
    expect((await fileWrite.preview?.({ path: 'q', content: 'c\n' }, context))?.view).toMatchObject({
      kind: 'diff',
      files: [{ path: 'q', change: 'created' }],
    })
    await expectFailure(runTool(fileWrite, { path: '../x', content: '' }, context), 'outside_workspace')
  })
})

describe('file_edit', () => {
  const edit = (args: Record<string, unknown>) => runTool(fileEdit, { path: 'a.txt', ...args }, context)

  it('replaces text that occurs exactly once', async () => {
    const { text, view } = await edit({ old_string: 'two', new_string: '2' })
    expect(await onDisk('a.txt')).toBe('one\n2\none\n')
    expect(text).toBe('Edited "a.txt" at line 2: 1 line added, 1 line removed.')
    expect(view).toMatchObject({ kind: 'diff', editId: 'edit-1' })
    await edit({ path: 'windows.txt', old_string: 'x\r\ny', new_string: 'z' })
    expect(await onDisk('windows.txt')).toBe('z\r\n')
  })
  it('edits a tab with unsaved changes', async () => {
    editor.tabs.set('a.txt', { text: 'typed two', dirty: true })
    expect((await edit({ old_string: 'two', new_string: '2' })).text).toContain('open tab')
    expect([editor.tabs.get('a.txt')?.text, await onDisk('a.txt')]).toEqual(['typed 2', 'one\ntwo\none\n'])
  })
  it('previews the edit and changes nothing', async () => {
    expect(
      (await fileEdit.preview?.({ path: 'a.txt', old_string: 'two', new_string: '2' }, context))?.view,
    ).toMatchObject({ files: [{ diff: expect.stringContaining('+2') }] })
    expect(await onDisk('a.txt')).toBe('one\ntwo\none\n')
  })
  test.each([
    ['one', '1', 'ambiguous_match'],
    [' two', '2', 'no_match'],
    ['', 'x', 'invalid_arguments'],
    ['two', 'two', 'no_change'],
    ['2: two', 'x', 'no_match'],
  ])('refuses to replace %j with %j: %s', async (old, now, code) => {
    await expectFailure(edit({ old_string: old, new_string: now }), code)
    expect(await onDisk('a.txt')).toBe('one\ntwo\none\n')
  })
})

describe('apply_patch', () => {
  const patch = (...lines: string[]) =>
    runTool(applyPatch, { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }, context)
  const untouched = async () => {
    expect((await readdir(folder.root)).toSorted()).toEqual(['a.txt', 'b.txt', 'src', 'sub', 'ten.txt', 'windows.txt'])
    expect([await onDisk('a.txt'), await onDisk('b.txt'), await onDisk('windows.txt')]).toEqual([
      'one\ntwo\none\n',
      'bee\n',
      'x\r\ny\r\n',
    ])
    expect(journal.recorded).toEqual([])
  }

  it('applies the documented example', async () => {
    const file = new URL('../../../../e2e/fixtures/reference.json', import.meta.url)
    const fixture = z.object({
      systems: z.object({
        rusty: z.object({ tools: z.object({ apply_patch: z.object({ inputExample: z.string() }) }) }),
      }),
    })
    const { inputExample } = fixture.parse(JSON.parse(readFileSync(file, 'utf8'))).systems.rusty.tools.apply_patch
    await runTool(applyPatch, { input: inputExample }, context)
    expect(await onDisk('src/lib.rs')).toBe(
      'use std::io;\n\npub fn read_input() -> Result<String, io::Error> {\n    let mut input = String::new();\n    std::io::stdin().read_line(&mut input)?;\n    Ok(input)\n}\n',
    )
  })

  it('adds, updates, moves and deletes files, and records one edit', async () => {
    const { text, view } = await patch(
      '*** Add File: new/deep/c.txt',
      '+c',
      '*** Update File: windows.txt',
      '*** Move to: moved/w.txt',
      '-x ',
      '+X',
      '*** Update File: a.txt',
      '-two',
      '+2',
      '*** Delete File: b.txt',
    )
    expect([await onDisk('new/deep/c.txt'), await onDisk('moved/w.txt'), await onDisk('a.txt')]).toEqual([
      'c\n',
      'X\r\ny\r\n',
      'one\n2\none\n',
    ])
    expect((await readdir(folder.root)).toSorted()).toEqual(['a.txt', 'moved', 'new', 'src', 'sub', 'ten.txt'])
    expect(text.split('\n')).toEqual([
      'Applied the patch:',
      'A new/deep/c.txt (1 line)',
      'R windows.txt -> moved/w.txt (+1 -1): line 1 matched ignoring trailing space',
      'M a.txt (+1 -1)',
      'D b.txt',
    ])
    expect(view).toMatchObject({
      kind: 'diff',
      editId: 'edit-1',
      files: [
        { change: 'created' },
        { change: 'renamed', from: 'windows.txt' },
        { change: 'modified' },
        { change: 'deleted' },
      ],
    })
    expect(journal.recorded[0]?.changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'a.txt', before: 'one\ntwo\none\n', after: 'one\n2\none\n' },
      { path: 'b.txt', before: 'bee\n', after: null, mode: expect.any(Number) },
      { path: 'moved/w.txt', before: null, after: 'X\ny\n' },
      { path: 'new/deep/c.txt', before: null, after: 'c\n' },
      { path: 'windows.txt', before: 'x\r\ny\r\n', after: null, mode: expect.any(Number) },
    ])
  })

  it('moves a file without changing it', async () => {
    await patch('*** Update File: b.txt', '*** Move to: c.txt')
    expect(await onDisk('c.txt')).toBe('bee\n')
  })

  it('changes only the tab of a file with unsaved changes, and reports it', async () => {
    editor.tabs.set('a.txt', { text: 'typed\n', dirty: true })
    expect((await patch('*** Update File: a.txt', '-typed', '+patched')).text).toContain(
      'only in the open tab, which has unsaved changes by the user: a.txt',
    )
    expect([editor.tabs.get('a.txt')?.text, await onDisk('a.txt')]).toEqual(['patched\n', 'one\ntwo\none\n'])
  })

  it('is destructive only if it deletes, and returns the paths that it writes', () => {
    const args = (...lines: string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })
    expect(applyPatch.riskOf?.(args('*** Add File: x', '+x'))).toBe('write')
    expect(applyPatch.riskOf?.(args('*** Delete File: x'))).toBe('destructive')
    expect(applyPatch.writes?.(args('*** Update File: x', '*** Move to: y', '*** Delete File: z'))).toEqual([
      'x',
      'y',
      'z',
    ])
  })

  it('previews every file and changes nothing', async () => {
    const args = {
      patch:
        '*** Begin Patch\n*** Add File: n.txt\n+n\n*** Update File: a.txt\n-two\n+2\n*** Delete File: b.txt\n*** End Patch',
    }
    expect((await applyPatch.preview?.(args, context))?.view).toMatchObject({
      kind: 'diff',
      files: [{ change: 'created' }, { change: 'modified' }, { change: 'deleted' }],
    })
    await untouched()
  })

  describe('changes nothing', () => {
    const good = ['*** Add File: new/c.txt', '+c', '*** Update File: a.txt', '-two', '+2']
    test.each<[string, string[], string]>([
      ['a missing text', ['*** Update File: b.txt', '-nothing', '+x'], 'no_match'],
      [
        'a missing header',
        [
          '*** Update File: ten.txt',
          '-1',
          '+one',
          '*** Update File: windows.txt',
          '+x',
          '-y',
          '+y',
          '@@ nowhere',
          '-x',
        ],
        'no_match',
      ],
      ['an update that changes nothing', ['*** Update File: b.txt', ' bee'], 'no_change'],
      ['a missing file', ['*** Update File: no.txt', '-x', '+y'], 'not_found'],
      ['a missing file to delete', ['*** Delete File: no.txt'], 'not_found'],
      ['a folder to delete', ['*** Delete File: sub'], 'is_directory'],
      ['a new file that exists', ['*** Add File: b.txt', '+x'], 'already_exists'],
      [
        'a destination that exists',
        ['*** Update File: b.txt', '*** Move to: windows.txt', '-bee', '+x'],
        'already_exists',
      ],
      ['a file in two sections', ['*** Update File: a.txt', ' two', '+3'], 'invalid_arguments'],
      ['a path outside the workspace', ['*** Add File: ../x', '+x'], 'outside_workspace'],
      ['a malformed line', ['*** Update File: b.txt', '?'], 'invalid_arguments'],
    ])('after %s', async (_, lines, code) => {
      await expectFailure(patch(...good, ...lines), code)
      await untouched()
    })

    it('if a file to delete has unsaved changes', async () => {
      editor.tabs.set('b.txt', { text: 'typed', dirty: true })
      await expectFailure(patch(...good, '*** Delete File: b.txt'), 'unsaved_changes')
      await untouched()
    })

    it('through a link out of the workspace', async () => {
      const other = await temporaryFolder()
      try {
        await symlink(other.root, path.join(folder.root, 'sub/door'))
        await expectFailure(patch(...good, '*** Add File: sub/door/x', '+x'), 'outside_workspace')
        await untouched()
      } finally {
        await other.remove()
      }
    })

    it('if a write fails midway, after which earlier writes are undone', async () => {
      const fileSystem = fileSystemWith({
        rename: (from, to) =>
          String(to).includes('windows') ? Promise.reject(systemError('ENOSPC')) : diskFileSystem.rename(from, to),
      })
      context.documents = createDocuments(context.workspace, editor, { fileSystem })
      await expectFailure(
        patch(
          '*** Update File: b.txt',
          '*** Move to: deep/er/b.txt',
          '-bee',
          '+B',
          ...good,
          '*** Update File: windows.txt',
          '-x',
          '+X',
        ),
        'no_space',
      )
      await untouched()
    })

    it('if a deletion fails at the end', async () => {
      const fileSystem = fileSystemWith({
        unlink: (file) =>
          String(file).includes('windows') ? Promise.reject(systemError('EIO')) : diskFileSystem.unlink(file),
      })
      context.files = createFileOperations(context.workspace, fileSystem)
      await expectFailure(patch('*** Delete File: b.txt', ...good, '*** Delete File: windows.txt'), 'io_error')
      await untouched()
    })

    it('if it is cancelled', async () => {
      const controller = new AbortController()
      const { documents } = context
      context.signal = controller.signal
      context.documents = {
        ...documents,
        edit: async (...given) => {
          const outcome = await documents.edit(...given)
          controller.abort()
          return outcome
        },
      }
      await expect(patch(...good, '*** Delete File: b.txt')).rejects.toThrow()
      await untouched()
    })
  })

  it('deletes a binary file and notes that this cannot be undone', async () => {
    await put(path.join(folder.root, 'x.bin'), Buffer.from([0, 1, 2, 0]))
    const { view } = await patch('*** Delete File: x.bin')
    expect(view).toMatchObject({ kind: 'diff', editId: undefined, note: 'This cannot be undone.' })
    await untouched()
  })
})
