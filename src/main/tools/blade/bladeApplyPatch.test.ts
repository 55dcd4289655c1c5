import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseArguments } from '../arguments/coerceArguments.ts'
import { fakeEditor, recordingJournal, temporaryFolder, testContext, writeTree } from '../testing/toolContext.ts'
import type { Tool, ToolContext, ToolOutput } from '../common/toolDefinition.ts'
import { applyPatch } from './bladeApplyPatch.ts'
import { editFile } from './editFile.ts'

const original = 'fn foo() {\n    let a = 1;\n    let b = 2;\n}\n'
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let journal: ReturnType<typeof recordingJournal>
let editor: ReturnType<typeof fakeEditor>
let context: ToolContext

beforeEach(async () => {
  folder = await temporaryFolder({
    'src/lib.rs': original,
    'crlf.txt': '\ufeffone\r\ntwo\r\n',
    'bin.dat': Buffer.from([0, 1, 2, 0]),
  })
  journal = recordingJournal()
  editor = fakeEditor()
  context = await testContext(folder.root, { journal, editor })
})
afterEach(() => folder.remove())

/** Calls the tool like the executor, with parsed arguments of a model. */
const call = async (tool: Tool, raw: unknown): Promise<ToolOutput> => tool.run(parseArguments(tool, raw), context)
const onDisk = (name = 'src/lib.rs') => readFile(join(folder.root, name), 'utf8')

