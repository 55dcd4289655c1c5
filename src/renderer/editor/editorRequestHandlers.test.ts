import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEditorRequestHandlers } from './editorRequestHandlers.ts'
import { emptyTabs, fileTab, pageTab } from '../platform/editor/tabsState.ts'
import { showTab, splitEditor, useTabs } from '../platform/editor/tabsStore.ts'
import { documentsOnDisk } from '../platform/editor/testing/documentsOnDisk.ts'
import { registerView, type EditorView, type TextRange } from '../platform/editor/editorViews.ts'

/** A view of one line of text, which records the calls of the port. */
function lineView(path: string, text: string, selected: [number, number]): EditorView & { text: () => string } {
  let line = text
  let [start, end] = selected
  return {
    text: () => line,
    path: () => path,
    cursor: () => ({ line: 1, column: end }),
    selection: () => ({
      text: line.slice(start - 1, end - 1),
      startLine: 1,
      startColumn: start,
      endLine: 1,
      endColumn: end,
    }),
    hasSelection: () => end > start,
    goTo: ({ column }) => {
      start = end = Math.min(column, line.length + 1)
      return { line: 1, column: end }
    },
    replace: (range: TextRange, content) => {
      const replaced = line.slice(range.startColumn - 1, range.endColumn - 1)
      line = line.slice(0, range.startColumn - 1) + content + line.slice(range.endColumn - 1)
      return {
        startLine: 1,
        startColumn: range.startColumn,
        endLine: 1,
        endColumn: range.startColumn + content.length,
        replaced,
      }
    },
    focus: () => undefined,
    select: () => undefined,
    runAction: () => undefined,
    actions: () => [],
    lineText: () => '',
  }
}

let unregister = (): void => undefined

async function setup(selected: [number, number] = [1, 1]) {
  const world = documentsOnDisk({ 'a.txt': 'hello world', 'b.txt': 'other' })
  await world.documents.open('a.txt')
  showTab(fileTab('a.txt'))
  const view = lineView('a.txt', 'hello world', selected)
  unregister = registerView(1, view)
  const port = createEditorRequestHandlers({
    documents: world.documents,
    openFile: async (_path, position) => position ?? { line: 1, column: 1 },
  })
  return { ...world, view, port }
}

beforeEach(() => useTabs.setState(emptyTabs, true))
afterEach(() => unregister())

