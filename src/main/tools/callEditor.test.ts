import { expect, it } from 'vitest'
import type { EditorChange } from '../../shared/editor/editorRequests.ts'
import { createCallEditor } from './callEditor.ts'
import { fakeEditor } from './testing/toolContext.ts'

const change: EditorChange = {
  path: 'a.ts',
  startLine: 2,
  startColumn: 1,
  endLine: 2,
  endColumn: 4,
  replaced: 'two',
  dirty: true,
}
const selection = { path: 'a.ts', text: 'two', startLine: 2, startColumn: 1, endLine: 2, endColumn: 4 }

function editorWith(places: { path: string; line: number }[]) {
  let at = 0
  const next = () => places[Math.min(at++, places.length - 1)] ?? { path: 'a.ts', line: 1 }
  return fakeEditor({
    'editor.selection': () => {
      const { path, line } = next()
      return { ...selection, path, startLine: line }
    },
    'editor.state': () => {
      const { path, line } = next()
      return {
        active_file: path,
        open_files: [path],
        active_tab_index: 0,
        cursor_line: line,
        cursor_column: 1,
        selection_start_line: null,
        selection_end_line: null,
      }
    },
    'editor.replaceSelection': () => change,
    'editor.insertAtCursor': () => change,
  })
}

it('the window receives the place that was checked and shown before the approval', async () => {
  const editor = editorWith([{ path: 'a.ts', line: 2 }])
  const { before, after } = createCallEditor(editor, editor, new Set(['a.ts']))
  await before.ask('editor.selection', {})
  await after.ask('editor.replaceSelection', { content: 'x' })
  await before.ask('editor.state', {})
  await after.ask('editor.insertAtCursor', { content: 'x' })
  expect(editor.asked.filter(({ name }) => /replace|insert/.test(name)).map(({ params }) => params)).toEqual([
    { content: 'x', expected: { ...selection, startLine: 2 } },
    { content: 'x', expected: { path: 'a.ts', line: 2, column: 1 } },
  ])
})

it('a file that became active after the check is not changed', async () => {
  const places = [
    { path: 'a.ts', line: 2 },
    { path: '.envrc', line: 1 },
  ]
  for (const [look, act] of [
    ['editor.selection', 'editor.replaceSelection'],
    ['editor.state', 'editor.insertAtCursor'],
  ] as const) {
    const editor = editorWith(places)
    const { before, after } = createCallEditor(editor, editor, new Set(['a.ts']))
    // For the check, and again for the preview.
    await before.ask(look, {})
    await before.ask(look, {})
    await expect(after.ask(act, { content: 'x' })).rejects.toMatchObject({ code: 'conflict' })
    expect(editor.asked.map(({ name }) => name)).not.toContain(act)
  }
})