describe('apply_patch', () => {
  test('creates a file together with its content, so that a killed process leaves no empty one', async () => {
    const { documents } = context
    const seen: string[] = []
    context = {
      ...context,
      documents: {
        ...documents,
        async write(...args: Parameters<typeof documents.write>) {
          seen.push(await onDisk('new/p.txt').catch(() => 'missing'))
          return documents.write(...args)
        },
      },
    }
    const patch = '*** Begin Patch\n*** Add File: new/p.txt\n+p\n*** End Patch'
    await call(applyPatch, { path: 'new/p.txt', patch })
    expect(seen).toEqual(['missing'])
    expect(await onDisk('new/p.txt')).toBe('p\n')
  })

  test('replaces one text, reports how it matched, shows the diff and can be undone', async () => {
    const { text, view } = await call(applyPatch, {
      path: 'src/lib.rs',
      old_text: 'let a = 1;',
      new_text: 'let a = 10;',
    })
    expect(await onDisk()).toBe(original.replace('a = 1', 'a = 10'))
    expect(text).toBe(
      [
        'Changed "src/lib.rs": line 2, exact match.',
        '',
        '--- a/src/lib.rs',
        '+++ b/src/lib.rs',
        '@@ -1,4 +1,4 @@',
        ' fn foo() {',
        '-    let a = 1;',
        '+    let a = 10;',
        '     let b = 2;',
        ' }',
      ].join('\n'),
    )
    expect(view).toMatchObject({
      kind: 'diff',
      editId: 'edit-1',
      unsaved: false,
      files: [{ path: 'src/lib.rs', added: 1, removed: 1 }],
    })
    expect(journal.recorded).toEqual([
      { callId: 'call-1', changes: [{ path: 'src/lib.rs', before: original, after: await onDisk() }] },
    ])
  })

  test('reports a change that cannot be undone', async () => {
    journal.record = () => undefined
    const { text, view } = await call(applyPatch, {
      path: 'src/lib.rs',
      old_text: 'let a = 1;',
      new_text: 'let a = 10;',
    })
    expect(text).toContain('line 2, exact match.\nThis cannot be undone')
    expect(view).toMatchObject({ editId: undefined, note: expect.stringContaining('cannot be undone') })
  })

  test('applies several patches, each matched in the original text', async () => {
    const patches = [
      { old_text: 'fn foo()', new_text: 'fn bar()' },
      { old_text: 'let a = 1;\n  let b = 2;', new_text: 'let a = 2;\n  let b = 1;' },
    ]
    const { text, view } = await call(applyPatch, { path: 'src/lib.rs', patches })
    expect(view).toMatchObject({ note: '2 edits, lines 2-3 matched ignoring indentation, re-indented like the file.' })
    expect(await onDisk()).toBe('fn bar() {\n    let a = 2;\n    let b = 1;\n}\n')
    expect(text).toContain(
      '2 patches (lines of the file before).\n- patches[0]: line 1, exact match\n- patches[1]: lines 2-3, matched ignoring indentation',
    )
  })

  test('a diff of several files names them itself', async () => {
    await writeTree(folder.root, { 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const diff = (name: string, from: string, to: string) =>
      `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-${from}\n+${to}\n`
    await call(applyPatch, { path: 'a.txt', patch: diff('a.txt', 'a', '1') + diff('b.txt', 'b', '2') })
    expect([await onDisk('a.txt'), await onDisk('b.txt')]).toEqual(['1\n', '2\n'])
  })

  test('if one patch fails, the file stays unchanged and no edit is recorded', async () => {
    const patches = [
      { old_text: 'fn foo()', new_text: 'fn bar()' },
      { old_text: 'let c', new_text: 'let d' },
    ]
    await expect(call(applyPatch, { path: 'src/lib.rs', patches })).rejects.toMatchObject({
      code: 'no_match',
      message: expect.stringContaining('patches[1]'),
    })
    expect(await onDisk()).toBe(original)
    expect(journal.recorded).toEqual([])
  })

  test('overlapping patches are refused', async () => {
    const patches = [
      { old_text: 'let a = 1;', new_text: 'x' },
      { old_text: 'a = 1', new_text: 'y' },
    ]
    await expect(call(applyPatch, { path: 'src/lib.rs', patches })).rejects.toMatchObject({
      code: 'overlapping_patches',
    })
    expect(await onDisk()).toBe(original)
  })

  test.each(['old_content', 'old', 'from'])('accepts %s for old_text, in patches too', async (name) => {
    await call(applyPatch, { path: 'src/lib.rs', [name]: 'a = 1', new_text: 'a = 3' })
    await call(applyPatch, { path: 'src/lib.rs', patches: [{ [name]: 'b = 2', new_text: 'b = 4' }] })
    expect(await onDisk()).toBe(original.replace('a = 1', 'a = 3').replace('b = 2', 'b = 4'))
  })

  test.each(['new_content', 'new', 'to'])('accepts %s for new_text, in patches too', async (name) => {
    await call(applyPatch, { path: 'src/lib.rs', old_text: 'a = 1', [name]: 'a = 3' })
    await call(applyPatch, { path: 'src/lib.rs', patches: [{ old_text: 'b = 2', [name]: 'b = 4' }] })
    expect(await onDisk()).toBe(original.replace('a = 1', 'a = 3').replace('b = 2', 'b = 4'))
  })

  test('start_line and end_line select one of several matches, beside a single patch or inside each', async () => {
    const at = (line: object) => ({ old_text: 'let', new_text: 'var', ...line })
    await expect(call(applyPatch, { path: 'src/lib.rs', ...at({}) })).rejects.toMatchObject({ code: 'ambiguous_match' })
    await call(applyPatch, { path: 'src/lib.rs', ...at({ start_line: 2, end_line: '2' }) })
    expect(await onDisk()).toContain('var a = 1;\n    let b')
    await call(applyPatch, { path: 'src/lib.rs', patches: [{ old_text: ' = ', new_text: ': ' }], start_line: 3 })
    expect(await onDisk()).toContain('var a = 1;\n    let b: 2')
    await call(applyPatch, {
      path: 'src/lib.rs',
      patches: [
        { old_text: ';', new_text: '', start_line: 2 },
        { old_text: ';', new_text: '', end_line: 3, start_line: null },
      ],
    })
    expect(await onDisk()).toContain('var a = 1\n    let b: 2\n')
  })

  test.each<[string, Record<string, unknown>]>([
    ['neither form', {}],
    ['an empty list of patches', { patches: [] }],
    ['old_text alone', { old_text: 'a' }],
    ['new_text alone', { new_text: 'a' }],
    ['both forms', { old_text: 'a', new_text: 'b', patches: [{ old_text: 'a', new_text: 'b' }] }],
    [
      'line numbers beside several patches',
      {
        start_line: 1,
        patches: [
          { old_text: 'a', new_text: 'b' },
          { old_text: 'c', new_text: 'd' },
        ],
      },
    ],
    ['an unknown field in a patch', { patches: [{ old_text: 'a', new_text: 'b', line: 3 }] }],
    ['two different old texts in a patch', { patches: [{ old_text: 'a', old: 'c', new_text: 'b' }] }],
    ['a line 0', { old_text: 'a', new_text: 'b', start_line: 0 }],
    ['an empty old_text', { old_text: '', new_text: 'b' }],
  ])('refuses %s', async (_, rest) => {
    await expect(call(applyPatch, { path: 'src/lib.rs', ...rest })).rejects.toMatchObject({
      code: 'invalid_arguments',
      next: expect.stringMatching(/./),
    })
    expect(await onDisk()).toBe(original)
  })

  test('keeps the BOM and line endings of the file, regardless of those in the arguments', async () => {
    await call(applyPatch, { path: 'crlf.txt', old_text: 'one\r\ntwo', new_text: 'one\nand\r\ntwo' })
    expect(await onDisk('crlf.txt')).toBe('\ufeffone\r\nand\r\ntwo\r\n')
  })

  test('edits a tab with unsaved changes, does not write to disk, and reports it', async () => {
    editor.tabs.set('src/lib.rs', { text: `// typed\n${original}`, dirty: true })
    const { text, view } = await call(applyPatch, { path: 'src/lib.rs', old_text: 'fn foo()', new_text: 'fn bar()' })
    expect(editor.tabs.get('src/lib.rs')).toMatchObject({
      text: `// typed\n${original.replace('foo', 'bar')}`,
      dirty: true,
    })
    expect(await onDisk()).toBe(original)
    expect(text).toContain('Nothing was written to disk')
    expect(view).toMatchObject({ unsaved: true })
  })

  test('writes a file with a clean tab, and updates the tab', async () => {
    editor.tabs.set('src/lib.rs', { text: original, dirty: false })
    await call(applyPatch, { path: 'src/lib.rs', old_text: 'fn foo()', new_text: 'fn bar()' })
    expect(await onDisk()).toBe(original.replace('foo', 'bar'))
    expect(editor.tabs.get('src/lib.rs')).toMatchObject({ text: original.replace('foo', 'bar'), dirty: false })
  })

  test('a large diff is truncated for the model and complete in the panel', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n')
    const { text, view } = await call(applyPatch, { path: 'src/lib.rs', old_text: 'let a = 1;', new_text: many })
    expect(text).toMatch(/\[… \d+ more lines of the diff; in all 500 lines added, 1 removed …\]$/)
    expect(text.split('\n').length).toBeLessThan(130)
    expect(view).toMatchObject({ files: [{ added: 500, diff: expect.stringContaining('line 499') }] })
  })

  test('a preview shows the diff and writes nothing', async () => {
    const args = parseArguments(applyPatch, { path: 'src/lib.rs', old_text: 'fn foo()', new_text: 'fn bar()' })
    expect(applyPatch.writes?.(args)).toEqual(['src/lib.rs'])
    expect(await applyPatch.preview?.(args, context)).toMatchObject({
      view: { kind: 'diff', files: [{ diff: expect.stringContaining('+fn bar()') }] },
    })
    expect(await onDisk()).toBe(original)
    expect(journal.recorded).toEqual([])
  })

  test.each([
    ['missing.rs', 'not_found'],
    ['src', 'is_directory'],
    ['bin.dat', 'binary_file'],
    ['../outside.rs', 'outside_workspace'],
  ])('%s fails with %s', async (path, code) => {
    await expect(call(applyPatch, { path, old_text: 'a', new_text: 'b' })).rejects.toMatchObject({ code })
  })
})

describe('edit_file', () => {
  test.each([
    ['old_content', 'new_content'],
    ['old', 'new'],
    ['from', 'to'],
  ])('replaces %s by %s', async (old, now) => {
    const { text } = await call(editFile, { file_path: 'src/lib.rs', [old]: 'fn foo()', [now]: 'fn bar()' })
    expect(await onDisk()).toBe(original.replace('foo', 'bar'))
    expect(text).toContain('line 1, exact match.')
  })

  test('names its own parameters if the text is not found', async () => {
    await expect(call(editFile, { path: 'src/lib.rs', old_content: 'let z', new_content: '' })).rejects.toMatchObject({
      code: 'no_match',
      message: expect.stringMatching(/^old_content was not found/),
      next: expect.stringContaining('old_content'),
    })
  })

  test('suggests apply_patch if the text is found several times', async () => {
    await expect(call(editFile, { path: 'src/lib.rs', old_content: 'let', new_content: '' })).rejects.toMatchObject({
      code: 'ambiguous_match',
      next: expect.stringContaining('apply_patch with the start_line'),
    })
  })

  test('refuses a change that changes nothing', async () => {
    await expect(
      call(editFile, { path: 'src/lib.rs', old_content: 'let a', new_content: 'let a' }),
    ).rejects.toMatchObject({ code: 'no_change' })
  })

  test('a preview shows the diff and writes nothing', async () => {
    const args = parseArguments(editFile, { path: 'src/lib.rs', old: 'fn foo()', new: 'fn bar()' })
    expect(editFile.writes?.(args)).toEqual(['src/lib.rs'])
    expect(await editFile.preview?.(args, context)).toMatchObject({
      view: { kind: 'diff', files: [{ added: 1, removed: 1 }] },
    })
    expect(await onDisk()).toBe(original)
  })
})
