import { treeRows, useTree, type TreeRow } from './fileTree.ts'

// Selection of several entries. `selected` is the focused entry; `marked` contains all selected entries.

/** Pure: removes paths inside a folder that is also in the list. */
function withoutNested(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      if (all.has(path.slice(0, slash))) return false
    return true
  })
}

/** Pure: the paths of the rows between two entries, inclusive. */
function pathsBetween(rows: readonly TreeRow[], from: string | null, to: string): string[] {
  const paths = rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.path] : []))
  const end = paths.indexOf(to)
  const start = from === null ? -1 : paths.indexOf(from)
  return start < 0 ? [to] : paths.slice(Math.min(start, end), Math.max(start, end) + 1)
}

/** The selected entries, top to bottom, without those in a selected folder. */
export function selectedPaths(): string[] {
  const state = useTree.getState()
  if (state.marked.size === 0) return state.selected === null ? [] : [state.selected]
  return withoutNested(
    treeRows(state).flatMap((row) =>
      row.kind === 'entry' && state.marked.has(row.entry.path) ? [row.entry.path] : [],
    ),
  )
}

/** The entries that an action on an entry affects: all selected entries if it is one of them, else only itself. */
export function targetsOf(path: string): string[] {
  return useTree.getState().marked.has(path) ? selectedPaths() : [path]
}

/** Adds an entry to the selection or removes it, like Ctrl+click. */
export function toggleMark(path: string): void {
  useTree.setState(({ selected, marked }) => {
    const next = new Set(marked.size === 0 && selected !== null ? [selected] : marked)
    if (!next.delete(path)) next.add(path)
    return { selected: path, anchor: path, marked: next }
  })
}

/** Selects all entries from the anchor to this one, like Shift+click. */
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
