import { create } from 'zustand'

/** The file whose conflict with the disk the user has to settle first; null when none was asked about since its bar looked. */
export const useConflict = create<{ path: string | null }>(() => ({ path: null }))

/** Draws the eye and the focus to the bar of a file in conflict: what the user asked for cannot be done before it is settled. */
export function askAboutConflict(path: string): void {
  useConflict.setState({ path })
}
