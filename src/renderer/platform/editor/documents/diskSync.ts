import { maxEarlierText } from '../../../../shared/files/localHistory.ts'
import { isOutsideFile } from '../../../../shared/files/outsideFiles.ts'
import { isUntitled } from '../../../../shared/files/untitled.ts'
import type { Encoding } from '../../../../shared/files/encodings.ts'
import { ToolError, toFailure } from '../../../../shared/errors.ts'
import { SequencerByKey } from '../../../../shared/async/sequencer.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { unknownFormat, type OpenDocuments, type OpenDocument } from './openDocuments.ts'
import type { OpenedFile } from '../../../../shared/files/files.ts'

/**
 * Saves open files and compares them with the disk. Operations on one file run one at a time, because they depend on
 * each other's results.
 */
export function createDiskSync(request: Bridge['request'], files: OpenDocuments, loader: Loader) {
  const operations = new SequencerByKey<string>()

  const { replaceWithDisk, checkDisk } = createDiskCheck(request, files, loader)
  const saveAs = createSaveAs(request, files, loader)

  async function write(path: string, force: boolean): Promise<void> {
    if (isUntitled(path)) throw new ToolError('invalid_path', 'The text has no file yet.', 'Use "Save as".')
    // Another program may have recreated a deleted file.
    if (['deleted', 'new'].includes(files.get(path)?.disk ?? '') && !force) await checkDisk(path)
    try {
      await writeOnce(path, force)
    } catch (error) {
      if (toFailure(error).code !== 'changed_on_disk') throw error
      files.set(path, { disk: 'changed' })
      // The file may have been deleted, or have the same text, before the watcher's event arrives.
      await checkDisk(path)
      const { dirty, disk } = files.get(path) ?? {}
      if (disk === 'changed') throw error
      if (dirty !== false) await writeOnce(path, force)
    }
  }

  async function writeOnce(path: string, force: boolean): Promise<void> {
    const document = files.require(path)
    const { format, disk } = files.get(path) ?? { format: unknownFormat, disk: 'same' as const }
    const version = document.buffer.version()
    const text = document.buffer.text()
    // Without a stamp, main only creates a new file.
    const seen = disk === 'deleted' || disk === 'new' ? {} : { stamp: document.stamp }
    const { stamp } = await request('files.write', { path, text, format, ...seen, force })
    files.markSaved(path, { stamp, text, eol: format.eol }, version)
  }

  async function change(path: string, before: string, after: string): Promise<void> {
    const document = files.require(path)
    const { buffer, saved } = document
    // The user may have typed since.
    if (buffer.text() !== before) throw changedFileError(path)
    const savedBefore = files.get(path)?.dirty === false ? saved : null
    buffer.replace(after)
    if (!savedBefore) return
    const version = buffer.version()
    try {
      await write(path, false)
    } catch (error) {
      // Keep what the user has typed since.
      if (buffer.version() === version) {
        buffer.replace(before)
        document.saved = { ...savedBefore, version: buffer.version() }
        files.refreshDirty(path)
      }
      throw error
    }
  }

  return {
    /**
     * Saves a tab's text. `force` overwrites other changes.
     * @throws changed_on_disk if the file changed, unless `force`
     */
    save: (path: string, { force = false }: { force?: boolean } = {}): Promise<void> =>
      operations.queue(path, async () => {
        await loader.loaded(path)
        await write(path, force)
      }),

    /** Runs `act` when a file is not being loaded, saved or compared with the disk. */
    whenIdle: (path: string, act: () => void): Promise<void> =>
      operations.queue(path, async () => {
        await loader.loaded(path)
        act()
      }),

    /**
     * Replaces a tab's text, and saves it if the tab had no unsaved changes. A failed save restores the text.
     * @throws `conflict` if its text is not `before`; otherwise like `save`
     */
    change: (path: string, before: string, after: string): Promise<void> =>
      operations.queue(path, () => change(path, before, after)),

    /**
     * Writes a tab's text to another path, at which the tab then continues with its undo steps. The file of the old
     * path stays as it is. A failed write changes nothing.
     * @param options.overwrite replaces an existing file, and its tab with unsaved changes
     * @returns the real path of the file, which differs from `to` if that leads through a link
     * @throws changed_on_disk if a file exists or a tab has unsaved changes of it, unless `overwrite`
     */
    saveAs: (from: string, to: string, options: SaveAsOptions): Promise<string> =>
      operations.queue(from, () => saveAs(from, to, options)),

    /** Replaces a tab's text with that on disk. Undo restores the unsaved text. */
    revert: (path: string): Promise<void> =>
      operations.queue(path, async () => {
        const file = await request('files.read', { path })
        if (files.find(path)) replaceWithDisk(file, false)
      }),

    /** Reads a file in another encoding. @throws `unsaved_changes` */
    reopen: (path: string, encoding: Encoding): Promise<void> =>
      operations.queue(path, async () => {
        if (files.get(path)?.dirty)
          throw new ToolError('unsaved_changes', `${path} has unsaved changes.`, 'Save or revert the file first.')
        const file = await request('files.read', { path, encoding })
        if (files.find(path)) replaceWithDisk(file, false)
        else await loader.load(path)
      }),

    /** Compares a tab with the disk. Reloads it if it has no unsaved changes, otherwise marks the conflict. */
    checkDisk: (path: string): Promise<void> => operations.queue(path, () => checkDisk(path)),
  }
}

