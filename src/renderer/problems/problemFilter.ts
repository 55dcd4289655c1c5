import { create } from 'zustand'
import type { ListedSeverity } from '../platform/languages/problemsStore.ts'
import type { ProblemFilter } from './problemRows.ts'

interface FilterStore extends ProblemFilter {
  /** Paths of the files whose problems are hidden. */
  folded: ReadonlySet<string>
  /** Keys (`problemKey`) of the problems whose related locations are shown. */
  expanded: ReadonlySet<string>
}

const everything: FilterStore = {
  text: '',
  shown: { error: true, warning: true, info: true },
  folded: new Set(),
  expanded: new Set(),
}

/** Whether the problems view takes the focus once loaded. */
export const useProblemsFocus = create<{ requested: boolean }>(() => ({ requested: false }))

/** State of the problems view. Kept while the view is closed. */
export const useProblemFilter = create<FilterStore>(() => everything)

export function showAllProblems(): void {
  useProblemFilter.setState(everything)
}

export function toggleSeverity(severity: ListedSeverity): void {
  useProblemFilter.setState(({ shown }) => ({ shown: { ...shown, [severity]: !shown[severity] } }))
}

export function setExpanded(key: string, expand: boolean): void {
  useProblemFilter.setState(({ expanded }) => {
    const next = new Set(expanded)
    if (expand) next.add(key)
    else next.delete(key)
    return { expanded: next }
  })
}

export function setFolded(paths: readonly string[], fold: boolean): void {
  useProblemFilter.setState(({ folded }) => {
    const next = new Set(folded)
    for (const path of paths) {
      if (fold) next.add(path)
      else next.delete(path)
    }
    return { folded: next }
  })
}
