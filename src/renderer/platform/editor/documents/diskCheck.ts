import { toFailure } from '../../../../shared/errors.ts'
import type { OpenedFile } from '../../../../shared/files/files.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { unknownFormat, type OpenDocument, type OpenDocuments } from './openDocuments.ts'

/** Loads files for their tabs. `loaded` waits for a load in progress. */
export interface Loader {
  load(path: string): Promise<void>
  loaded(path: string): Promise<void>
}

/** Compares open files with the disk. The caller runs one operation on a file at a time. */
export function createDiskCheck(request: Bridge['request'], files: OpenDocuments, loader: Loader) {
  /** Replaces the text of a tab with that on disk as one undo step. */
  function replaceWithDisk(file: OpenedFile, highlight: boolean): void {
    const document = files.require(file.path)
    // Set the format first, because the change event of the buffer compares with it.
    files.set(file.path, { format: file.format, readonly: file.readonly })
    document.saved = null
    document.buffer.replace(file.text, { highlight })
    files.markSaved(file.path, { ...file, eol: file.format.eol }, document.buffer.version())
  }

  /**
   * Records that the disk has the text of a tab, in the format of the file: other line ends or another encoding must
   * not be changed back by the next save. A format that the user chose since the last save stays.
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
    if (!state) return
    if (!document) {
      if (state.status === 'failed') await loader.load(path)
      return
    }
    let file: OpenedFile
    try {
      file = await request('files.read', { path })
    } catch (error) {
      const { code } = toFailure(error)
      if (code === 'not_found') markDeleted(path)
      // Another program made the file unreadable, for example binary or too large.
      else if (code !== 'io_error') files.set(path, { disk: files.get(path)?.dirty ? 'changed' : 'deleted' })
      return
    }
    if (files.find(path) !== document) return
    // A change of permissions leaves the stamp as it is.
    if (file.readonly !== state.readonly) files.set(path, { readonly: file.readonly })
    if (file.stamp === document.stamp) {
      if (files.get(path)?.disk !== 'same') files.set(path, { disk: 'same' })
      return
    }
    if (file.text === document.buffer.text()) adoptFormat(file, document)
    else if (files.get(path)?.dirty) {
      if (!files.acceptSameText(path, file)) files.set(path, { disk: 'changed' })
    } else replaceWithDisk(file, true)
  }

  function markDeleted(path: string): void {
    if (files.find(path) && files.get(path)?.disk !== 'deleted') files.set(path, { disk: 'deleted' })
  }

  return { replaceWithDisk, checkDisk }
}
