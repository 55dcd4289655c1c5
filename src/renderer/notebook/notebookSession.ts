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
  mergeCells,
  mergeProblem,
  moveCells,
  newCellId,
  newNotebookText,
  pasteCells,
  removeCells,
  setOutputs,
  type CopiedCell,
} from '../../shared/notebook/notebookEdits.ts'
import type { CellOutput } from '../../shared/notebook/outputs.ts'
import type { CellMatch, FindOptions } from './notebookFind.ts'
import { showAsText } from '../platform/editor/fileEditors.tsx'
import { notify } from '../platform/notices.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'

/** A position in the text of a cell, as its editor shows it. */
export interface CellPosition {
  /** Null: before all cells. */
  key: string | null
  /** Position of an output in the cell, in whose text the offset is. */
  output?: number | undefined
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
  /** Key of the selected cell, which has the focus. */
  selected: string | null
  /** Keys of all selected cells, with that of `selected`. */
  selection: ReadonlySet<string>
  /** Where a range of selected cells starts. */
  anchor: string | null
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
  /** Selects the cell that got the focus. If it is one of several selected ones, they stay selected. */
  focus(key: string): void
  /** Selects the cell that is `step` after the selected one. @param extends whether those before it stay selected */
  selectStep(step: number, options?: { extends?: boolean }): void
  /** Selects all cells from where the selection started to this one. */
  extendTo(key: string): void
  /** Adds a cell to the selection, or takes it from it. */
  toggle(key: string): void
  selectAll(): void
  /** Keys of the selected cells in their order, or only this one if it is not selected. */
  targets(key: string): string[]
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
  /** Closes the find bar and edits the cell of the current match, or selects it for one in an output. */
  closeFind(): void
  /** Inserts a cell and selects it. @returns its key */
  insert(index: number, cell: { type: CellType; source?: string }): string | undefined
  /** Inserts copied cells with all that they have, and selects them. */
  paste(index: number, copied: readonly CopiedCell[]): void
  /** Like `move`, `merge` and `setType`, one undo step for all these cells. */
  remove(keys: readonly string[]): void
  move(keys: readonly string[], step: -1 | 1): void
  /** Merges cells into the first of them, and selects it. A notice states why cells cannot be merged. */
  merge(keys: readonly string[]): void
  setType(keys: readonly string[], type: CellType): void
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
  const store = createStore<NotebookState>(() => ({
    notebook: null,
    ...selectionOf(null),
    editing: false,
    find: null,
    revealed: null,
  }))
  let lastFind: NotebookFind | null = null
  /** The last typed text, which the next one can join. */
  let typed: { key: string; at: number } | null = null

