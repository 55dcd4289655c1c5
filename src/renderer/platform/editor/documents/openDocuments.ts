import { createStore, type StoreApi } from 'zustand/vanilla'
import { ToolError, type Failure } from '../../../../shared/errors.ts'
import type { FileStamp, OpenedFile } from '../../../../shared/files/files.ts'
import type { TextFormat } from '../../../../shared/files/textFormat.ts'
import { isUntitled, untitledTitle } from '../../../../shared/files/untitled.ts'
import { chosenLanguages } from './chosenLanguages.ts'
import { textHash } from '../../../../shared/files/textHash.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { createBufferMirror, type BufferMirror, type MirroredBuffer } from './bufferMirror.ts'
import type { TextBuffer } from './textBuffer.ts'

/** The state of a file in a tab. */
export interface DocumentState {
  path: string
  status: 'loading' | 'ready' | 'failed'
  /** Why the file could not be read. */
  failure?: Failure
  dirty: boolean
  /**
   * How the file on disk differs from the version that the tab is based on. Only tabs with unsaved changes can be
   * `changed`; others are reloaded. `new`: the text was never saved.
   */
  disk: 'same' | 'changed' | 'deleted' | 'new'
  readonly: boolean
  large: boolean
  format: TextFormat
  /** Title of an untitled text, from its first line. */
  title?: string
}

/** The loaded text of an open file. */
export interface OpenDocument {
  buffer: TextBuffer
  stamp: FileStamp
  /** Hash of the text on disk with this stamp; undefined if unknown or if the text is long. */
  diskHash: string | undefined
  /** Version and line endings of the saved text. Null if the text was never saved or the file was deleted. */
  saved: { version: number; eol: TextFormat['eol'] } | null
  stopListening: () => void
}

/** What was read from or written to disk. */
interface DiskText {
  stamp: FileStamp
  text: string
  eol: TextFormat['eol']
}

/** Assumed format of a file before it is read. */
export const unknownFormat: TextFormat = { encoding: 'utf8', eol: '\n' }
/** Maximum length in UTF-16 units of a text whose hash is kept. */
const maxHashed = 4_000_000
/** Length in UTF-16 units above which an untitled text keeps its title, because reading the text takes long. */
const maxTitledLength = 200_000
/** Sync delay for large files in milliseconds. */
const largeSyncDelay = 500

/** Returns the line endings of new text in a language of Monaco. */
export type EolOf = (path: string, language: string) => TextFormat['eol']

/** State and text of the files that are open in tabs. Mirrors unsaved text to main. */
export class OpenDocuments {
  readonly store: StoreApi<Record<string, DocumentState>> = createStore(() => ({}))
  readonly mirror: BufferMirror
  readonly #documents = new Map<string, OpenDocument>()
  readonly #syncDelay: number

  readonly #eolOf: EolOf

  /** @param syncDelay delay in milliseconds before unsaved text is sent to main */
  constructor(request: Bridge['request'], syncDelay: number, eolOf: EolOf) {
    this.#syncDelay = syncDelay
    this.#eolOf = eolOf
    this.mirror = createBufferMirror(request, {
      stateOf: (path) => this.#mirroredState(path),
      lengthOf: (path) => this.find(path)?.buffer.length() ?? 0,
    })
  }