/** The error for a change whose file has changed in the meantime. */
export function changedFileError(path: string): ToolError {
  return new ToolError('conflict', `${path} has changed in the meantime.`, 'Nothing was changed. Try again.')
}

/** Loads files for their tabs. `loaded` waits for a load in progress. */
interface Loader {
  load(path: string): Promise<void>
  loaded(path: string): Promise<void>
}

/** Compares open files with the disk. The caller must run one operation per file at a time. */
function createDiskCheck(request: Bridge['request'], files: OpenDocuments, loader: Loader) {
  /** Replaces a tab's text with that on disk as one undo step. */
  function replaceWithDisk(read: OpenedFile, highlight: boolean): void {
    const document = files.require(read.path)
    const file = files.withLineEnds(read, document.buffer)
    // Set the format first, because the buffer's change event compares with it.
    files.set(file.path, { format: file.format, readonly: file.readonly })
    document.saved = null
    document.buffer.replace(file.text, { highlight })
    files.markSaved(file.path, { ...file, eol: file.format.eol }, document.buffer.version())
  }

  /**
   * Adopts the disk's format when the text is the same, so that the next save does not revert other line endings or
   * another encoding. Keeps a format that the user chose since the last save.
   */
  function adoptFormat({ path, stamp, text, format }: OpenedFile, { buffer, saved }: OpenDocument): void {
    const current = files.get(path)?.format ?? unknownFormat
    const isChosen = saved !== null && saved.eol !== current.eol
    files.set(path, { format: isChosen ? { ...format, eol: current.eol } : format })
    files.markSaved(path, { stamp, text, eol: format.eol }, buffer.version())
  }

  async function checkDisk(path: string): Promise<void> {
    // A change during a load can be newer than the text that the load has read.
    await loader.loaded(path)
    const document = files.find(path)
    const state = files.get(path)
    if (!state || isUntitled(path)) return
    if (!document) {
      if (state.status === 'failed') await loader.load(path)
      return
    }
    let file: OpenedFile
    try {
      // A link that replaced a file outside the folder has another path.
      file = { ...(await request('files.read', { path })), path }
    } catch (error) {
      const { code } = toFailure(error)
      if (code === 'not_found') markDeleted(path)
      // Another program made the file unreadable, for example binary or too large.
      else if (code !== 'io_error') files.set(path, { disk: files.get(path)?.dirty ? 'changed' : 'deleted' })
      return
    }
    if (files.find(path) !== document) return
    file = files.withLineEnds(file, document.buffer)
    // A permission change does not change the stamp.
    if (file.readonly !== state.readonly) files.set(path, { readonly: file.readonly })
    if (file.stamp === document.stamp) {
      if (files.get(path)?.disk !== 'same') files.set(path, { disk: 'same' })
      return
    }
    if (file.text === document.buffer.text()) adoptFormat(file, document)
    else if (files.get(path)?.dirty) {
      if (!files.acceptSameText(path, file)) files.set(path, { disk: 'changed' })
    } else {
      keepReplaced(path)
      replaceWithDisk(file, true)
    }
  }

  /** Sends the text of a tab without unsaved changes to the local history. */
  function keepReplaced(path: string): void {
    // The history is that of the folder.
    if (isOutsideFile(path)) return
    const document = files.find(path)
    const state = files.get(path)
    if (!document || !state || state.dirty || document.buffer.length() > maxEarlierText) return
    const text = document.buffer.text()
    request('localHistory.replacedOnDisk', { path, text, format: state.format, stamp: document.stamp }).catch(() => {
      // The connection is lost. The file has changed all the same.
    })
  }

  function markDeleted(path: string): void {
    if (files.get(path)?.disk === 'same') keepReplaced(path)
    const disk = files.find(path) && files.get(path)?.disk
    if (disk && disk !== 'deleted' && disk !== 'new') files.set(path, { disk: 'deleted' })
  }

  return { replaceWithDisk, checkDisk }
}

/** @throws ToolError `changed_on_disk` if a tab has unsaved changes of a file, which another text would replace */
function refuseUnsaved(files: OpenDocuments, path: string): void {
  if (files.get(path)?.dirty)
    throw new ToolError('changed_on_disk', `A tab has unsaved changes of "${path}".`, 'Choose another path.')
}

interface SaveAsOptions {
  overwrite: boolean
  moveTabs(path: string): void
}

function createSaveAs(request: Bridge['request'], files: OpenDocuments, loader: Loader) {
  return async (from: string, to: string, { overwrite, moveTabs }: SaveAsOptions): Promise<string> => {
    await loader.loaded(from)
    await loader.loaded(to)
    if (!overwrite && to !== from) refuseUnsaved(files, to)
    const { buffer } = files.require(from)
    const format = files.get(from)?.format ?? unknownFormat
    const version = buffer.version()
    const text = buffer.text()
    const { stamp } = await request('files.write', { path: to, text, format, force: overwrite })
    const { path } = await request('files.read', { path: to })
    if (files.find(from)?.buffer !== buffer) return path
    if (path === from) {
      files.markSaved(path, { stamp, text, eol: format.eol }, version)
      return path
    }
    // The path may lead there through a link.
    if (!overwrite) refuseUnsaved(files, path)
    if (files.get(path)) files.remove(path)
    files.move(from, path)
    files.set(path, { readonly: false })
    files.markSaved(path, { stamp, text, eol: format.eol }, version)
    // Synchronously, so that no tab shows a path without a text.
    moveTabs(path)
    return path
  }
}
