import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EditorChange, EditorState } from '../../../shared/editor/editorRequests.ts'
import { ToolError } from '../../../shared/errors.ts'
import { fakeEditor, temporaryFolder, testContext } from '../testing/toolContext.ts'
import type { Tool } from '../common/toolDefinition.ts'
import { getEditorState } from './getEditorState.ts'
import { getSelection } from './getSelection.ts'
import { gotoLine } from './gotoLine.ts'
import { insertAtCursor } from './insertAtCursor.ts'
import { openFile } from './openFile.ts'
import { replaceSelection } from './replaceSelection.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ 'src/a.ts': 'one\ntwo\n' })
})
afterEach(() => folder.remove())

async function run(tool: Tool, args: Record<string, unknown>, editor = fakeEditor()) {
  const context = await testContext(folder.root, { editor })
  return { output: await tool.run(tool.schema.parse(args), context), editor }
}

const change: EditorChange = {
  path: 'src/a.ts',
  startLine: 1,
  startColumn: 1,
  endLine: 2,
  endColumn: 4,
  replaced: 'one\ntwo',
  dirty: true,
}

describe('editor tools return what the window reports', () => {
  it('get_editor_state returns the fields of the reference as JSON', async () => {
    const state: EditorState = {
      active_file: 'src/a.ts',
      open_files: ['src/a.ts'],
      active_tab_index: 0,
      cursor_line: 2,
      cursor_column: 3,
      selection_start_line: 1,
      selection_end_line: 2,
    }
    const { output } = await run(getEditorState, {}, fakeEditor({ 'editor.state': () => state }))
    expect(output.format).toBe('json')
    expect(JSON.parse(output.text)).toEqual(state)
  })

  it('open_file sends the resolved path and returns the actual cursor position', async () => {
    const editor = fakeEditor({ 'editor.open': ({ path }) => ({ path, line: 2, column: 1 }) })
    const { output } = await run(openFile, { path: './src/../src/a.ts', line: 99 }, editor)
    expect(editor.asked).toContainEqual({ name: 'editor.open', params: { path: 'src/a.ts', line: 99 } })
    expect(output.text).toContain('src/a.ts at line 2')
  })

  it.each([
    ['a folder', 'src', 'is_directory'],
    ['nothing', 'src/b.ts', 'not_found'],
    ['a path outside', '../b.ts', 'outside_workspace'],
  ])('open_file refuses %s without a request to the window', async (_what, path, code) => {
    const editor = fakeEditor()
    await expect(run(openFile, { path }, editor)).rejects.toMatchObject({ code })
    expect(editor.asked).toEqual([])
  })

  it('goto_line sends line and column and returns the position', async () => {
    const editor = fakeEditor({ 'editor.goto': () => ({ path: 'src/a.ts', line: 2, column: 4 }) })
    const { output } = await run(gotoLine, { line: 100, column: 15 }, editor)
    expect(editor.asked[0]).toEqual({ name: 'editor.goto', params: { line: 100, column: 15 } })
    expect(output.text).toContain('line 2, column 4')
  })

  it('get_selection returns only the selected text, and reports an empty selection', async () => {
    const selected = { path: 'src/a.ts', text: 'one\n', startLine: 1, startColumn: 1, endLine: 2, endColumn: 1 }
    expect((await run(getSelection, {}, fakeEditor({ 'editor.selection': () => selected }))).output.text).toBe('one\n')
    expect(
      (await run(getSelection, {}, fakeEditor({ 'editor.selection': () => ({ ...selected, text: '' }) }))).output.text,
    ).toContain('Nothing is selected')
  })

  it.each([
    [replaceSelection, 'editor.replaceSelection'],
    [insertAtCursor, 'editor.insertAtCursor'],
  ] as const)('%# returns the actual range and reports that the tab is unsaved', async (tool, ask) => {
    const editor = fakeEditor({ [ask]: () => change })
    const { output } = await run(tool, { content: 'three' }, editor)
    expect(editor.asked[0]).toEqual({ name: ask, params: { content: 'three' } })
    expect(output.text).toContain('line 1 column 1 to line 2 column 4 (7 characters removed, 5 inserted)')
    expect(output.text).toContain('unsaved')
  })

  describe('can be previewed before approval', () => {
    const selection = { path: 'src/a.ts', text: 'two', startLine: 2, startColumn: 1, endLine: 2, endColumn: 4 }
    const state: EditorState = {
      active_file: 'src/a.ts',
      open_files: ['src/a.ts'],
      active_tab_index: 0,
      cursor_line: 2,
      cursor_column: 4,
      selection_start_line: null,
      selection_end_line: null,
    }
    const editorWith = (text: string, answers: Parameters<typeof fakeEditor>[0] = {}) => {
      const editor = fakeEditor({ 'editor.selection': () => selection, 'editor.state': () => state, ...answers })
      editor.tabs.set('src/a.ts', { text, dirty: true })
      return editor
    }

    it.each([
      [replaceSelection, 'three\r\nfour', '-two\n+three\n+four'],
      [insertAtCursor, '!', '-two\n+two!'],
    ] as const)('%# previews the change as a diff of the tab, without making it', async (tool, content, lines) => {
      const editor = editorWith('one\ntwo\n')
      const context = await testContext(folder.root, { editor })
      const preview = await tool.preview?.({ content }, context)
      expect(preview?.view).toMatchObject({
        kind: 'diff',
        files: [{ path: 'src/a.ts', diff: expect.stringContaining(lines) }],
      })
      expect(editor.asked.map(({ name }) => name)).not.toContain('editor.replaceSelection')
    })

    it('show their change as a diff, or only the new text if the tab has changed since', async () => {
      const done: EditorChange = {
        path: 'src/a.ts',
        startLine: 2,
        startColumn: 1,
        endLine: 2,
        endColumn: 6,
        replaced: 'two',
        dirty: true,
      }
      const answers = { 'editor.replaceSelection': () => done }
      const shown = await run(replaceSelection, { content: 'three' }, editorWith('one\nthree\n', answers))
      expect(shown.output.view).toMatchObject({
        kind: 'diff',
        unsaved: true,
        files: [{ diff: expect.stringContaining('-two\n+three') }],
      })
      const typedOn = await run(replaceSelection, { content: 'three' }, editorWith('one\nelse\n', answers))
      expect(typedOn.output.view).toMatchObject({ kind: 'editor', text: 'three' })
    })
  })

  it('an error of the window is returned unchanged', async () => {
    const editor = fakeEditor({
      'editor.replaceSelection': () => {
        throw new ToolError('no_selection', 'Nothing is selected.', 'Ask the user.')
      },
    })
    await expect(run(replaceSelection, { content: 'x' }, editor)).rejects.toMatchObject({ code: 'no_selection' })
  })
})
