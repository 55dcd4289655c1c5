/** A file's hunks in an editor. inline/inlineReview.tsx implements it. */
export interface VisibleChanges {
  readonly path: string
  hasFocus(): boolean
  step(direction: 1 | -1): boolean
  goToEnd(direction: 1 | -1): void
  applyActive(action: 'keep' | 'undo'): boolean
  commentActive(): boolean
}

const visible = new Set<VisibleChanges>()

/** Registers an editor's hunks for commands. @returns a function that unregisters them */
export function registerChanges(changes: VisibleChanges): () => void {
  visible.add(changes)
  return () => visible.delete(changes)
}

/** Returns a file's hunks, preferably in the focused editor. */
export function changesOf(path: string): VisibleChanges | undefined {
  const shown = [...visible].filter((changes) => changes.path === path)
  return shown.find((changes) => changes.hasFocus()) ?? shown.at(-1)
}
