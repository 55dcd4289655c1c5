import { ToolError, toFailure } from '../../../shared/errors.ts'
import type { OpenedFile } from '../../../shared/files.ts'
import { SequencerByKey } from '../../../shared/sequencer.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { unknownFormat, type OpenDocuments } from './openDocuments.ts'

/**
 * Saves open files and compares them with the disk. Operations on one file run one at a time, because each depends on
 * the state that another one changes.
 * @param loader loads a file for its tab; `loaded` waits for a load in progress
 */
export function createDiskSync(
  request: Bridge['request'],
  files: OpenDocuments,
  loader: { load(path: string): Promise<void>; loaded(path: string): Promise<void> },
) {
  const operations = new SequencerByKey<string>()

  /** Replaces the text of a tab with that on disk as one undo step. */
  function replaceWithDisk(file: OpenedFile, highlight: boolean): void {
    const document = files.require(file.path)
    // Set the format first, because the change event of the buffer compares with it.
    files.set(file.path, { format: file.format, readonly: file.readonly })
    document.saved = null
    document.buffer.replace(file.text, { highlight })
    files.markSaved(file.path, file.stamp, document.buffer.version(), file.format.eol)
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
    if (files.find(path) !== document || file.stamp === document.stamp) {
      if (files.get(path)?.disk === 'deleted') files.set(path, { disk: 'same' })
      return
    }
    if (file.text === document.buffer.text())
      files.markSaved(path, file.stamp, document.buffer.version(), file.format.eol)
    else if (files.get(path)?.dirty) files.set(path, { disk: 'changed' })
    else replaceWithDisk(file, true)
  }

  function markDeleted(path: string): void {
    if (files.find(path) && files.get(path)?.disk !== 'deleted') files.set(path, { disk: 'deleted' })
  }

  async function write(path: string, force: boolean): Promise<void> {
    const document = files.require(path)
    const { format, disk } = files.get(path) ?? { format: unknownFormat, disk: 'same' }
    const version = document.buffer.version()
    try {
      const { stamp } = await request('files.write', {
        path,
        text: document.buffer.text(),
        format,
        stamp: document.stamp,
        force: force || disk === 'deleted',
      })
      files.markSaved(path, stamp, version, format.eol)
    } catch (error) {
      if (toFailure(error).code === 'changed_on_disk') files.set(path, { disk: 'changed' })
      throw error
    }
  }

  async function change(path: string, before: string, after: string): Promise<void> {
    const document = files.require(path)
    const { buffer, saved } = document
    // The user may have typed since.
    if (buffer.text() !== before) throw changedFile(path)
    const savedBefore = files.get(path)?.dirty === false ? saved : null
    buffer.replace(after)
    if (!savedBefore) return
    const version = buffer.version()
    try {
      await write(path, false)
    } catch (error) {
      // What the user has typed since is kept.
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
     * Writes the text of a tab. `force` overwrites other changes.
     * @throws changed_on_disk if the file changed, unless `force`
     */
    save: (path: string, { force = false }: { force?: boolean } = {}): Promise<void> =>
      operations.queue(path, () => write(path, force)),

    /**
     * Replaces the text of a tab, and saves it if it had no unsaved changes. After a failed save, the tab has its text
     * from before.
     * @throws `conflict` if its text is not `before`; as `save`
     */
    change: (path: string, before: string, after: string): Promise<void> =>
      operations.queue(path, () => change(path, before, after)),

    /** Replaces the text of a tab with that on disk. Undo restores the unsaved text. */
    revert: (path: string): Promise<void> =>
      operations.queue(path, async () => {
        const file = await request('files.read', { path })
        if (files.find(path)) replaceWithDisk(file, false)
      }),

    /** Compares a tab with the disk. Reloads it if it has no unsaved changes, otherwise marks the conflict. */
    checkDisk: (path: string): Promise<void> => operations.queue(path, () => checkDisk(path)),
  }
}

/** The failure of a change for a text that is different by now. */
export function changedFile(path: string): ToolError {
  return new ToolError('conflict', `${path} has changed in the meantime.`, 'Nothing was changed. Try again.')
}
