import type { RefObject } from 'react'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import type { EditorView, Position, TextRange } from '../platform/editor/editorViews.ts'
import type { NotebookCell } from '../../shared/notebook/notebook.ts'
import { cellEditors } from './cellEditors.ts'
import type { NotebookSession } from './notebookSession.ts'

/** Implements the platform's editor view. Positions are those of the file's text, as in searches. */
export function notebookView(session: NotebookSession, root: RefObject<HTMLElement | null>): EditorView {
  const selectedCell = (): NotebookCell | undefined => session.cell(session.store.getState().selected ?? '')
  const editor = () => cellEditors.get(session.store.getState().selected ?? '', root.current)
  const text = (): string => documents.buffer(session.path)?.text() ?? ''

  /** Selects the cell at a position of the text. */
  function goTo({ line, column }: Position): Position {
    const offset = offsetOf(text(), line) + column - 1
    const { cells = [], spans = [] } = session.store.getState().notebook ?? {}
    const cell = cells[spans.findIndex(({ end }) => offset < end)] ?? cells.at(-1)
    if (cell) session.select(cell.key)
    return { line, column }
  }
  function cursor(): Position {
    const { notebook, selected } = session.store.getState()
    return positionOf(text(), notebook?.spans[session.indexOf(selected)]?.start ?? 0)
  }

  return {
    path: () => (session.store.getState().notebook ? session.path : null),
    cursor,
    selection() {
      const { line, column } = cursor()
      const current = editor()
      const selection = current?.getSelection()
      const selected =
        selection && session.store.getState().editing ? (current?.getModel()?.getValueInRange(selection) ?? '') : ''
      return { startLine: line, startColumn: column, endLine: line, endColumn: column, text: selected }
    },
    hasSelection: () => session.store.getState().editing && editor()?.getSelection()?.isEmpty() === false,
    goTo,
    select: ({ startLine, startColumn }: TextRange) => void goTo({ line: startLine, column: startColumn }),
    replace({ startLine, startColumn }, inserted) {
      const before = cursor()
      // The user may have selected another cell since.
      if (startLine !== before.line || startColumn !== before.column) goTo({ line: startLine, column: startColumn })
      const at = cursor()
      const current = editor()
      const selection = current?.getSelection()
      const model = current?.getModel()
      const replaced = selection && model ? model.getValueInRange(selection) : ''
      if (current && selection) {
        current.executeEdits('tizona', [{ range: selection, text: inserted, forceMoveMarkers: true }])
      } else {
        const cell = selectedCell()
        if (cell) session.setSource(cell.key, cell.source === '' ? inserted : `${cell.source}\n${inserted}`)
      }
      return { startLine: at.line, startColumn: at.column, endLine: at.line, endColumn: at.column, replaced }
    },
    lineText: (line) => text().split('\n')[line - 1] ?? '',
    focus() {
      const { selected, editing } = session.store.getState()
      if (editing && editor()) editor()?.focus()
      else root.current?.querySelector<HTMLElement>(`[data-key="${selected ?? ''}"]`)?.focus()
    },
    runAction(id) {
      if (id === 'undo') session.undo()
      else if (id === 'redo') session.redo()
      else if (id === 'actions.find') openFind(session, root.current)
      else if (id === 'editor.action.startFindReplaceAction') openFind(session, root.current, { replacing: true })
      else {
        editor()?.focus()
        editor()?.trigger('tizona', id, null)
      }
    },
    actions: () => [],
  }
}

/** Opens the find bar over the cells, with the selected text of the one that is edited. */
export function openFind(session: NotebookSession, view: Element | null, options: { replacing?: boolean } = {}): void {
  const { selected, editing } = session.store.getState()
  const editor = editing && selected !== null ? cellEditors.get(selected, view) : undefined
  const [model, selection] = [editor?.getModel(), editor?.getSelection()]
  const text = model && selection ? model.getValueInRange(selection) : ''
  const offset = model && selection ? model.getOffsetAt(selection.getStartPosition()) : 0
  session.openFind({
    ...options,
    ...(text !== '' && !text.includes('\n') && { query: text }),
    from: { key: selected, offset },
  })
}

function offsetOf(text: string, line: number): number {
  let offset = 0
  for (let current = 1; current < line; current += 1) {
    const next = text.indexOf('\n', offset)
    if (next < 0) return offset
    offset = next + 1
  }
  return offset
}

function positionOf(text: string, offset: number): Position {
  let [line, start] = [1, 0]
  for (let next = text.indexOf('\n'); next >= 0 && next < offset; next = text.indexOf('\n', start)) {
    line += 1
    start = next + 1
  }
  return { line, column: offset - start + 1 }
}
