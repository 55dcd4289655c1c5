import { useEffect, useMemo, useRef, type KeyboardEvent } from 'react'
import { useStore } from 'zustand'
import type { FileEditorProps } from '../platform/editor/fileEditors.tsx'
import { registerView, viewChanged } from '../platform/editor/editorViews.ts'
import { isMac } from '../platform/keymap/keyNotation.ts'
import { keysOf } from '../../shared/editor/keyPress.ts'
import { isCompositionKey } from '../platform/keymap/compositionKeys.ts'
import { Button, EmptyState } from '../ui/index.ts'
import { CellView } from './CellView.tsx'
import { cellEditors } from './cellEditors.ts'
import { runCell, runCells, storeKeptResults } from './kernelStore.ts'
import { handleNotebookKey } from './notebookKeys.ts'
import { notebookSession, type NotebookSession } from './notebookSession.ts'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { NotebookToolbar } from './NotebookToolbar.tsx'
import { notebookView, openFind } from './notebookView.ts'
import './notebook.css'

const NotebookFindBar = lazyView(async () => (await import('./NotebookFindBar.tsx')).default, null)

/** A notebook as cells with outputs. */
export default function NotebookView({ groupId, path, onFocus }: FileEditorProps) {
  const session = useMemo(() => notebookSession(path), [path])
  if (!session) return null
  return <Cells key={path} groupId={groupId} session={session} onFocus={onFocus} />
}

interface CellsProps {
  groupId: number
  session: NotebookSession
  onFocus: () => void
}

function Cells({ groupId, session, onFocus }: CellsProps) {
  const { notebook, selected, selection, editing, find } = useStore(session.store)
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => registerView(groupId, notebookView(session, root)), [groupId, session])
  useEffect(() => {
    session.readAgain()
    storeKeptResults(session)
  }, [session])
  // Whoever waits for the view needs its cells.
  const isShown = notebook !== null
  useEffect(() => viewChanged(), [isShown])
  if (!notebook) return null
  return (
    <div
      className="notebook"
      data-testid="notebook"
      ref={root}
      onFocusCapture={onFocus}
      onKeyDownCapture={(event) => onKeyDown(event, session)}
      onBlur={(event) => {
        // Text that loses the focus to something else is no longer edited, but to a menu or dialog it is.
        if (editing && event.relatedTarget instanceof Element && root.current?.contains(event.relatedTarget))
          if (!event.relatedTarget.closest('.monaco-editor')) session.select(selected)
      }}
    >
      <NotebookToolbar session={session} selected={selection.size} />
      {find && <NotebookFindBar session={session} find={find} />}
      <div className="notebook-cells" tabIndex={-1}>
        {notebook.cells.map((cell, index) => (
          <CellView
            key={cell.key}
            session={session}
            cell={cell}
            number={index + 1}
            language={notebook.language}
            selected={cell.key === selected}
            marked={selection.size > 1 && selection.has(cell.key)}
            editing={editing && cell.key === selected}
          />
        ))}
        {notebook.cells.length === 0 && (
          <EmptyState icon="notebook" title="The notebook has no cells">
            Insert one below.
          </EmptyState>
        )}
        <div className="notebook-insert">
          <Button size="small" icon="add" onClick={() => insertLast(session, 'code')}>
            Code
          </Button>
          <Button size="small" icon="add" onClick={() => insertLast(session, 'markdown')}>
            Markdown
          </Button>
        </div>
      </div>
    </div>
  )
}

function insertLast(session: NotebookSession, type: 'code' | 'markdown'): void {
  const key = session.insert(session.store.getState().notebook?.cells.length ?? 0, { type })
  if (key !== undefined) session.select(key, { editing: true })
}

/** Before Monaco gets a key: undo steps and runs belong to the notebook. */
function onKeyDown(event: KeyboardEvent<HTMLElement>, session: NotebookSession): void {
  const { nativeEvent, target } = event
  if (isCompositionKey(nativeEvent) || !(target instanceof Element)) return
  if (handleFindKey(nativeEvent, session, event.currentTarget)) return consume(event)
  const mode = target.closest('.monaco-editor') ? 'edit' : target.matches('.notebook-cell') ? 'command' : null
  if (mode === 'edit' && leavesText(nativeEvent, session, event.currentTarget)) return consume(event)
  if (mode === null) {
    if (event.key !== 'Escape' || target.closest('[role="menu"]')) return
    const cell = target.closest<HTMLElement>('.notebook-cell')
    cell?.focus()
    return
  }
  if (handleNotebookKey(nativeEvent, mode, session, { run: (keys) => runKeys(session, keys) })) consume(event)
}

function runKeys(session: NotebookSession, keys: readonly string[]): void {
  const [only] = keys
  if (keys.length === 1 && only !== undefined) runCell(session, only)
  else void runCells(session, keys)
}

/** Opens the find bar instead of that of one cell. */
function handleFindKey(event: globalThis.KeyboardEvent, session: NotebookSession, view: Element): boolean {
  const keys = keysOf(event)
  if (keys === (isMac ? 'Cmd+F' : 'Ctrl+F')) openFind(session, view)
  else if (keys === (isMac ? 'Cmd+Alt+F' : 'Ctrl+H')) openFind(session, view, { replacing: true })
  else if (session.store.getState().find && /^(Shift\+)?F3$/.test(keys)) session.stepMatch(event.shiftKey ? -1 : 1)
  else return false
  return true
}

function consume(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
}

/** Returns where an arrow key leaves the text: -1 from the first visible line, 1 from the last one, else 0. */
function stepOut(key: string, editor: NonNullable<ReturnType<typeof cellEditors.get>>): -1 | 0 | 1 {
  const [position, model] = [editor.getPosition(), editor.getModel()]
  if (!position || !model) return 0
  // A long line can be wrapped into several visible ones.
  const top = editor.getTopForPosition(position.lineNumber, position.column)
  if (key === 'ArrowUp') return top === editor.getTopForPosition(1, 1) ? -1 : 0
  const last = model.getLineCount()
  return key === 'ArrowDown' && top === editor.getTopForPosition(last, model.getLineMaxColumn(last)) ? 1 : 0
}

/** Escape leaves the text for its cell; arrows at the first and the last line go on in the next cell. */
function leavesText(event: globalThis.KeyboardEvent, session: NotebookSession, view: Element): boolean {
  const { selected } = session.store.getState()
  const editor = selected === null ? undefined : cellEditors.get(selected, view)
  if (!editor || event.ctrlKey || event.altKey || event.shiftKey || event.metaKey) return false
  const host = editor.getContainerDomNode()
  // Escape closes widgets of Monaco first.
  const hasWidget = host.ownerDocument.querySelector(
    '.suggest-widget.visible, .find-widget.visible, .parameter-hints-widget.visible',
  )
  if (event.key === 'Escape' && !hasWidget && (editor.getSelections()?.length ?? 1) < 2) {
    session.select(selected)
    return true
  }
  const step = stepOut(event.key, editor)
  const index = session.indexOf(selected)
  const next = session.store.getState().notebook?.cells[index + step]
  if (step === 0 || hasWidget || next === undefined) return false
  session.select(next.key, { editing: next.type === 'code' })
  return true
}
