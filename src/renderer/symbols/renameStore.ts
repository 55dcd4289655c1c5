import { create } from 'zustand'
import type { RenamePlan } from '../../shared/symbolRename.ts'

/** What the user wants of a plan: the keys (`occurrenceKey`) of the occurrences to rename. */
export type RenameAnswer = ReadonlySet<string> | null

interface Pending {
  plan: RenamePlan
  answer: (chosen: RenameAnswer) => void
}

/** The plan that is shown. */
export const useRename = create<{ pending: Pending | null }>(() => ({ pending: null }))

export function occurrenceKey(path: string, { line, column }: { line: number; column: number }): string {
  return `${path}:${line}:${column}`
}

/** Shows a plan. @returns the chosen occurrences, null when it is closed. A second plan closes the first. */
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
