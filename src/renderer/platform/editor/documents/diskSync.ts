import type { Encoding } from '../../../../shared/files/encodings.ts'
import { ToolError, toFailure } from '../../../../shared/errors.ts'
import { SequencerByKey } from '../../../../shared/async/sequencer.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { createDiskCheck, type Loader } from './diskCheck.ts'
import { unknownFormat, type OpenDocuments } from './openDocuments.ts'

/**
 * Saves open files and compares them with the disk. Operations on one file run one at a time, because each depends on
 * the state that another one changes.
 */
export function createDiskSync(request: Bridge['request'], files: OpenDocuments, loader: Loader) {
  const operations = new SequencerByKey<string>()

  const { replaceWithDisk, checkDisk } = createDiskCheck(request, files, loader)

  async function write(path: string, force: boolean): Promise<void> {
    // Another program may have created a deleted file again.
    if (files.get(path)?.disk === 'deleted' && !force) await checkDisk(path)
    try {
      await writeOnce(path, force)
    } catch (error) {
      if (toFailure(error).code !== 'changed_on_disk') throw error
      files.set(path, { disk: 'changed' })
      // The file may have been deleted, or have the same text, and the event of the watcher is yet to come.
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
    // Without a stamp only a new file is written.
    const seen = disk === 'deleted' ? {} : { stamp: document.stamp }
    const { stamp } = await request('files.write', { path, text, format, ...seen, force })
    files.markSaved(path, { stamp, text, eol: format.eol }, version)
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
      operations.queue(path, async () => {
        await loader.loaded(path)
        await write(path, force)
      }),

    /** Runs `act` while a file is not loaded, saved or compared with the disk. */
    whenIdle: (path: string, act: () => void): Promise<void> =>
      operations.queue(path, async () => {
        await loader.loaded(path)
        act()
      }),

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

/** The failure of a change for a text that is different by now. */
export function changedFile(path: string): ToolError {
  return new ToolError('conflict', `${path} has changed in the meantime.`, 'Nothing was changed. Try again.')
}
