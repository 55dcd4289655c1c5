/** The hunks of a file in an editor. inline/inlineReview.tsx implements it. */
export interface VisibleChanges {
  readonly path: string
  hasFocus(): boolean
  step(direction: 1 | -1): boolean
  goToEnd(direction: 1 | -1): void
  applyActive(action: 'keep' | 'undo'): boolean
  commentActive(): boolean
}

const visible = new Set<VisibleChanges>()

/** Registers the hunks of an editor, for commands. @returns a function that unregisters them */
export function registerChanges(changes: VisibleChanges): () => void {
  visible.add(changes)
  return () => visible.delete(changes)
}

/** Returns the hunks of a file: in the focused editor if it shows the file. */
export function changesOf(path: string): VisibleChanges | undefined {
  const shown = [...visible].filter((changes) => changes.path === path)
  return shown.find((changes) => changes.hasFocus()) ?? shown.at(-1)
}
