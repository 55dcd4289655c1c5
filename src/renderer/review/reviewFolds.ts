import { create } from 'zustand'
import { useLayout } from '../platform/layout/layoutStore.ts'

/** Files that differ from `LayoutState.review.expanded`. Kept while another view is shown. */
const useExceptions = create<{ paths: ReadonlySet<string> }>(() => ({ paths: new Set() }))

/** Returns a predicate for whether a file's lines are shown. */
export function useExpanded(): (file: { path: string }) => boolean {
  const all = useLayout(({ review }) => review.expanded)
  const { paths } = useExceptions()
  return ({ path }) => all !== paths.has(path)
}

/** Shows a file's lines, or hides them. */
export function toggleFile(path: string): void {
  useExceptions.setState(({ paths }) => {
    const next = new Set(paths)
    if (!next.delete(path)) next.add(path)
    return { paths: next }
  })
}

/** Shows or hides the lines of all files in this folder, from now on. */
export function expandAll(expanded: boolean): void {
  useExceptions.setState({ paths: new Set() })
  useLayout.setState(({ review }) => ({ review: { ...review, expanded } }))
}
