import { createStore, type StoreApi } from 'zustand/vanilla'
import { ToolError, type Failure } from '../../../shared/errors.ts'
import type { FileStamp, TextFormat } from '../../../shared/files.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { createBufferMirror } from './bufferMirror.ts'
import type { TextBuffer } from './textBuffer.ts'

/** The state of a file in a tab. */
export interface DocumentState {
  path: string
  status: 'loading' | 'ready' | 'failed'
  /** Why the file cannot be shown. */
  failure?: Failure
  dirty: boolean
  /**
   * How the file on disk compares with the version that the tab is based on. Only a tab with unsaved changes can be
   * `changed`; others follow the disk.
   */
  disk: 'same' | 'changed' | 'deleted'
  readonly: boolean
  large: boolean
  format: TextFormat
}

export interface OpenDocument {
  buffer: TextBuffer
  stamp: FileStamp
  /** Version and format of the text on disk; null if it is not on disk (restored text or deleted file). */
  saved: { version: number; eol: TextFormat['eol'] } | null
  stopListening: () => void
}

export const unknownFormat: TextFormat = { encoding: 'utf8', eol: '\n' }
const largeSyncDelay = 500

/**
 * The state of the files that are open in tabs: whether they have unsaved changes, and what is mirrored to main.
 * @param syncDelay delay of the mirror in milliseconds
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

  /** @throws ToolError `not_found` if the file has no text */
  function documentOf(path: string): OpenDocument {
    const document = open.get(path)
    if (!document) throw new ToolError('not_found', `${path} is not open in the editor.`, 'Open it first.')
    return document
  }

  function isDirty(document: OpenDocument, format: TextFormat): boolean {
    return !document.saved || document.saved.version !== document.buffer.version() || document.saved.eol !== format.eol
  }

  /** Updates `dirty` after a change of the text or its format. */
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

  /** Records that this version of the text is on disk. */
  function markSaved(path: string, stamp: FileStamp, version: number, eol: TextFormat['eol']): void {
    const document = open.get(path)
    if (!document) return
    document.stamp = stamp
    document.saved = { version, eol }
    set(path, { disk: 'same' })
    refreshDirty(path)
    // The user typed during the save. The unsaved text is now based on the new file.
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

    /** The text of a file; undefined while it loads or after a failure. */
    find(path: string): OpenDocument | undefined {
      return open.get(path)
    },

    paths(): string[] {
      return Object.keys(store.getState())
    },

    /** Adds a file that is being loaded. */
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

    /** Adds the text of a file that has no unsaved changes. */
    addText(path: string, buffer: TextBuffer, stamp: FileStamp, eol: TextFormat['eol']): void {
      const stopListening = buffer.onChange((changes) => {
        mirror.changed(path, changes)
        refreshDirty(path)
      })
      open.set(path, { buffer, stamp, saved: { version: buffer.version(), eol }, stopListening })
    },

    /** Removes a file with its unsaved text. */
    remove(path: string): void {
      const document = open.get(path)
      open.delete(path)
      const { [path]: _closed, ...rest } = store.getState()
      store.setState(rest, true)
      document?.stopListening()
      document?.buffer.dispose()
      mirror.now(path)
    },

    /** Removes all files. Main keeps the mirrored texts. */
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
