import type { FileStamp, TextFormat } from '../../shared/files.ts'
import { applyTextChanges, type TextChange } from '../../shared/textChanges.ts'

/** A tab as the window last reported it. */
export interface BufferState {
  /** Relative to the workspace. */
  path: string
  dirty: boolean
  /** Unsaved text, null while the tab is clean. */
  text: string | null
  /** Of the file that the unsaved text was made from: the file on disk is another one when its stamp differs. */
  stamp?: FileStamp
  /** In which the unsaved text is to be saved. */
  format?: TextFormat
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
  /** Forgets unsaved text that the user gave up. */
  discard(paths: readonly string[]): void
  /** The state of a path may be another one. @returns unsubscribe */
  onChanged(listener: (path: string) => void): () => void
}

/** The mirror of the window's tabs, in the order they were opened. */
export function createBuffers(): Buffers {
  const states = new Map<string, { state: BufferState; version: number | undefined }>()
  const listeners = new Set<(path: string) => void>()
  const changed = (path: string) => {
    for (const listener of listeners) listener(path)
  }
  return {
    sync({ open, path, dirty, text, stamp, format, version }) {
      if (open)
        states.set(path, { state: dirty ? { path, dirty, text, stamp, format } : { path, dirty, text: null }, version })
      else states.delete(path)
      changed(path)
    },
    edit({ path, base, version, changes, length }) {
      const known = states.get(path)
      if (known === undefined || known.version !== base || known.state.text === null) return false
      const text = applyTextChanges(known.state.text, changes)
      if (text === null || text.length !== length) return false
      states.set(path, { state: { ...known.state, dirty: true, text }, version })
      changed(path)
      return true
    },
    list: () => Array.from(states.values(), ({ state }) => state),
    get: (path) => states.get(path)?.state,
    discard(paths) {
      for (const path of paths) {
        if (!states.get(path)?.state.dirty) continue
        states.set(path, { state: { path, dirty: false, text: null }, version: undefined })
        changed(path)
      }
    },
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
