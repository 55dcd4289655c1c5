import { create } from 'zustand'
import type { ListedSeverity } from '../platform/languages/problemsStore.ts'
import type { ProblemFilter } from './problemRows.ts'

interface FilterStore extends ProblemFilter {
  /** Paths of the files whose problems are hidden. */
  folded: ReadonlySet<string>
}

const everything: FilterStore = { text: '', shown: { error: true, warning: true, info: true }, folded: new Set() }

/** Whether the problems view takes the focus, when it is loaded. */
export const useProblemsFocus = create<{ requested: boolean }>(() => ({ requested: false }))

/** What the problems view shows. Stays while the view is closed. */
export const useProblemFilter = create<FilterStore>(() => everything)

export function showAllProblems(): void {
  useProblemFilter.setState(everything)
}

export function toggleSeverity(severity: ListedSeverity): void {
  useProblemFilter.setState(({ shown }) => ({ shown: { ...shown, [severity]: !shown[severity] } }))
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
