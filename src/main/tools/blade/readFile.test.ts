import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import {
  fakeEditor,
  runTool,
  temporaryFolder,
  testContext,
  type FakeEditor,
  type TestContext,
} from '../testing/toolContext.ts'
import { readFile } from './readFile.ts'
import { readFileRange } from './readFileRange.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let context: TestContext

beforeEach(async () => {
  folder = await temporaryFolder({
    'src/a.txt': 'one\r\ntwo\r\nthree\r\nfour\r\n',
    'empty.txt': '',
    'x.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]),
  })
  editor = fakeEditor()
  context = await testContext(folder.root, { editor })
})
afterEach(() => folder.remove())

describe('read_file', () => {
  it.each(['path', 'file_path', 'filepath', 'filename'])('returns the plain text of the file in %s', async (name) => {
    expect(await runTool(readFile, { [name]: 'src/a.txt' }, context)).toEqual({
      text: 'one\ntwo\nthree\nfour\n',
      view: { kind: 'file', path: 'src/a.txt', startLine: 1, endLine: 4, totalLines: 4, unsaved: false },
    })
  })
  it('accepts an absolute path', async () => {
    expect((await runTool(readFile, { path: path.join(folder.root, 'src/a.txt') }, context)).text).toContain('two')
  })
  it('returns unsaved text, with a note in one bracketed line', async () => {
    editor.tabs.set('src/a.txt', { text: 'typed\n', dirty: true })
    const { text, view } = await runTool(readFile, { path: 'src/a.txt' }, context)
    expect(text).toMatch(/^\[[^\n]*unsaved[^\n]*\]\ntyped\n$/)
    expect(view).toMatchObject({ unsaved: true, totalLines: 1 })
  })
  it('returns an empty text for an empty file', async () => {
    expect(await runTool(readFile, { path: 'empty.txt' }, context)).toMatchObject({ text: '', view: { totalLines: 0 } })
  })
  it('refuses binary files with kind and size, folders and invalid paths', async () => {
    const { message } = await expectFailure(runTool(readFile, { path: 'x.png' }, context), 'binary_file')
    expect(message).toMatch(/PNG image, 5 bytes/)
    await expectFailure(runTool(readFile, { path: 'src' }, context), 'is_directory')
    await expectFailure(runTool(readFile, { path: '' }, context), 'invalid_path')
    await expectFailure(runTool(readFile, { path: 'a\0b' }, context), 'invalid_path')
    await expectFailure(runTool(readFile, { path: 'none' }, context), 'not_found')
  })
})

describe('read_file_range', () => {
  const range = async (args: Record<string, unknown>) =>
    (await runTool(readFileRange, { path: 'src/a.txt', ...args }, context)).text

  it('numbers the returned lines, all of them by default', async () => {
    expect(await range({})).toBe('1: one\n2: two\n3: three\n4: four')
    expect(await range({ start_line: 3 })).toBe('3: three\n4: four')
    expect(await range({ end_line: 2 })).toBe('1: one\n2: two')
    expect(await range({ start_line: 2, end_line: 2 })).toBe('2: two')
  })
  it('adds lines of context within the file', async () => {
    expect(await range({ start_line: 2, end_line: 2, context_lines: 1 })).toBe('1: one\n2: two\n3: three')
    expect(await range({ start_line: 2, end_line: 3, context_lines: 10 })).toBe('1: one\n2: two\n3: three\n4: four')
  })
  it('reads to the end of the file if the end line is beyond it', async () =>
    expect(await range({ start_line: 4, end_line: 900 })).toBe('4: four'))
  it('includes the range of lines in the view', async () => {
    expect(
      (await runTool(readFileRange, { filename: 'src/a.txt', start_line: 2, end_line: 2, context_lines: 1 }, context))
        .view,
    ).toEqual({
      kind: 'file',
      path: 'src/a.txt',
      startLine: 1,
      endLine: 3,
      totalLines: 4,
      unsaved: false,
    })
  })
  it('refuses a start beyond the end, and an end before the start', async () => {
    expect((await expectFailure(range({ start_line: 5 }), 'out_of_range')).message).toContain('4 lines')
    await expectFailure(range({ start_line: 3, end_line: 2 }), 'invalid_arguments')
    expect(readFileRange.schema.safeParse({ path: 'a', start_line: 0 }).success).toBe(false)
  })
  it('returns an empty text for an empty file', async () => {
    expect((await runTool(readFileRange, { path: 'empty.txt' }, context)).text).toBe('')
  })
  it('marks lines of unsaved text', async () => {
    editor.tabs.set('src/a.txt', { text: 'typed\nmore\n', dirty: true })
    expect(await range({ start_line: 2 })).toMatch(/^\[.*unsaved.*\]\n2: more$/)
  })
})

it.each([readFile, readFileRange])('$name refuses every path outside the workspace', async (tool) => {
  const other = await temporaryFolder({ 'secret.txt': 'secret' })
  try {
    await symlink(other.root, path.join(folder.root, 'door'))
    await symlink(path.join(other.root, 'secret.txt'), path.join(folder.root, 'secret-link'))
    await writeFile(path.join(folder.root, 'inside.txt'), '')
    for (const given of [
      '../x',
      `../${path.basename(other.root)}/secret.txt`,
      path.join(other.root, 'secret.txt'),
      'door/secret.txt',
      'secret-link',
      '/etc/passwd',
      '~/x',
      'src/../../x',
    ]) {
      await expectFailure(runTool(tool, { path: given }, context), 'outside_workspace')
    }
  } finally {
    await other.remove()
  }
})
