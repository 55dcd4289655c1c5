import { create } from 'zustand'
import { useLayout } from '../platform/layout/layoutStore.ts'

/** Files that are not as `LayoutState.review.expanded` has them. They stay so while another view is shown. */
const useExceptions = create<{ paths: ReadonlySet<string> }>(() => ({ paths: new Set() }))

/** Returns whether the lines of a file are listed. */
export function useExpanded(): (file: { path: string }) => boolean {
  const all = useLayout(({ review }) => review.expanded)
  const { paths } = useExceptions()
  return ({ path }) => all !== paths.has(path)
}

/** Lists the lines of a file, or only its name. */
export function toggleFile(path: string): void {
  useExceptions.setState(({ paths }) => {
    const next = new Set(paths)
    if (!next.delete(path)) next.add(path)
    return { paths: next }
  })
}

/** Lists the lines of all files, or only their names, in this folder from now on. */
export function expandAll(expanded: boolean): void {
  useExceptions.setState({ paths: new Set() })
  useLayout.setState(({ review }) => ({ review: { ...review, expanded } }))
}