  const stopListening = buffer.onChange((changes) => {
    const { notebook } = store.getState()
    // Text that is shown as text can be no notebook for a while.
    if (notebook === null) return
    const next =
      changes === null ? parseNotebook(buffer.text(), notebook) : updateNotebook(notebook, () => buffer.text(), changes)
    if ('problem' in next) return showProblem(next)
    store.setState({ notebook: next, ...selectionAfter(store.getState(), notebook, next) })
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

  /** @param changes from the end, so that each has the offsets of the text as it is */
  function editAll(changes: readonly TextChange[]): void {
    if (changes.length === 0) return
    typed = null
    buffer?.edit(changes)
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
      const read = parseNotebook(buffer.text())
      if ('problem' in read) return showProblem(read)
      store.setState({ notebook: read, ...selectionOf(read.cells[0]?.key ?? null), editing: false })
    },
    cell,
    indexOf,
    select(key, { editing = false } = {}) {
      store.setState({ ...selectionOf(key), editing: key !== null && editing })
    },
    focus(key) {
      const { selection } = store.getState()
      if (selection.has(key)) store.setState({ selected: key, editing: false })
      else session.select(key)
    },
    selectStep(step, options) {
      const cells = current()?.cells ?? []
      const next = cells[Math.max(0, Math.min(cells.length - 1, indexOf(store.getState().selected) + step))]
      if (next && options?.extends) session.extendTo(next.key)
      else if (next) session.select(next.key)
    },
    extendTo(key) {
      const { anchor, selected } = store.getState()
      const [from, to] = [indexOf(anchor ?? selected), indexOf(key)]
      if (from < 0 || to < 0) return session.select(key)
      const cells = current()?.cells.slice(Math.min(from, to), Math.max(from, to) + 1) ?? []
      store.setState({ selected: key, selection: new Set(cells.map((each) => each.key)), editing: false })
    },
    toggle(key) {
      const { selection, selected } = store.getState()
      const others = new Set(selection)
      if (!others.delete(key)) store.setState({ ...selectionOf(key), selection: others.add(key), editing: false })
      else if (others.size > 0) {
        const next = selected === key ? [...others].at(-1) : selected
        store.setState({ ...selectionOf(next ?? null), selection: others, editing: false })
      }
    },
    selectAll() {
      const cells = current()?.cells ?? []
      if (cells.length > 0) store.setState({ selection: new Set(cells.map(({ key }) => key)), editing: false })
    },
    targets(key) {
      const { selection, notebook } = store.getState()
      if (!selection.has(key)) return [key]
      return notebook?.cells.flatMap((each) => (selection.has(each.key) ? [each.key] : [])) ?? []
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
      const changes = notebook?.cells.toReversed().flatMap((each) => {
        const source = sources.get(each.key)
        return source === undefined ? [] : (editSource(notebook, each, source) ?? [])
      })
      editAll(changes ?? [])
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
      session.setFind({ from: { key: match.key, output: match.output, offset: match.start } })
      store.setState({ revealed: match })
      session.select(match.key, { editing: match.output === undefined && store.getState().editing })
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
      if (find?.current) session.select(find.current.key, { editing: find.current.output === undefined })
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
      edit(pasteCells(notebook, index, copied, newCellId))
      selectAt(index)
      const pasted = current()?.cells.slice(index, index + copied.length) ?? []
      store.setState({ selection: new Set(pasted.map(({ key }) => key)) })
    },
    remove(keys) {
      const notebook = current()
      if (notebook) editAll(removeCells(notebook, keys.map(indexOf)))
    },
    move(keys, step) {
      const notebook = current()
      if (notebook) edit(moveCells(notebook, keys.map(indexOf), step))
    },
    merge(keys) {
      const notebook = current()
      const first = keys.toSorted((one, other) => indexOf(one) - indexOf(other))[0]
      if (!notebook || first === undefined || keys.length < 2) return
      const problem = mergeProblem(notebook, keys.map(indexOf))
      if (problem !== undefined) return notify('warning', 'The cells were not merged.', { detail: problem })
      editAll(mergeCells(notebook, keys.map(indexOf)))
      session.select(first)
    },
    setType(keys, type) {
      const notebook = current()
      const cells = notebook?.cells.toReversed().filter((each) => keys.includes(each.key)) ?? []
      if (notebook) editAll(cells.flatMap((each) => changeType(notebook, each, type) ?? []))
    },
    setOutputs(key, outputs, executionCount) {
      const [notebook, changed] = [current(), cell(key)]
      if (notebook && changed?.type === 'code') edit(setOutputs(notebook, changed, outputs, executionCount))
    },
    clearAllOutputs() {
      const notebook = current()
      const changes = notebook?.cells
        .toReversed()
        .flatMap((each) => (each.type === 'code' ? (setOutputs(notebook, each, [], null) ?? []) : []))
      editAll(changes ?? [])
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

/** One selected cell. */
const selectionOf = (key: string | null): Pick<NotebookState, 'selected' | 'selection' | 'anchor'> => ({
  selected: key,
  selection: new Set(key === null ? [] : [key]),
  anchor: key,
})

/** Leaves the selection to the cells that stay. If the one with the focus is gone, the next one gets it. */
function selectionAfter(
  { selected, selection, anchor }: NotebookState,
  before: Notebook,
  after: Notebook,
): Partial<NotebookState> {
  if (after.cells.length >= before.cells.length && after.cells.some(({ key }) => key === selected)) return {}
  const there = new Set(after.cells.map(({ key }) => key))
  const isThere = ({ key }: NotebookCell): boolean => there.has(key)
  const index = before.cells.findIndex(({ key }) => key === selected)
  const next =
    before.cells.slice(Math.max(0, index)).find(isThere) ??
    after.cells[Math.min(Math.max(0, index), after.cells.length - 1)]
  if (selected === null || !there.has(selected)) return { ...selectionOf(next?.key ?? null), editing: false }
  const kept = new Set([...selection].filter((key) => there.has(key)))
  return { selection: kept, anchor: anchor !== null && there.has(anchor) ? anchor : selected }
}

const noFind: NotebookFind = {
  query: '',
  outputs: true,
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
