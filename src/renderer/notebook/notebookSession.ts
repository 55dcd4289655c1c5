import { createStore, type StoreApi } from 'zustand'
import type { TextChange } from '../../shared/editor/textChanges.ts'
import {
  parseNotebook,
  updateNotebook,
  type CellType,
  type Notebook,
  type NotebookCell,
  type NotebookProblem,
} from '../../shared/notebook/notebook.ts'
import {
  changeType,
  editSource,
  insertCell,
  moveCell,
  newCellId,
  newNotebookText,
  pasteCell,
  removeCell,
  setOutputs,
  type CopiedCell,
} from '../../shared/notebook/notebookEdits.ts'
import type { CellOutput } from '../../shared/notebook/outputs.ts'
import type { CellMatch, FindOptions } from './notebookFind.ts'
import { showAsText } from '../platform/editor/fileEditors.tsx'
import { documents } from '../platform/editor/documents/windowDocuments.ts'

/** A position in the text of a cell, as its editor shows it. */
export interface CellPosition {
  /** Null: before all cells. */
  key: string | null
  offset: number
}

/** The find bar over the cells. */
export interface NotebookFind extends FindOptions {
  replacement: string
  replacing: boolean
  /** Where the search starts. */
  from: CellPosition
  matches: readonly CellMatch[]
  current: CellMatch | undefined
  /** Counts how often the bar was opened. */
  opened: number
}

export interface NotebookState {
  /** Null while the text is no notebook. */
  notebook: Notebook | null
  /** Key of the selected cell. */
  selected: string | null
  /** Whether the keys of the selected cell go to its text. */
  editing: boolean
  /** Null while the find bar is closed. */
  find: NotebookFind | null
  /** The match that its editor will select, as soon as it is there. */
  revealed: CellMatch | null
}

/** Milliseconds between two typed characters that are undone together. */
const joinMs = 1000

/** An open notebook: its cells as the text of the file has them, and the selection. */
export interface NotebookSession {
  readonly path: string
  readonly store: StoreApi<NotebookState>
  /** Reads the text again if it was no notebook. Called when it is to be shown. */
  readAgain(): void
  cell(key: string): NotebookCell | undefined
  /** Position of a cell, from 0; -1 if there is no such cell. */
  indexOf(key: string | null): number
  select(key: string | null, options?: { editing?: boolean }): void
  /** Selects the cell that is `step` after the selected one. */
  selectStep(step: number): void
  setSource(key: string, source: string): void
  /** Changes the texts of several cells as one undo step. */
  setSources(sources: ReadonlyMap<string, string>): void
  /** Opens the find bar, with its last query. */
  openFind(options: { query?: string; replacing?: boolean; from: CellPosition }): void
  setFind(change: Partial<NotebookFind>): void
  /** Selects the cell of a match, and the match in it. */
  reveal(match: CellMatch): void
  /** Goes to the next match (1) or the previous one (-1). */
  stepMatch(by: 1 | -1): void
  /** Closes the find bar and edits the cell of the current match. */
  closeFind(): void
  /** Inserts a cell and selects it. @returns its key */
  insert(index: number, cell: { type: CellType; source?: string }): string | undefined
  /** Inserts a copied cell with all that it has, and selects it. */
  paste(index: number, copied: CopiedCell): void
  remove(key: string): void
  /** Moves a cell by `step` positions. */
  move(key: string, step: number): void
  setType(key: string, type: CellType): void
  setOutputs(key: string, outputs: readonly CellOutput[], executionCount: number | null): void
  clearAllOutputs(): void
  undo(): void
  redo(): void
  dispose(): void
}

const sessions = new Map<string, NotebookSession>()

/** Returns the session of a file that is open. It lives until the file is closed. */
export function notebookSession(path: string): NotebookSession | undefined {
  const known = sessions.get(path)
  if (known) return known
  const session = openSession(path)
  if (session) sessions.set(path, session)
  return session
}

/** Returns the session of a file if its notebook is or was shown. */
export const openedNotebook = (path: string | null): NotebookSession | undefined =>
  path === null ? undefined : sessions.get(path)

/** Ends sessions of files that were closed or renamed. @returns a function that stops it */
export function followClosedNotebooks(): () => void {
  return documents.store.subscribe((all) => {
    for (const [path, session] of sessions)
      if (all[path]?.status !== 'ready') {
        session.dispose()
        sessions.delete(path)
      }
  })
}

/** Writes a new notebook into an empty file. */
export function fillNotebook(path: string): void {
  documents.buffer(path)?.replace(newNotebookText(newCellId()))
}

