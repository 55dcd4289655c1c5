/** A tab as the window last told of it. */
export interface BufferState {
  /** Relative to the workspace. */
  path: string
  dirty: boolean
  /** Unsaved text, null while the tab is clean. */
  text: string | null
}

/** What the window has open: known without asking it, and kept while it reloads. */
export interface Buffers {
  sync(state: BufferState & { open: boolean }): void
  list(): BufferState[]
  get(path: string): BufferState | undefined
  /** Forgets everything (another workspace was opened). */
  clear(): void
}

/** The mirror of the window's tabs, in the order they were opened. */
export function createBuffers(): Buffers {
  const states = new Map<string, BufferState>()
  return {
    sync({ open, path, dirty, text }) {
      if (open) states.set(path, { path, dirty, text: dirty ? text : null })
      else states.delete(path)
    },
    list: () => [...states.values()],
    get: (path) => states.get(path),
    clear: () => states.clear(),
  }
}
