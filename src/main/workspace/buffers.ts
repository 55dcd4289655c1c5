import type { FileStamp } from '../../shared/files/files.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import { applyTextChanges, type TextChange } from '../../shared/editor/textChanges.ts'

/** State of a tab, as last reported by the window. */
export interface BufferState {
  /** Relative to the workspace. */
  path: string
  dirty: boolean
  /** Unsaved text; null while the tab is clean. */
  text: string | null
  /** Stamp of the file that the unsaved text is based on. If it differs, the file has changed on disk. */
  stamp?: FileStamp
  /** Format for saving the unsaved text. */
  format?: TextFormat
}

/** Changes typed in a tab whose full text is already mirrored. */
export interface BufferEdit {
  path: string
  /** Version of the text that the changes apply to, numbered by the window. */
  base: number
  /** Version of the resulting text. */
  version: number
  changes: readonly TextChange[]
  /** Length of the resulting text in UTF-16 units. */
  length: number
}

/** Mirror of the window's open tabs. It responds without asking the window, and survives a reload of the window. */
export interface Buffers {
  /** @param state.version version assigned by the window; omitted when the main process itself changed the text */
  sync(state: BufferState & { open: boolean; version?: number }): void
  /** @returns false if the mirrored version is not `base`; the window then sends the full text */
  edit(edit: BufferEdit): boolean
  list(): BufferState[]
  get(path: string): BufferState | undefined
  /** Discards the unsaved text of these paths. */
  discard(paths: readonly string[]): void
  /** Calls the listener when a path's state may have changed. @returns a function that unsubscribes */
  onChanged(listener: (path: string) => void): () => void
}

/** Creates the mirror. Tabs are listed in the order in which they were opened. */
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
