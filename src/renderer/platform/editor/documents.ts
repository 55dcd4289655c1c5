import { ToolError, toFailure } from '../../../shared/errors.ts'
import type { FileStamp, OpenedFile, TextFormat } from '../../../shared/files.ts'
import { SequencerByKey } from '../../../shared/sequencer.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { isLarge, type CreateBuffer, type TextBuffer } from './textBuffer.ts'
import { createOpenDocuments, unknownFormat } from './openDocuments.ts'

export type { DocumentState } from './openDocuments.ts'

export interface DocumentsOptions {
  request: Bridge['request']
  createBuffer: CreateBuffer
  /** Delay in milliseconds before unsaved text is sent to main. */
  syncDelay?: number
}

/** Unsaved text from an earlier page or process. */
export interface UnsavedText {
  text: string
  /** Stamp of the file version that the text is based on. */
  stamp?: FileStamp
  format?: TextFormat
}

export type Documents = ReturnType<typeof createDocuments>

/**
 * Reads and saves the files that are open in tabs and compares them with the disk. openDocuments.ts holds their state.
 */
export function createDocuments({ request, createBuffer, syncDelay = 150 }: DocumentsOptions) {
  const files = createOpenDocuments(request, syncDelay)
  const { store, mirror, get, set, documentOf, refreshDirty, markSaved } = files
  /** The current load of each file that is being read. */
  const loading = new Map<string, { task: symbol; done: Promise<void> }>()
  /**
   * Runs saves, reloads and disk checks of a file one at a time, so that none acts on a state that another one changes.
   */
  const operations = new SequencerByKey<string>()
  /** Unsaved text from an earlier page, for files that are being read. */
  const restoring = new Map<string, UnsavedText>()

  /** Adds the text of a loaded file. @param task the load; a later load of the same file can have replaced it */
  async function addBuffer(file: OpenedFile, task: symbol): Promise<void> {
    const { path, text, readonly } = file
    // Check before the buffer is created: Monaco has one model per path, and a second one would replace the
    // first.
    if (!isCurrent(path, task)) return
    const buffer = await createBuffer({ path, text, readonly })
    if (!isCurrent(path, task)) {
      buffer.dispose()
      return
    }
    files.addText(path, buffer, file.stamp, file.format.eol)
    set(path, {
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
    // Main must not hear of a clean tab first: it would drop the text that it keeps.
    if (unsaved) putUnsaved(path, unsaved)
    mirror.now(path)
  }

  /** Unsaved text over what was read from the disk. Where the disk holds another file by now, the tab is in conflict. */
  function putUnsaved(path: string, { text, stamp, format }: UnsavedText): void {
    const document = documentOf(path)
    const disk = get(path)?.format ?? unknownFormat
    const eol = format?.eol ?? disk.eol
    // It was saved, and main did not hear of it.
    if (document.buffer.text() === text && eol === disk.eol) return
    document.buffer.replace(text)
    set(path, { format: { ...disk, eol } })
    if (stamp !== undefined && stamp !== document.stamp) {
      document.stamp = stamp
      set(path, { disk: 'changed' })
    }
    refreshDirty(path)
  }

  /** A tab for unsaved text whose file is gone (`deleted`: saving writes it anew) or cannot be shown any more (`changed`). */
  async function addUnsaved(
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
    set(path, { disk })
    refreshDirty(path)
    mirror.now(path)
  }

  const isCurrent = (path: string, task: symbol): boolean => get(path) !== undefined && loading.get(path)?.task === task

  async function read(path: string, task: symbol): Promise<void> {
    let file: OpenedFile
    try {
      file = await request('files.read', { path })
    } catch (error) {
      const unsaved = restoring.get(path)
      if (!unsaved || !isCurrent(path, task)) throw error
      return addUnsaved(path, unsaved, toFailure(error).code === 'not_found' ? 'deleted' : 'changed', task)
    }
    await addBuffer(file, task)
  }

  /** Every load ends: as text in the tab, or with the reason why there is none. Unsaved text is kept for another try. */
  function load(path: string): Promise<void> {
    files.addLoading(path)
    const task = Symbol(path)
    const done = Promise.resolve()
      .then(() => read(path, task))
      .catch((error: unknown) => {
        if (isCurrent(path, task)) set(path, { status: 'failed', failure: toFailure(error) })
      })
      .finally(() => {
        if (loading.get(path)?.task === task) loading.delete(path)
      })
    loading.set(path, { task, done })
    return done
  }

  /** Takes the disk's text into the tab as one undo step. */
  function adopt(file: OpenedFile, highlight: boolean): void {
    const document = documentOf(file.path)
    // Before the change, so that the buffer's own event already finds the file saved.
    set(file.path, { format: file.format, readonly: file.readonly })
    document.saved = null
    document.buffer.replace(file.text, { highlight })
    markSaved(file.path, file.stamp, document.buffer.version(), file.format.eol)
  }

  async function lookAtDisk(path: string): Promise<void> {
    const document = files.find(path)
    const state = get(path)
    if (!state) return
    if (!document) {
      if (state.status === 'failed') await load(path)
      return
    }
    let file: OpenedFile
    try {
      file = await request('files.read', { path })
    } catch (error) {
      const failure = toFailure(error)
      if (failure.code === 'not_found') markDeleted(path)
      // Unreadable now (binary, too large, no permission): what the tab holds may differ from the disk.
      else if (failure.code !== 'io_error') set(path, { disk: get(path)?.dirty ? 'changed' : 'deleted' })
      return
    }
    if (files.find(path) !== document || file.stamp === document.stamp) {
      if (get(path)?.disk === 'deleted') set(path, { disk: 'same' })
      return
    }
    if (file.text === document.buffer.text()) markSaved(path, file.stamp, document.buffer.version(), file.format.eol)
    else if (get(path)?.dirty) set(path, { disk: 'changed' })
    else adopt(file, true)
  }

  function markDeleted(path: string): void {
    const document = files.find(path)
    if (!document || get(path)?.disk === 'deleted') return
    set(path, { disk: 'deleted' })
  }

  async function write(path: string, force: boolean): Promise<void> {
    const document = documentOf(path)
    const { format, disk } = get(path) ?? { format: unknownFormat, disk: 'same' }
    const version = document.buffer.version()
    try {
      const { stamp } = await request('files.write', {
        path,
        text: document.buffer.text(),
        format,
        stamp: document.stamp,
        force: force || disk === 'deleted',
      })
      markSaved(path, stamp, version, format.eol)
    } catch (error) {
      if (toFailure(error).code === 'changed_on_disk') set(path, { disk: 'changed' })
      throw error
    }
  }

  const documents = {
    store,

    get,

    buffer(path: string): TextBuffer | undefined {
      return files.find(path)?.buffer
    },

    stamp(path: string): FileStamp | undefined {
      return files.find(path)?.stamp
    },

    /** Reads a file for a tab; resolves when it is ready or has failed (see its state). */
    async open(path: string): Promise<void> {
      if (!get(path)) void load(path)
      await loading.get(path)?.done
    },

    /** Another try for a file that could not be shown. */
    async retry(path: string): Promise<void> {
      if (get(path)?.status === 'failed') await load(path)
    },

    /** Forgets a file whose last tab is closed, unsaved text included. */
    close: files.remove,

    /** Writes the tab's text. Rejects with `changed_on_disk` when the file is another by now; `force` overwrites it. */
    save(path: string, { force = false }: { force?: boolean } = {}): Promise<void> {
      return operations.queue(path, () => write(path, force))
    },

    /** The disk's text again; what was typed can be had back with undo. */
    revert(path: string): Promise<void> {
      return operations.queue(path, async () => {
        const file = await request('files.read', { path })
        if (files.find(path)) adopt(file, false)
      })
    },

    /** Looks at the disk and follows it where the tab is clean. */
    checkDisk(path: string): Promise<void> {
      return operations.queue(path, () => lookAtDisk(path))
    },

    /** Another kind of line ends, written at the next save. */
    setEol(path: string, eol: TextFormat['eol']): void {
      const state = get(path)
      if (!state || state.readonly) return
      set(path, { format: { ...state.format, eol } })
      refreshDirty(path)
      mirror.now(path)
    },

    /**
     * Opens a file with the unsaved text of an earlier page or process. Where the disk holds another file than that text was
     * made from, the tab is in conflict; where it holds none, the tab is that of a deleted file.
     */
    async restore(path: string, unsaved: UnsavedText): Promise<void> {
      await loading.get(path)?.done
      if (get(path)?.status === 'ready') {
        putUnsaved(path, unsaved)
        mirror.now(path)
        return
      }
      restoring.set(path, unsaved)
      await load(path)
    },

    /** An agent's edit (`editor.applyText`). */
    applyText({
      path,
      expected,
      text,
      saved,
      stamp,
    }: {
      path: string
      expected: string
      text: string
      saved: boolean
      stamp?: string
    }): {
      applied: boolean
    } {
      const document = files.find(path)
      const state = get(path)
      if (!document || !state) return { applied: false }
      const current = document.buffer.text()
      // The watcher may have been faster than the agent's own word.
      if (current !== expected && current !== text) {
        throw new ToolError(
          'conflict',
          `The text of ${path} was changed in its tab meanwhile.`,
          'Read the file again and repeat the edit on its new text.',
        )
      }
      if (saved) document.saved = null
      document.buffer.replace(text, { highlight: true })
      if (saved) markSaved(path, stamp ?? document.stamp, document.buffer.version(), state.format.eol)
      else refreshDirty(path)
      return { applied: true }
    },

    /**
     * A file got another name: its tab's text goes along, unsaved changes included. A stamp outlives the new name (it is
     * made of time, size and inode), so a change by another program stays a conflict.
     */
    async rename(from: string, to: string): Promise<void> {
      const before = files.find(from)
      const state = get(from)
      if (!before || !state?.dirty) {
        documents.close(from)
        await documents.open(to)
        return
      }
      const unsaved = { text: before.buffer.text(), stamp: before.stamp, format: state.format }
      documents.close(from)
      await documents.restore(to, unsaved)
    },

    dirtyPaths(): string[] {
      return Object.values(store.getState()).flatMap((state) => (state.dirty ? [state.path] : []))
    },

    paths: files.paths,

    /** Tells main about every tab again, after a dropped connection. */
    syncAll(): void {
      for (const path of documents.paths()) mirror.now(path)
    },

    /** Tells main what it has not heard yet, before the page goes. */
    flush(): void {
      mirror.flush()
    },

    /** Forgets everything, e.g. for another workspace. Main keeps what was mirrored. */
    reset(): void {
      loading.clear()
      restoring.clear()
      files.clear()
    },
  }
  return documents
}
