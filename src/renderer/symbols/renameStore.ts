import { create } from 'zustand'
import type { RenamePlan } from '../../shared/symbolRename.ts'

/** Keys (`occurrenceKey`) of the selected occurrences. */
export type RenameAnswer = ReadonlySet<string> | null

interface Pending {
  plan: RenamePlan
  answer: (chosen: RenameAnswer) => void
}

/** The plan in the preview. */
export const useRename = create<{ pending: Pending | null }>(() => ({ pending: null }))

export function occurrenceKey(path: string, { line, column }: { line: number; column: number }): string {
  return `${path}:${line}:${column}`
}

/** Shows a plan. A second plan closes the first. @returns the selected occurrences, null if the preview is closed */
export function previewRename(plan: RenamePlan): Promise<RenameAnswer> {
  useRename.getState().pending?.answer(null)
  return new Promise((resolve) => {
    const answer = (chosen: RenameAnswer) => {
      useRename.setState({ pending: null })
      resolve(chosen)
    }
    useRename.setState({ pending: { plan, answer } })
  })
}
