import { toFailure } from '../../../shared/errors.ts'
import type { FileStamp, OpenedFile, TextFormat } from '../../../shared/files.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { unknownFormat, type OpenDocuments } from './openDocuments.ts'
import { isLarge, type CreateBuffer } from './textBuffer.ts'

/** Unsaved text from an earlier page or process. */
export interface UnsavedText {
  text: string
  /** Stamp of the file version that the text is based on. */
  stamp?: FileStamp
  format?: TextFormat
}

/** Reads files for tabs and restores unsaved text in them. */
export function createDocumentLoader(request: Bridge['request'], createBuffer: CreateBuffer, files: OpenDocuments) {
  /** The current load of each file that is being read. */
  const loading = new Map<string, { task: symbol; done: Promise<void> }>()
  /** Unsaved text to restore in files that are being read. */
  const restoring = new Map<string, UnsavedText>()

  function isCurrent(path: string, task: symbol): boolean {
    return files.get(path) !== undefined && loading.get(path)?.task === task
  }

  /**
   * Adds the text of a file that was read.
   * @param task the load, which a later load of the same file can have replaced
   */
  async function addBuffer(file: OpenedFile, task: symbol): Promise<void> {
    const { path, text, readonly } = file
    // Check before creating the buffer: Monaco has one model per path, and a second one would replace the first.
    if (!isCurrent(path, task)) return
    const buffer = await createBuffer({ path, text, readonly })
    if (!isCurrent(path, task)) {
      buffer.dispose()
      return
    }
    files.addText(path, buffer, file.stamp, file.format.eol)
    files.set(path, {
      status: 'ready',
      failure: undefined,
      readonly,
      format: file.format,
      large: isLarge(text),
      disk: 'same',
      dirty: false,
    })
    const unsaved = restoring.get(path)
    restoring.delete(path)
    // Apply the unsaved text before the tab is mirrored: main deletes its copy when it receives a clean tab.
    if (unsaved) applyUnsavedText(files, path, unsaved)
    files.mirror.sendNow(path)
  }

  /** Adds a tab for unsaved text whose file was deleted, or can no longer be read (`changed`). */
  async function addUnsavedText(
    path: string,
    { text, stamp = '', format = unknownFormat }: UnsavedText,
    disk: 'deleted' | 'changed',
    task: symbol,
  ): Promise<void> {
    restoring.set(path, { text, stamp, format })
    await addBuffer({ path, text: '', format, stamp, readonly: false }, task)
    const document = files.find(path)
    if (!document) return
    document.saved = null
    files.set(path, { disk })
    files.refreshDirty(path)
    files.mirror.sendNow(path)
  }

  async function read(path: string, task: symbol): Promise<void> {
    let file: OpenedFile
    try {
      file = await request('files.read', { path })
    } catch (error) {
      const unsaved = restoring.get(path)
      if (!unsaved || !isCurrent(path, task)) throw error
      return addUnsavedText(path, unsaved, toFailure(error).code === 'not_found' ? 'deleted' : 'changed', task)
    }
    await addBuffer(file, task)
  }

  /** Reads a file. A failure is stored in the state of the file. Unsaved text is kept for the next attempt. */
  function load(path: string): Promise<void> {
    files.addLoading(path, restoring.has(path))
    const task = Symbol(path)
    const done = Promise.resolve()
      .then(() => read(path, task))
      .catch((error: unknown) => {
        if (isCurrent(path, task)) files.set(path, { status: 'failed', failure: toFailure(error) })
      })
      .finally(() => {
        if (loading.get(path)?.task === task) loading.delete(path)
      })
    loading.set(path, { task, done })
    return done
  }

  return {
    load,

    /** Waits for the current load of a file, if there is one. */
    async loaded(path: string): Promise<void> {
      await loading.get(path)?.done
    },

    /** Loads a file, if necessary, and applies unsaved text to it. */
    async restore(path: string, unsaved: UnsavedText): Promise<void> {
      // At once if possible, so that the tab is unsaved from the start.
      if (loading.has(path)) await loading.get(path)?.done
      if (files.get(path)?.status === 'ready') {
        applyUnsavedText(files, path, unsaved)
        files.mirror.sendNow(path)
        return
      }
      restoring.set(path, unsaved)
      await load(path)
    },

    /** Ignores the results of all current loads. */
    clear(): void {
      loading.clear()
      restoring.clear()
    },
  }
}

/**
 * Replaces the text read from disk with unsaved text. The tab is in conflict if the text is based on another version.
 */
function applyUnsavedText(files: OpenDocuments, path: string, { text, stamp, format }: UnsavedText): void {
  const document = files.require(path)
  const diskFormat = files.get(path)?.format ?? unknownFormat
  const eol = format?.eol ?? diskFormat.eol
  // The text was saved, but the page closed before main received that.
  if (document.buffer.text() === text && eol === diskFormat.eol) return
  document.buffer.replace(text)
  files.set(path, { format: { ...diskFormat, eol } })
  if (stamp !== undefined && stamp !== document.stamp) {
    document.stamp = stamp
    files.set(path, { disk: 'changed' })
  }
  files.refreshDirty(path)
}
