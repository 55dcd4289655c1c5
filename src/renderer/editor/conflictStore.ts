import { create } from 'zustand'

/** Path of the file whose conflict bar should take the focus; null if there is none. */
export const useConflictFocus = create<{ path: string | null }>(() => ({ path: null }))

/** Focuses and highlights the conflict bar of a file that cannot be saved until the user resolves the conflict. */
export function focusConflictBar(path: string): void {
  useConflictFocus.setState({ path })
}