// oxlint-disable-next-line eslint/max-lines-per-function -- One closure over the text and the selection.
function openSession(path: string): NotebookSession | undefined {
  const buffer = documents.buffer(path)
  if (!buffer) return undefined
  let text = buffer.text()
  const store = createStore<NotebookState>(() => ({
    notebook: null,
    selected: null,
    editing: false,
    find: null,
    revealed: null,
  }))
  let lastFind: NotebookFind | null = null
  /** The last typed text, which the next one can join. */
  let typed: { key: string; at: number } | null = null

  const stopListening = buffer.onChange((changes) => {
    const { notebook } = store.getState()
    const before = text
    text = changes === null ? buffer.text() : applied(before, changes)
    // Text that is shown as text can be no notebook for a while.
    if (notebook === null) return
    const next = changes === null ? parseNotebook(text, notebook) : updateNotebook(notebook, text, changes)
    if ('problem' in next) return showProblem(next)
    const { selected } = store.getState()
    const isThere = next.cells.some(({ key }) => key === selected)
    const index = notebook.cells.findIndex(({ key }) => key === selected)
    store.setState({
      notebook: next,
      ...(!isThere && { selected: next.cells[Math.min(index, next.cells.length - 1)]?.key ?? null, editing: false }),
    })
  })

  function showProblem({ problem, empty }: NotebookProblem): void {
    store.setState({ notebook: null })
    showAsText(path, { reason: problem, empty: empty === true })
  }

  const current = (): Notebook | null => store.getState().notebook
  const cell = (key: string | null): NotebookCell | undefined => current()?.cells.find((each) => each.key === key)
  const indexOf = (key: string | null): number => current()?.cells.findIndex((each) => each.key === key) ?? -1

  function edit(change: TextChange | null | undefined, options?: { joins?: boolean }): void {
    if (!change) return
    if (options?.joins !== true) typed = null
    buffer?.edit([change], options)
  }

  function selectAt(index: number): string | undefined {
    const key = current()?.cells[index]?.key
    if (key !== undefined) session.select(key)
    return key
  }

  const session: NotebookSession = {
    path,
    store,
    readAgain() {
      if (current()) return
      const read = parseNotebook(text)
      if ('problem' in read) return showProblem(read)
      store.setState({ notebook: read, selected: read.cells[0]?.key ?? null, editing: false })
    },
    cell,
    indexOf,
    select(key, { editing = false } = {}) {
      store.setState({ selected: key, editing: key !== null && editing })
    },
    selectStep(step) {
      const cells = current()?.cells ?? []
      const next = cells[Math.max(0, Math.min(cells.length - 1, indexOf(store.getState().selected) + step))]
      if (next) session.select(next.key)
    },
    setSource(key, source) {
      const [notebook, edited] = [current(), cell(key)]
      if (!notebook || !edited) return
      const change = editSource(notebook, edited, source)
      const now = performance.now()
      const joins = typed !== null && typed.key === key && now - typed.at < joinMs && isTyped(change)
      edit(change, { joins })
      typed = { key, at: now }
    },
    setSources(sources) {
      const notebook = current()
      // From the end, so that each change has the offsets of the text as it is.
      const changes = notebook?.cells.toReversed().flatMap((each) => {
        const source = sources.get(each.key)
        return source === undefined ? [] : (editSource(notebook, each, source) ?? [])
      })
      if (!changes || changes.length === 0) return
      typed = null
      buffer.edit(changes)
    },
    openFind({ query, replacing, from }) {
      const before = store.getState().find ?? lastFind ?? noFind
      const find = {
        ...before,
        query: query ?? before.query,
        replacing: replacing ?? before.replacing,
        from,
        opened: before.opened + 1,
      }
      store.setState({ find })
    },
    setFind(change) {
      store.setState(({ find }) => ({ find: find && { ...find, ...change } }))
    },
    reveal(match) {
      session.setFind({ from: { key: match.key, offset: match.start } })
      store.setState({ revealed: match })
      session.select(match.key, { editing: store.getState().editing })
    },
    stepMatch(by) {
      const { matches, current: shown } = store.getState().find ?? noFind
      const index = shown === undefined ? -1 : matches.indexOf(shown)
      const next = matches[(index + by + matches.length) % matches.length]
      if (next) session.reveal(next)
    },
    closeFind() {
      const { find } = store.getState()
      lastFind = find
      store.setState({ find: null })
      if (find?.current) session.select(find.current.key, { editing: true })
    },
    insert(index, { type, source = '' }) {
      const notebook = current()
      if (!notebook) return undefined
      edit(insertCell(notebook, index, { type, source, id: newCellId() }))
      return selectAt(index)
    },
    paste(index, copied) {
      const notebook = current()
      if (!notebook) return
      edit(pasteCell(notebook, index, copied, newCellId()))
      selectAt(index)
    },
    remove(key) {
      const [notebook, index] = [current(), indexOf(key)]
      if (notebook) edit(removeCell(notebook, index))
    },
    move(key, step) {
      const [notebook, index] = [current(), indexOf(key)]
      const to = index + step
      if (notebook && notebook.cells[to]) edit(moveCell(notebook, index, to))
    },
    setType(key, type) {
      const [notebook, changed] = [current(), cell(key)]
      if (notebook && changed) edit(changeType(notebook, changed, type))
    },
    setOutputs(key, outputs, executionCount) {
      const [notebook, changed] = [current(), cell(key)]
      if (notebook && changed?.type === 'code') edit(setOutputs(notebook, changed, outputs, executionCount))
    },
    clearAllOutputs() {
      const notebook = current()
      // From the end, so that each change has the offsets of the text as it is.
      const changes = notebook?.cells
        .toReversed()
        .flatMap((each) => (each.type === 'code' ? (setOutputs(notebook, each, [], null) ?? []) : []))
      if (!changes || changes.length === 0) return
      typed = null
      buffer.edit(changes)
    },
    undo() {
      typed = null
      buffer.undo()
    },
    redo() {
      typed = null
      buffer.redo()
    },
    dispose: stopListening,
  }
  return session
}

const noFind: NotebookFind = {
  query: '',
  caseSensitive: false,
  wholeWord: false,
  regex: false,
  replacement: '',
  replacing: false,
  from: { key: null, offset: 0 },
  matches: [],
  current: undefined,
  opened: 0,
}

/** Whether a change is one that typing makes, without a break between words. */
const isTyped = (change: TextChange | null): boolean =>
  change !== null && change.text.length <= 2 && change.length <= 2 && !/[\s\\]/.test(change.text)

function applied(text: string, changes: readonly TextChange[]): string {
  return changes.reduce(
    (current, { offset, length, text: inserted }) =>
      current.slice(0, offset) + inserted + current.slice(offset + length),
    text,
  )
}