describe('the editor request handlers', () => {
  it('return the state with the documented names', async () => {
    const { port } = await setup([1, 6])
    showTab(fileTab('b.txt'))
    showTab(fileTab('a.txt'))
    expect(await port['editor.state']({})).toEqual({
      active_file: 'a.txt',
      open_files: ['a.txt', 'b.txt'],
      active_tab_index: 0,
      cursor_line: 1,
      cursor_column: 6,
      selection_start_line: 1,
      selection_end_line: 1,
    })
  })

  it('report no active file while a page is shown', async () => {
    const { port } = await setup()
    showTab(pageTab('settings'))
    expect(await port['editor.state']({})).toMatchObject({
      active_file: null,
      active_tab_index: null,
      cursor_line: null,
      open_files: ['a.txt'],
    })
    await expect(port['editor.selection']({})).rejects.toMatchObject({ code: 'no_active_editor' })
    await expect(port['editor.goto']({ line: 1 })).rejects.toMatchObject({ code: 'no_active_editor' })
    await expect(port['editor.insertAtCursor']({ content: 'x' })).rejects.toMatchObject({ code: 'no_active_editor' })
  })

  it('use the visible file in the other group when a page is active', async () => {
    const { port } = await setup([1, 6])
    splitEditor('right')
    showTab(pageTab('settings'))
    expect(await port['editor.state']({})).toMatchObject({ active_file: 'a.txt', cursor_column: 6 })
    expect(await port['editor.selection']({})).toMatchObject({ path: 'a.txt', text: 'hello' })
  })

  it('replace the selection and return the replaced text', async () => {
    const { port, view } = await setup([1, 6])
    const change = await port['editor.replaceSelection']({ content: 'goodbye' })
    expect(view.text()).toBe('goodbye world')
    expect(change).toMatchObject({ path: 'a.txt', replaced: 'hello', startColumn: 1, endColumn: 8 })
  })

  it('reject replacing a selection that differs from the previewed one', async () => {
    const { port, view } = await setup([1, 6])
    const shown = await port['editor.selection']({})
    await expect(
      port['editor.replaceSelection']({ content: 'x', expected: { ...shown, endColumn: 5, text: 'hell' } }),
    ).rejects.toMatchObject({ code: 'conflict' })
    await expect(
      port['editor.replaceSelection']({ content: 'x', expected: { ...shown, path: 'b.txt' } }),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect(view.text()).toBe('hello world')
    await port['editor.replaceSelection']({ content: 'goodbye', expected: shown })
    expect(view.text()).toBe('goodbye world')
  })

  it('reject replacing an empty selection', async () => {
    const { port, view } = await setup([3, 3])
    await expect(port['editor.replaceSelection']({ content: 'x' })).rejects.toMatchObject({ code: 'no_selection' })
    expect(view.text()).toBe('hello world')
  })

  it('insert at the cursor without changing the selection', async () => {
    const { port, view } = await setup([1, 6])
    await port['editor.insertAtCursor']({ content: ',' })
    expect(view.text()).toBe('hello, world')
  })

  it('insert only at the previewed cursor position', async () => {
    const { port, view } = await setup([6, 6])
    await expect(
      port['editor.insertAtCursor']({ content: ',', expected: { path: 'a.txt', line: 1, column: 2 } }),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect(view.text()).toBe('hello world')
    await port['editor.insertAtCursor']({ content: ',', expected: { path: 'a.txt', line: 1, column: 6 } })
    expect(view.text()).toBe('hello, world')
  })

  it('clamp a position to the text and return it', async () => {
    const { port } = await setup()
    expect(await port['editor.goto']({ line: 99, column: 99 })).toEqual({ path: 'a.txt', line: 1, column: 12 })
  })

  it('return the text of an open file, and null for another file', async () => {
    const { port, buffer } = await setup()
    buffer('a.txt').type('typed')
    expect(await port['editor.buffer']({ path: 'a.txt' })).toEqual({ text: 'typed', dirty: true })
    expect(await port['editor.buffer']({ path: 'b.txt' })).toBeNull()
  })

  it('return no text of a clean tab if only unsaved text is requested', async () => {
    const { port, buffer } = await setup()
    expect(await port['editor.buffer']({ path: 'a.txt', unsavedOnly: true })).toBeNull()
    buffer('a.txt').type('typed')
    expect(await port['editor.buffer']({ path: 'a.txt', unsavedOnly: true })).toEqual({ text: 'typed', dirty: true })
  })

  it('apply an edit that is already on disk and keep the tab clean', async () => {
    const { port, documents, buffer } = await setup()
    const applied = await port['editor.applyText']({
      path: 'a.txt',
      expected: 'hello world',
      text: 'edited',
      saved: true,
      stamp: '77',
    })
    expect(applied).toEqual({ applied: true })
    expect(documents.get('a.txt')?.dirty).toBe(false)
    expect(documents.stamp('a.txt')).toBe('77')
    buffer('a.txt').undo()
    expect(documents.buffer('a.txt')?.text()).toBe('hello world')
    expect(documents.get('a.txt')?.dirty).toBe(true)
  })

  it('apply an edit to unsaved text and keep the tab dirty', async () => {
    const { port, documents, buffer } = await setup()
    buffer('a.txt').type('typed')
    await port['editor.applyText']({ path: 'a.txt', expected: 'typed', text: 'typed and edited', saved: false })
    expect(documents.get('a.txt')?.dirty).toBe(true)
    expect(documents.buffer('a.txt')?.text()).toBe('typed and edited')
  })

  it('reject an edit made for another text', async () => {
    const { port, buffer, documents } = await setup()
    buffer('a.txt').type('typed meanwhile')
    await expect(
      port['editor.applyText']({ path: 'a.txt', expected: 'hello world', text: 'edited', saved: true, stamp: '77' }),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect(documents.buffer('a.txt')?.text()).toBe('typed meanwhile')
  })

  it('apply edits of other places while the user types, and lose no key', async () => {
    const { port, documents, buffer } = await setup()
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of the file`)
    buffer('a.txt').type(lines.join('\n'))
    let [applied, overlaps] = [0, 0]
    for (let edit = 0; edit < 120; edit += 1) {
      const read = documents.buffer('a.txt')?.text() ?? ''
      // The user is at the line of the agent in two of 120 edits.
      const ofUser = (edit * 83 + 11) % 200
      const ofAgent = edit % 60 === 7 ? ofUser : (edit * 37) % 200
      if (ofAgent === ofUser) overlaps += 1
      const replaced = (text: string, line: number, mark: string) =>
        text
          .split('\n')
          .toSpliced(line, 1, `${text.split('\n')[line]}${mark}`)
          .join('\n')
      buffer('a.txt').type(replaced(read, ofUser, `<${edit}>`))
      const text = replaced(read, ofAgent, `[${edit}]`)
      try {
        await port['editor.applyText']({ path: 'a.txt', expected: read, text, saved: edit % 2 === 0, stamp: `${edit}` })
        applied += 1
      } catch (error) {
        expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining(`<${edit}>`) as string })
      }
    }
    const now = documents.buffer('a.txt')?.text() ?? ''
    expect(Array.from({ length: 120 }, (_, edit) => edit).filter((edit) => !now.includes(`<${edit}>`))).toEqual([])
    expect(now.match(/\[\d+\]/g)).toHaveLength(applied)
    expect(applied).toBe(120 - overlaps)
    expect(applied).toBeGreaterThanOrEqual(118)
    expect(documents.get('a.txt')?.dirty).toBe(true)
  })

  it('accept an edit that the tab has already loaded from disk', async () => {
    const { port, documents, write } = await setup()
    write('a.txt', 'edited')
    await documents.checkDisk('a.txt')
    expect(
      await port['editor.applyText']({
        path: 'a.txt',
        expected: 'hello world',
        text: 'edited',
        saved: true,
        stamp: '78',
      }),
    ).toEqual({
      applied: true,
    })
    expect(documents.get('a.txt')?.dirty).toBe(false)
  })

  it('apply nothing to a file that is not open', async () => {
    const { port } = await setup()
    expect(await port['editor.applyText']({ path: 'b.txt', expected: 'other', text: 'x', saved: true })).toEqual({
      applied: false,
    })
  })
})

it('a file outside the folder is not reported to tools, nor its selection', async () => {
  const name = 'outside:///home/ada/notes.txt'
  const { documents } = documentsOnDisk({ 'a.txt': 'a', [name]: 'private' })
  await documents.open('a.txt')
  await documents.open(name)
  showTab(fileTab('a.txt'))
  showTab(fileTab(name))
  unregister = registerView(1, lineView(name, 'private', [1, 8]))
  const port = createEditorRequestHandlers({ documents, openFile: async () => ({ line: 1, column: 1 }) })
  expect(await port['editor.state']({})).toMatchObject({ active_file: null, open_files: ['a.txt'], cursor_line: null })
  await expect(port['editor.selection']({})).rejects.toMatchObject({ code: 'no_active_editor' })
  expect(await port['editor.buffer']({ path: name })).toBeNull()
})
