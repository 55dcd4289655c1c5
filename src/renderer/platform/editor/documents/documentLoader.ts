import { toFailure } from '../../../../shared/errors.ts'
import type { FileStamp, OpenedFile } from '../../../../shared/files/files.ts'
import { isUntitled } from '../../../../shared/files/untitled.ts'
import type { TextFormat } from '../../../../shared/files/textFormat.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { unknownFormat, type OpenDocuments } from './openDocuments.ts'
import type { CreateBuffer } from './textBuffer.ts'

/** Unsaved text from an earlier page or process. */
export interface UnsavedText {
  text: string
  /** Stamp of the file version that the text is based on; '' if the text was never saved. */
  stamp?: FileStamp
  format?: TextFormat
}

/**
 * Reads files for tabs and restores unsaved text in them.
 * @param onRealPath called if a file was opened through a link. It is open at its real path only, so that it has one
 * text.
 */
export function createDocumentLoader(
  request: Bridge['request'],
  createBuffer: CreateBuffer,
  files: OpenDocuments,
  onRealPath: (path: string, real: string) => void,
) {
  const loads = createLoads(files, (path, task) => read(path, task))
  /** Unsaved text to restore in files that are being read. */
  const restoring = new Map<string, UnsavedText>()
  /** Real paths of files that were opened through a link. */
  const realPaths = new Map<string, string>()

  /**
   * Adds the text of a file that was read.
   * @param task the load, which may have been replaced by a later load of the same file
   */
  async function addBuffer(file: OpenedFile, task: symbol): Promise<void> {
    const { path, text, readonly, language } = file
    // Check before creating the buffer: Monaco has one model per path, and a second one would replace the first.
    if (!loads.isCurrent(path, task)) return
    const buffer = await createBuffer({ path, text, readonly, ...(language !== undefined && { language }) })
    if (!loads.isCurrent(path, task)) {
      buffer.dispose()
      return
    }
    const format = files.addText(path, buffer, file)
    files.set(path, {
      status: 'ready',
      failure: undefined,
      readonly,
      format,
      large: isLarge(text),
      disk: isUntitled(path) ? 'new' : 'same',
      dirty: false,
    })
    const unsaved = restoring.get(path)
    restoring.delete(path)
    // Apply the unsaved text before the tab is mirrored, because main deletes its copy when it receives a clean tab.
    if (unsaved) applyUnsavedText(files, path, unsaved)
    files.mirror.sendNow(path)
  }

  /** Adds a tab for unsaved text whose file does not exist (yet), or can no longer be read (`changed`). */
  async function addUnsavedText(
    path: string,
    { text, stamp = '', format }: UnsavedText,
    disk: 'deleted' | 'changed' | 'new',
    task: symbol,
  ): Promise<void> {
    restoring.set(path, { text, stamp, ...(format && { format }) })
    await addBuffer({ path, text: '', format: format ?? unknownFormat, stamp, readonly: false }, task)
    const document = files.find(path)
    if (!document) return
    document.saved = null
    files.set(path, { disk })
    files.refreshDirty(path)
    files.mirror.sendNow(path)
  }

  /** Opens a file at its real path instead of a link's path. */
  async function openReal(path: string, real: string): Promise<void> {
    const unsaved = restoring.get(path)
    restoring.delete(path)
    realPaths.set(path, real)
    files.remove(path)
    onRealPath(path, real)
    if (unsaved) return restore(real, unsaved)
    if (!files.get(real)) void load(real)
    await loads.current(real)
  }

  async function read(path: string, task: symbol): Promise<void> {
    if (isUntitled(path)) return addBuffer(emptyFile(path), task)
    let file: OpenedFile
    try {
      file = await request('files.read', { path })
    } catch (error) {
      const unsaved = restoring.get(path)
      if (!unsaved || !loads.isCurrent(path, task)) throw error
      return addUnsavedText(path, unsaved, diskStateOf(unsaved, error), task)
    }
    if (file.path !== path) return loads.isCurrent(path, task) ? openReal(path, file.path) : undefined
    await addBuffer(file, task)
  }

  /** Reads a file. Stores a failure in the file's state. Keeps unsaved text for the next attempt. */
  function load(path: string): Promise<void> {
    files.addLoading(path, restoring.has(path))
    return loads.start(path)
  }

  async function restore(path: string, unsaved: UnsavedText): Promise<void> {
    // Synchronously if possible, so that the tab is unsaved from the start.
    const current = loads.current(path)
    if (current) await current
    if (files.get(path)?.status === 'ready') {
      applyUnsavedText(files, path, unsaved)
      files.mirror.sendNow(path)
      return
    }
    restoring.set(path, unsaved)
    await load(path)
  }

  return {
    load,

    /** Loads a file if necessary, and applies unsaved text to it. */
    restore,

    /** Returns the path at which a file is open; a different one if it was opened through a link. */
    openPath: (path: string): string => (files.get(path) ? path : (realPaths.get(path) ?? path)),

    /** Waits until a file's current load ends, if there is one. */
    async loaded(path: string): Promise<void> {
      await loads.current(path)
    },

    /** Drops the unsaved text of a closed file. */
    forget: (path: string): void => void restoring.delete(path),

    /** Ignores the results of all current loads. */
    clear(): void {
      loads.clear()
      restoring.clear()
      realPaths.clear()
    },
  }
}

const emptyFile = (path: string): OpenedFile => ({ path, text: '', format: unknownFormat, stamp: '', readonly: false })

/** State of unsaved text whose file could not be read. */
function diskStateOf({ stamp }: UnsavedText, error: unknown): 'deleted' | 'changed' | 'new' {
  if (toFailure(error).code !== 'not_found') return 'changed'
  return stamp === '' ? 'new' : 'deleted'
}

/** The current load of each file. A later load of a file replaces an earlier one. */
function createLoads(files: OpenDocuments, read: (path: string, task: symbol) => Promise<void>) {
  const loading = new Map<string, { task: symbol; done: Promise<void> }>()

  const isCurrent = (path: string, task: symbol): boolean =>
    files.get(path) !== undefined && loading.get(path)?.task === task

  return {
    isCurrent,
    current: (path: string): Promise<void> | undefined => loading.get(path)?.done,
    clear: (): void => loading.clear(),
    start(path: string): Promise<void> {
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
    },
  }
}

/**
 * Replaces the text from disk with unsaved text. If the unsaved text is based on another version, the tab is in
 * conflict.
 */
function applyUnsavedText(files: OpenDocuments, path: string, { text, stamp, format }: UnsavedText): void {
  const document = files.require(path)
  const diskFormat = files.get(path)?.format ?? unknownFormat
  const eol = format?.eol ?? diskFormat.eol
  // The text was saved, but the page closed before main was informed.
  if (document.buffer.text() === text && eol === diskFormat.eol) return
  document.buffer.replace(text)
  files.set(path, { format: { ...diskFormat, eol } })
  if (stamp !== undefined && stamp !== document.stamp) {
    document.stamp = stamp
    document.diskHash = undefined
    files.set(path, { disk: 'changed' })
  }
  files.refreshDirty(path)
}

/**
 * Limits above which Monaco turns off highlighting and folding. The maximum size of a file that opens as text at all is
 * `maxTextFileSize` in main/workspace/textFile.ts.
 */
const largeFile = { characters: 20 * 1024 * 1024, lines: 300_000 }

/** Whether a text exceeds Monaco's limits for highlighting and folding. */
function isLarge(text: string): boolean {
  if (text.length > largeFile.characters) return true
  if (text.length < largeFile.lines) return false
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (++lines > largeFile.lines) return true
  }
  return false
}
