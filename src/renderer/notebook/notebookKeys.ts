import type { CellType } from '../../shared/notebook/notebook.ts'
import { keysOf } from '../../shared/editor/keyPress.ts'
import type { CopiedCell } from '../../shared/notebook/notebookEdits.ts'
import type { NotebookSession } from './notebookSession.ts'

/** Milliseconds between the two presses of D that delete a cell. */
const doublePressMs = 1000

/** The last press of D, and the cell that it was for. */
let lastD: { at: number; session: NotebookSession; cell: string } | null = null
/** The cells that were copied or cut in this window. */
let copied: readonly CopiedCell[] = []

/** What the keys of a notebook do, apart from edits of its cells. */
export interface RunKeys {
  /** Runs cells in this order. */
  run(keys: readonly string[]): void
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
  if (keys !== 'D') lastD = null
  if (selected === null) return mode === 'command' && handleEmpty(keys, session)
  const targets = session.targets(selected)
  const after = session.indexOf(targets.at(-1) ?? selected) + 1
  switch (keys) {
    case 'Ctrl+Enter':
    case 'Cmd+Enter':
      run(targets)
      if (targets.length === 1) session.select(selected)
      return true
    case 'Shift+Enter': {
      run(targets)
      const next = session.store.getState().notebook?.cells[after]
      if (next) session.select(next.key)
      else insertAndEdit(session, after, 'code')
      return true
    }
    case 'Alt+Enter':
      run(targets)
      insertAndEdit(session, after, 'code')
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
      return (
        mode === 'command' &&
        (handleSelectionKey(keys, selected, session) || handleCommandKey(keys, selected, targets, session))
      )
  }
}

function insertAndEdit(session: NotebookSession, index: number, type: CellType): void {
  const inserted = session.insert(index, { type })
  if (inserted !== undefined) session.select(inserted, { editing: true })
}

/** Keys of a notebook without cells. */
function handleEmpty(keys: string, session: NotebookSession): boolean {
  if (keys === 'A' || keys === 'B') session.insert(0, { type: 'code' })
  else if (keys === 'V' || keys === 'Ctrl+V' || keys === 'Cmd+V') pasteCopied(session, 0)
  else if (keys === 'Z' || keys === 'Ctrl+Z' || keys === 'Cmd+Z') session.undo()
  else return false
  return true
}

/** Keys that change what is selected. */
function handleSelectionKey(keys: string, selected: string, session: NotebookSession): boolean {
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
    case 'Shift+Up':
    case 'Shift+K':
      session.selectStep(-1, { extends: true })
      return true
    case 'Shift+Down':
    case 'Shift+J':
      session.selectStep(1, { extends: true })
      return true
    case 'Ctrl+Shift+Home':
    case 'Shift+Home':
      session.selectStep(-Infinity, { extends: true })
      return true
    case 'Ctrl+Shift+End':
    case 'Shift+End':
      session.selectStep(Infinity, { extends: true })
      return true
    case 'Ctrl+A':
    case 'Cmd+A':
      session.selectAll()
      return true
    case 'Escape':
      if (session.targets(selected).length < 2) return false
      session.select(selected)
      return true
    case 'Enter':
      session.select(selected, { editing: true })
      return true
    default:
      return false
  }
}

/** Keys that change the selected cells. */
function handleCommandKey(
  keys: string,
  selected: string,
  targets: readonly string[],
  session: NotebookSession,
): boolean {
  const [first, last] = [targets[0] ?? selected, targets.at(-1) ?? selected].map(session.indexOf)
  switch (keys) {
    case 'Alt+Up':
      session.move(targets, -1)
      return true
    case 'Alt+Down':
      session.move(targets, 1)
      return true
    case 'A':
      session.insert(first ?? 0, { type: 'code' })
      return true
    case 'B':
      session.insert((last ?? 0) + 1, { type: 'code' })
      return true
    case 'D':
      if (isSecondD(session, selected)) session.remove(targets)
      else lastD = { at: performance.now(), session, cell: selected }
      return true
    case 'X':
    case 'Ctrl+X':
    case 'Cmd+X':
      cutCells(session, targets)
      return true
    case 'Ctrl+C':
    case 'Cmd+C':
      // Selected text of an output is copied instead.
      if (document.getSelection()?.isCollapsed === false) return false
      copyCells(session, targets)
      return true
    case 'C':
      copyCells(session, targets)
      return true
    case 'V':
    case 'Ctrl+V':
    case 'Cmd+V':
      pasteCopied(session, (last ?? 0) + 1)
      return true
    case 'M':
      session.setType(targets, 'markdown')
      return true
    case 'Y':
      session.setType(targets, 'code')
      return true
    case 'R':
      session.setType(targets, 'raw')
      return true
    case 'Shift+M':
      session.merge(mergedCells(session, targets))
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

/** Whether D was pressed just before, for the same cell. Ends that press. */
function isSecondD(session: NotebookSession, cell: string): boolean {
  const before = lastD
  lastD = null
  return before?.session === session && before.cell === cell && performance.now() - before.at < doublePressMs
}

/** The selected cells, or one cell and the one below it. */
export function mergedCells(session: NotebookSession, targets: readonly string[]): readonly string[] {
  const [only] = targets
  if (targets.length > 1 || only === undefined) return targets
  const below = session.store.getState().notebook?.cells[session.indexOf(only) + 1]
  return below ? [only, below.key] : []
}

/** Copies cells for notebooks of this window, and their texts for everything else. */
export function copyCells(session: NotebookSession, keys: readonly string[], { keepsId = false } = {}): void {
  const cells = keys.flatMap((key) => session.cell(key) ?? [])
  if (cells.length === 0) return
  copied = cells.map(({ raw }) => ({ raw, keepsId }))
  // Pages of an insecure origin have no clipboard. Pasting into a notebook works without.
  navigator.clipboard?.writeText(cells.map(({ source }) => source).join('\n')).catch(() => undefined)
}

export function cutCells(session: NotebookSession, keys: readonly string[]): void {
  copyCells(session, keys, { keepsId: true })
  session.remove(keys)
}

/** Inserts the cells that were copied or cut, if there are any. */
export function pasteCopied(session: NotebookSession, index: number): void {
  if (copied.length > 0) session.paste(index, copied)
}
