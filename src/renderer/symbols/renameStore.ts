import { create } from 'zustand'
import type { RenamePlan } from '../../shared/language/symbolRename.ts'

/** Keys (`occurrenceKey`) of the selected occurrences; null if the user cancelled. */
export type RenameSelection = ReadonlySet<string> | null

interface Pending {
  plan: RenamePlan
  answer: (chosen: RenameSelection) => void
}

/** The rename plan that the preview shows. */
export const useRename = create<{ pending: Pending | null }>(() => ({ pending: null }))

/** Identifies an occurrence within a plan. */
export function occurrenceKey(path: string, { line, column }: { line: number; column: number }): string {
  return `${path}:${line}:${column}`
}

/** Keys of all occurrences of a plan. */
export function allOccurrences({ files }: RenamePlan): ReadonlySet<string> {
  return new Set(files.flatMap(({ path, occurrences }) => occurrences.map((each) => occurrenceKey(path, each))))
}

/** Opens the preview of a plan, replacing an open preview. @returns the selected occurrences; null if cancelled */
export function previewRename(plan: RenamePlan): Promise<RenameSelection> {
  useRename.getState().pending?.answer(null)
  return new Promise((resolve) => {
    const answer = (chosen: RenameSelection) => {
      useRename.setState({ pending: null })
      resolve(chosen)
    }
    useRename.setState({ pending: { plan, answer } })
  })
}
