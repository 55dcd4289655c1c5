import { applyTextChanges, type TextChange } from '../../shared/textChanges.ts'

/** A tab as the window last reported it. */
export interface BufferState {
  /** Relative to the workspace. */
  path: string
  dirty: boolean
  /** Unsaved text, null while the tab is clean. */
  text: string | null
}

/** Typing in a tab whose whole text main has already. */
export interface BufferEdit {
  path: string
  /** The window's number of the text that the changes start from. */
  base: number
  /** The window's number of the text that they give. */
  version: number
  changes: readonly TextChange[]
  /** UTF-16 units of the text that they give. */
  length: number
}

/** What the window has open: known without asking it, and kept while it reloads. */
export interface Buffers {
  /** @param state.version the window's number of this text; omitted for a text that main itself put into the tab */
  sync(state: BufferState & { open: boolean; version?: number }): void
  /** @returns false when main holds another text than `base`, so that the window must send the whole text */
  edit(edit: BufferEdit): boolean
  list(): BufferState[]
  get(path: string): BufferState | undefined
  /** Forgets everything (another workspace was opened). */
  clear(): void
}

/** The mirror of the window's tabs, in the order they were opened. */
export function createBuffers(): Buffers {
  const states = new Map<string, { state: BufferState; version: number | undefined }>()
  return {
    sync({ open, path, dirty, text, version }) {
      if (open) states.set(path, { state: { path, dirty, text: dirty ? text : null }, version })
      else states.delete(path)
    },
    edit({ path, base, version, changes, length }) {
      const known = states.get(path)
      if (known === undefined || known.version !== base || known.state.text === null) return false
      const text = applyTextChanges(known.state.text, changes)
      if (text === null || text.length !== length) return false
      states.set(path, { state: { path, dirty: true, text }, version })
      return true
    },
    list: () => Array.from(states.values(), ({ state }) => state),
    get: (path) => states.get(path)?.state,
    clear: () => states.clear(),
  }
}
