import { createStore, type StoreApi } from 'zustand/vanilla'
import { ToolError, type Failure } from '../../../shared/errors.ts'
import type { FileStamp, TextFormat } from '../../../shared/files.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { createBufferMirror } from './bufferMirror.ts'
import type { TextBuffer } from './textBuffer.ts'

/** What a tab shows about its file. */
export interface DocumentState {
  path: string
  status: 'loading' | 'ready' | 'failed'
  /** Why it cannot be shown. */
  failure?: Failure
  dirty: boolean
  /** Against what the tab was read from. `changed` is only set while the tab is dirty: a clean one follows the disk. */
  disk: 'same' | 'changed' | 'deleted'
  readonly: boolean
  large: boolean
  format: TextFormat
}

export interface OpenDocument {
  buffer: TextBuffer
  stamp: FileStamp
  /** Version and format that stand on disk; null when none does (a restored text, a deleted file). */
  saved: { version: number; eol: TextFormat['eol'] } | null
  stopListening: () => void
}

export type OpenDocuments = ReturnType<typeof createOpenDocuments>

export const unknownFormat: TextFormat = { encoding: 'utf8', eol: '\n' }
const largeSyncDelay = 500

/**
 * The state of the files that are open in tabs: whether their text is the saved one, and what main is told of it.
 * @param syncDelay of the mirror of unsaved text, in milliseconds
 */
export function createOpenDocuments(request: Bridge['request'], syncDelay: number) {
  const store: StoreApi<Record<string, DocumentState>> = createStore(() => ({}))
  const open = new Map<string, OpenDocument>()
  const mirror = createBufferMirror(request, {
    stateOf(path) {
      const state = get(path)
      const document = open.get(path)
      if (!state?.dirty || !document) return { open: state !== undefined, dirty: false, text: null }
      return { open: true, dirty: true, text: document.buffer.text(), stamp: document.stamp, format: state.format }
    },
    lengthOf: (path) => open.get(path)?.buffer.length() ?? 0,
  })

  function get(path: string): DocumentState | undefined {
    return store.getState()[path]
  }

  function set(path: string, part: Partial<DocumentState>): void {
    const before = get(path)
    if (before) store.setState({ [path]: { ...before, ...part } })
  }

  /** Throws `not_found` for a file without a text. */
  function documentOf(path: string): OpenDocument {
    const document = open.get(path)
    if (!document) throw new ToolError('not_found', `${path} is not open in the editor.`, 'Open it first.')
    return document
  }

  function isDirty(document: OpenDocument, format: TextFormat): boolean {
    return !document.saved || document.saved.version !== document.buffer.version() || document.saved.eol !== format.eol
  }

  /** Looks whether the text is the saved one, after it or its format changed. */
  function refreshDirty(path: string): void {
    const document = open.get(path)
    const state = get(path)
    if (!document || !state) return
    const dirty = isDirty(document, state.format)
    if (dirty !== state.dirty) {
      set(path, { dirty, ...(dirty ? {} : { disk: state.disk === 'changed' ? 'same' : state.disk }) })
      mirror.now(path)
    } else if (dirty) {
      mirror.soon(path, state.large ? largeSyncDelay : syncDelay)
    }
  }

  /** This version of the text stands on disk. */
  function markSaved(path: string, stamp: FileStamp, version: number, eol: TextFormat['eol']): void {
    const document = open.get(path)
    if (!document) return
    document.stamp = stamp
    document.saved = { version, eol }
    set(path, { disk: 'same' })
    refreshDirty(path)
    // Typed while it was saved: what is unsaved is made from another file now.
    if (get(path)?.dirty) mirror.now(path)
  }

  return {
    store,
    mirror,
    get,
    set,
    documentOf,
    refreshDirty,
    markSaved,

    /** The file's text; undefined while it loads or has failed. */
    find(path: string): OpenDocument | undefined {
      return open.get(path)
    },

    paths(): string[] {
      return Object.keys(store.getState())
    },

    /** A file whose text is on its way. */
    addLoading(path: string): void {
      store.setState({
        [path]: {
          path,
          status: 'loading',
          dirty: false,
          disk: 'same',
          readonly: false,
          large: false,
          format: unknownFormat,
        },
      })
    },

    /** The text of a file that stands on disk as it is. */
    addText(path: string, buffer: TextBuffer, stamp: FileStamp, eol: TextFormat['eol']): void {
      const stopListening = buffer.onChange((changes) => {
        mirror.changed(path, changes)
        refreshDirty(path)
      })
      open.set(path, { buffer, stamp, saved: { version: buffer.version(), eol }, stopListening })
    },

    /** Forgets a file, unsaved text included. */
    remove(path: string): void {
      const document = open.get(path)
      open.delete(path)
      const { [path]: _closed, ...rest } = store.getState()
      store.setState(rest, true)
      document?.stopListening()
      document?.buffer.dispose()
      mirror.now(path)
    },

    /** Forgets everything. Main keeps what was mirrored. */
    clear(): void {
      mirror.stop()
      const all = [...open.values()]
      open.clear()
      store.setState({}, true)
      for (const document of all) {
        document.stopListening()
        document.buffer.dispose()
      }
    },
  }
}
