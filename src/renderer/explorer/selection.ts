import { treeRows, useTree, type TreeRow } from './fileTree.ts'

// Selection of several entries. `selected` is the entry with the focus; `marked` has all selected entries.

/** Pure: leaves out paths inside a folder that is in the list as well. */
function withoutNested(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      if (all.has(path.slice(0, slash))) return false
    return true
  })
}

/** Pure: the paths of the rows between two entries, both included. */
function pathsBetween(rows: readonly TreeRow[], from: string | null, to: string): string[] {
  const paths = rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.path] : []))
  const end = paths.indexOf(to)
  const start = from === null ? -1 : paths.indexOf(from)
  return start < 0 ? [to] : paths.slice(Math.min(start, end), Math.max(start, end) + 1)
}

/** The selected entries, from top to bottom, without those in a selected folder. */
export function selectedPaths(): string[] {
  const state = useTree.getState()
  if (state.marked.size === 0) return state.selected === null ? [] : [state.selected]
  return withoutNested(
    treeRows(state).flatMap((row) =>
      row.kind === 'entry' && state.marked.has(row.entry.path) ? [row.entry.path] : [],
    ),
  )
}

/** What an action on an entry concerns: all selected entries if it is one of them, else the entry. */
export function targetsOf(path: string): string[] {
  return useTree.getState().marked.has(path) ? selectedPaths() : [path]
}

/** Adds an entry to the selection or removes it, as by Ctrl with a click. */
export function toggleMark(path: string): void {
  useTree.setState(({ selected, marked }) => {
    const next = new Set(marked.size === 0 && selected !== null ? [selected] : marked)
    if (!next.delete(path)) next.add(path)
    return { selected: path, anchor: path, marked: next }
  })
}

/** Selects all entries from the anchor to this one, as by Shift with a click. */
export function extendSelection(path: string): void {
  const state = useTree.getState()
  const anchor = state.anchor ?? state.selected
  useTree.setState({ selected: path, anchor, marked: new Set(pathsBetween(treeRows(state), anchor, path)) })
}

/** Selects all visible entries. */
export function selectAll(): void {
  const rows = treeRows(useTree.getState())
  useTree.setState({ marked: new Set(rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.path] : []))) })
}
