import type { CellType } from '../../shared/notebook/notebook.ts'
import { keysOf } from '../../shared/editor/keyPress.ts'
import type { CopiedCell } from '../../shared/notebook/notebookEdits.ts'
import type { NotebookSession } from './notebookSession.ts'

/** Milliseconds between the two presses of D that delete a cell. */
const doublePressMs = 1000

let lastD = 0
/** The cell that was copied or cut in this window. */
let copied: CopiedCell | null = null

/** What the keys of a notebook do, apart from edits of its cells. */
export interface RunKeys {
  run(key: string): void
}

/**
 * Handles a key in a notebook, with the keys of Jupyter and VS Code. In command mode the cell has the focus, in edit mode
 * its text.
 * @returns whether the key was used
 */
export function handleNotebookKey(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>,
  mode: 'command' | 'edit',
  session: NotebookSession,
  { run }: RunKeys,
): boolean {
  const { selected } = session.store.getState()
  const keys = keysOf(event)
  if (selected === null) return mode === 'command' && handleEmpty(keys, session)
  const index = session.indexOf(selected)
  switch (keys) {
    case 'Ctrl+Enter':
    case 'Cmd+Enter':
      run(selected)
      session.select(selected)
      return true
    case 'Shift+Enter':
      run(selected)
      if (session.store.getState().notebook?.cells.length === index + 1) insertAndEdit(session, index + 1, 'code')
      else session.selectStep(1)
      return true
    case 'Alt+Enter':
      run(selected)
      insertAndEdit(session, index + 1, 'code')
      return true
    case 'Ctrl+Z':
    case 'Cmd+Z':
      session.undo()
      return true
    case 'Ctrl+Y':
    case 'Ctrl+Shift+Z':
    case 'Cmd+Shift+Z':
      session.redo()
      return true
    default:
      return mode === 'command' && handleCommandKey(keys, selected, index, session)
  }
}

function insertAndEdit(session: NotebookSession, index: number, type: CellType): void {
  const inserted = session.insert(index, { type })
  if (inserted !== undefined) session.select(inserted, { editing: true })
}

/** Keys of a notebook without cells. */
function handleEmpty(keys: string, session: NotebookSession): boolean {
  if (keys === 'A' || keys === 'B') session.insert(0, { type: 'code' })
  else if (keys === 'V' || keys === 'Ctrl+V' || keys === 'Cmd+V') pasteCell(session, 0)
  else if (keys === 'Z' || keys === 'Ctrl+Z' || keys === 'Cmd+Z') session.undo()
  else return false
  return true
}

/** Keys of a cell that has the focus. */
function handleCommandKey(keys: string, selected: string, index: number, session: NotebookSession): boolean {
  const before = lastD
  lastD = 0
  switch (keys) {
    case 'Up':
    case 'K':
      session.selectStep(-1)
      return true
    case 'Down':
    case 'J':
      session.selectStep(1)
      return true
    case 'Home':
    case 'Ctrl+Home':
      session.selectStep(-Infinity)
      return true
    case 'End':
    case 'Ctrl+End':
      session.selectStep(Infinity)
      return true
    case 'Alt+Up':
      session.move(selected, -1)
      return true
    case 'Alt+Down':
      session.move(selected, 1)
      return true
    case 'Enter':
      session.select(selected, { editing: true })
      return true
    case 'A':
      session.insert(index, { type: 'code' })
      return true
    case 'B':
      session.insert(index + 1, { type: 'code' })
      return true
    case 'D':
      if (performance.now() - before < doublePressMs) session.remove(selected)
      else lastD = performance.now()
      return true
    case 'X':
    case 'Ctrl+X':
    case 'Cmd+X':
      cutCell(session, selected)
      return true
    case 'Ctrl+C':
    case 'Cmd+C':
      // Selected text of an output is copied instead.
      if (document.getSelection()?.isCollapsed === false) return false
      copyCell(session, selected)
      return true
    case 'C':
      copyCell(session, selected)
      return true
    case 'V':
    case 'Ctrl+V':
    case 'Cmd+V':
      pasteCell(session, index + 1)
      return true
    case 'M':
      session.setType(selected, 'markdown')
      return true
    case 'Y':
      session.setType(selected, 'code')
      return true
    case 'R':
      session.setType(selected, 'raw')
      return true
    case 'Z':
      session.undo()
      return true
    case 'Shift+Z':
      session.redo()
      return true
    default:
      return false
  }
}

/** Copies a cell for notebooks of this window, and its text for everything else. */
export function copyCell(session: NotebookSession, key: string, { keepsId = false } = {}): void {
  const cell = session.cell(key)
  if (!cell) return
  copied = { raw: cell.raw, keepsId }
  // Pages of an insecure origin have no clipboard. Pasting into a notebook works without.
  navigator.clipboard?.writeText(cell.source).catch(() => undefined)
}

export function cutCell(session: NotebookSession, key: string): void {
  copyCell(session, key, { keepsId: true })
  session.remove(key)
}

/** Inserts the cell that was copied or cut, if there is one. */
export function pasteCell(session: NotebookSession, index: number): void {
  if (copied) session.paste(index, copied)
}