  #mirroredState(path: string): MirroredBuffer {
    const state = this.get(path)
    const document = this.find(path)
    if (!state?.dirty || !document) return { open: state !== undefined, dirty: false, text: null }
    return { open: true, dirty: true, text: document.buffer.text(), stamp: document.stamp, format: state.format }
  }

  paths(): string[] {
    return Object.keys(this.store.getState())
  }

  get(path: string): DocumentState | undefined {
    return this.store.getState()[path]
  }

  /** Changes an open file's state. Ignores other files. */
  set(path: string, changes: Partial<DocumentState>): void {
    const before = this.get(path)
    if (before) this.store.setState({ [path]: { ...before, ...changes } })
  }

  /** Returns a file's text; undefined while it loads or after a failure. */
  find(path: string): OpenDocument | undefined {
    return this.#documents.get(path)
  }

  /** Like `find`. @throws ToolError `not_found` if the file has no text */
  require(path: string): OpenDocument {
    const document = this.find(path)
    if (!document) throw new ToolError('not_found', `${path} is not open in the editor.`, 'Open it first.')
    return document
  }

  /** Adds a file that is being loaded. @param dirty whether unsaved text will be restored in it */
  addLoading(path: string, dirty: boolean): void {
    this.store.setState({
      [path]: {
        path,
        status: 'loading',
        dirty,
        disk: 'same',
        readonly: false,
        large: false,
        format: unknownFormat,
      },
    })
  }

  /** Returns a file that was read, without line breaks with the line endings that it had or that new text has. */
  withLineEnds(file: OpenedFile, buffer: TextBuffer): OpenedFile {
    if (file.text.includes('\n')) return file
    const known = this.find(file.path) ? this.get(file.path)?.format.eol : undefined
    return { ...file, format: { ...file.format, eol: known ?? this.#eolOf(file.path, buffer.language()) } }
  }

  /** Adds a file's text without unsaved changes. @returns its format */
  addText(path: string, buffer: TextBuffer, file: OpenedFile): TextFormat {
    const { stamp, text, format } = this.withLineEnds(file, buffer)
    this.#add(path, { buffer, stamp, diskHash: hashOf(text), saved: { version: buffer.version(), eol: format.eol } })
    return format
  }

  #add(path: string, document: Omit<OpenDocument, 'stopListening'>): void {
    const stopListening = document.buffer.onChange((changes) => {
      this.mirror.record(path, changes)
      this.refreshDirty(path)
      this.#refreshTitle(path)
    })
    this.#documents.set(path, { ...document, stopListening })
  }

  #refreshTitle(path: string): void {
    const buffer = isUntitled(path) ? this.find(path)?.buffer : undefined
    if (!buffer || (buffer.length() > maxTitledLength && this.get(path)?.title !== undefined)) return
    const title = untitledTitle(path, buffer.text(), chosenLanguages.getState()[path])
    if (title !== this.get(path)?.title) this.set(path, { title })
  }

  /** Moves a file with its text, undo steps and state to a path that is not open. */
  move(from: string, to: string): void {
    const { buffer, stopListening, ...rest } = this.require(from)
    stopListening()
    this.#documents.delete(from)
    this.#add(to, { ...rest, buffer: buffer.moveTo(to) })
    const { [from]: state, ...others } = this.store.getState()
    if (state) this.store.setState({ ...others, [to]: { ...state, path: to, title: undefined } }, true)
    buffer.dispose()
    // Send the new path first, so that main always has the unsaved text.
    this.mirror.sendNow(to)
    this.mirror.sendNow(from)
  }

  /** Updates `dirty` after the text or its format changed, and mirrors the change. */
  refreshDirty(path: string): void {
    const document = this.find(path)
    const state = this.get(path)
    if (!document || !state) return
    const dirty = isUntitled(path) ? document.buffer.length() > 0 : isDirty(document, state.format)
    if (dirty !== state.dirty) {
      this.set(path, { dirty, ...(dirty ? {} : { disk: state.disk === 'changed' ? 'same' : state.disk }) })
      this.mirror.sendNow(path)
    } else if (dirty) {
      this.mirror.sendLater(path, state.large ? largeSyncDelay : this.#syncDelay)
    }
  }

  /** Records that a version of the text was saved. */
  markSaved(path: string, { stamp, text, eol }: DiskText, version: number): void {
    const document = this.find(path)
    if (!document) return
    document.stamp = stamp
    document.diskHash = hashOf(text)
    document.saved = { version, eol }
    this.set(path, { disk: 'same' })
    this.refreshDirty(path)
    // The user typed during the save. Send the new file's stamp with the unsaved text.
    if (this.get(path)?.dirty) this.mirror.sendNow(path)
  }

  /**
   * Records that the file was rewritten with the text that the unsaved text is based on, for example by git or an
   * undone deletion.
   * @returns false if the text differs
   */
  acceptSameText(path: string, { stamp, text, format }: OpenedFile): boolean {
    const document = this.find(path)
    const state = this.get(path)
    if (!document?.saved || document.diskHash === undefined || document.diskHash !== hashOf(text)) return false
    if (document.saved.eol !== format.eol || state?.format.encoding !== format.encoding) return false
    document.stamp = stamp
    this.set(path, { disk: 'same' })
    this.mirror.sendNow(path)
    return true
  }

  /** Removes a file and its unsaved text. */
  remove(path: string): void {
    const document = this.find(path)
    this.#documents.delete(path)
    const { [path]: _removed, ...others } = this.store.getState()
    this.store.setState(others, true)
    document?.stopListening()
    document?.buffer.dispose()
    this.mirror.sendNow(path)
  }

  /** Removes all files. Main keeps the mirrored texts. */
  clear(): void {
    this.mirror.stop()
    const documents = [...this.#documents.values()]
    this.#documents.clear()
    this.store.setState({}, true)
    for (const document of documents) {
      document.stopListening()
      document.buffer.dispose()
    }
  }
}

function hashOf(text: string): string | undefined {
  return text.length > maxHashed ? undefined : textHash(text)
}

function isDirty({ buffer, saved }: OpenDocument, format: TextFormat): boolean {
  return !saved || saved.version !== buffer.version() || saved.eol !== format.eol
}
