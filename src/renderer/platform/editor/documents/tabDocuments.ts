import { isWithoutFolder } from '../../../../shared/files/outsideFiles.ts'
import type { EditorRequests } from '../../../../shared/editor/editorRequests.ts'
import { ToolError } from '../../../../shared/errors.ts'
import type { FileStamp } from '../../../../shared/files/files.ts'
import type { TextFormat } from '../../../../shared/files/textFormat.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { createDiskSync } from './diskSync.ts'
import { createDocumentLoader, type UnsavedText } from './documentLoader.ts'
import { OpenDocuments, type EolOf } from './openDocuments.ts'
import type { CreateBuffer, TextBuffer } from './textBuffer.ts'

export type { DocumentState } from './openDocuments.ts'

export interface DocumentsOptions {
  request: Bridge['request']
  createBuffer: CreateBuffer
  /** Delay in milliseconds before unsaved text is sent to main. */
  syncDelay?: number
  /** Moves the tabs of a file that was opened through a link to its real path. */
  onRealPath?: (path: string, real: string) => void
  /** Default: `\n`. */
  eolOf?: EolOf
}

export type Documents = ReturnType<typeof createDocuments>

/** Manages the files that are open in tabs: loading, saving, conflicts with the disk, and edits by the agent. */
export function createDocuments({
  request,
  createBuffer,
  syncDelay = 150,
  onRealPath = () => undefined,
  eolOf = () => '\n',
}: DocumentsOptions) {
  const files = new OpenDocuments(request, syncDelay, eolOf)
  const loader = createDocumentLoader(request, createBuffer, files, onRealPath)
  const { save, saveAs, change, whenIdle, revert, reopen, checkDisk } = createDiskSync(request, files, loader)

  const renameListeners = new Set<(from: string, to: string) => void>()

  /** Moves a file to a path that is not open. */
  function moveNow(from: string, to: string): void {
    if (files.find(from)) {
      for (const listener of renameListeners) listener(from, to)
      files.move(from, to)
    } else if (files.get(from)) {
      files.remove(from)
      void loader.load(to)
    }
  }

  const documents = {
    store: files.store,
    save,
    saveAs,
    change,
    revert,
    reopen,
    checkDisk,

    get: (path: string) => files.get(path),

    paths: () => files.paths(),

    buffer(path: string): TextBuffer | undefined {
      return files.find(path)?.buffer
    },

    stamp(path: string): FileStamp | undefined {
      return files.find(path)?.stamp
    },

    /**
     * Reads a file for a tab. Resolves when it is ready or has failed; its state has the failure.
     * @returns the path at which it is open: the real path if `path` leads through a link
     */
    async open(path: string): Promise<string> {
      if (!files.get(path)) void loader.load(path)
      await loader.loaded(path)
      return loader.openPath(path)
    },

    /** Reads a file again after a failure. */
    async retry(path: string): Promise<void> {
      if (files.get(path)?.status === 'failed') await loader.load(path)
    },

    /** Removes a file whose last tab was closed, with its unsaved text. */
    close(path: string): void {
      loader.forget(path)
      files.remove(path)
    },

    /** Replaces the text of an open file as one undo step, whether or not a tab shows it. */
    setText: (path: string, text: string): void => files.find(path)?.buffer.replace(text),

    /** Changes the line endings or the encoding that the next save writes. */
    setFormat(path: string, changes: Partial<TextFormat>): void {
      const state = files.get(path)
      if (!state || state.readonly) return
      files.set(path, { format: { ...state.format, ...changes } })
      files.refreshDirty(path)
      files.mirror.sendNow(path)
    },

    /**
     * Opens a file with unsaved text from an earlier page or process. The tab is in conflict if the file has changed
     * since, and marked as deleted if it no longer exists.
     */
    restore: (path: string, unsaved: UnsavedText): Promise<void> => loader.restore(path, unsaved),

    /** Handles `editor.applyText`, an edit by the agent. */
    applyText: (edit: AgentEdit) => applyOrCheck(files, edit, checkDisk),

    /**
     * Moves a renamed file with its unsaved text and undo steps. The stamp stays valid, because it consists of time,
     * size and inode, so another program's change is still a conflict. If a file with unsaved text is open at `to`, it
     * stays open, and so does the tab of `from`.
     * @param moveTabs shows the file in the tabs of the other path
     */
    async rename(from: string, to: string, moveTabs: () => void = () => undefined): Promise<void> {
      await whenIdle(from, () => {
        if (files.get(to)?.dirty) return
        if (files.get(to)) files.remove(to)
        moveNow(from, to)
        // Synchronously, so that no tab shows a path without a text.
        moveTabs()
      })
      await loader.loaded(to)
      await checkDisk(to)
    },

    /** Resolves when no file is being read or saved. */
    async idle(): Promise<void> {
      await Promise.all(files.paths().map((path) => whenIdle(path, () => undefined)))
    },

    /**
     * Gives all files the paths that they have after the folders of the window changed, with unsaved text and undo steps.
     * @param moved returns the new path, or null for a file that the window no longer contains
     */
    moveAll(moved: (path: string) => string | null): void {
      for (const { from, to } of movesOf(files.paths(), moved)) moveNow(from, to)
    },

    /** Calls the listener before a renamed file's text moves. @returns a function that unsubscribes */
    onRename(listener: (from: string, to: string) => void): () => void {
      renameListeners.add(listener)
      return () => renameListeners.delete(listener)
    },

    dirtyPaths(): string[] {
      return Object.values(files.store.getState()).flatMap((state) => (state.dirty ? [state.path] : []))
    },

    /** Unsaved texts that may exist in this page only. */
    unsentTexts: (): { path: string; text: string }[] =>
      files.mirror.unsentPaths().flatMap((path) => {
        const text = files.get(path)?.dirty ? files.find(path)?.buffer.text() : undefined
        return text === undefined ? [] : [{ path, text }]
      }),

    /** Sends the state of all tabs to main after a reconnection. */
    syncAll(): void {
      // A loading file gets its unsaved text, which main has, once it is ready.
      for (const path of files.paths()) if (files.get(path)?.status !== 'loading') files.mirror.sendNow(path)
    },

    /** Sends pending changes to main before the page unloads. */
    flush(): void {
      files.mirror.flush()
    },

    /** Removes all files, for example for another workspace. Main keeps the mirrored text. */
    reset(): void {
      loader.clear()
      files.clear()
    },
  }
  return documents
}

/** Orders moves so that none leads to a path that another file still has. */
function movesOf(paths: readonly string[], moved: (path: string) => string | null): { from: string; to: string }[] {
  const moves = paths.flatMap((from) => {
    const to = isWithoutFolder(from) ? from : moved(from)
    return to === null || to === from ? [] : [{ from, to }]
  })
  // A new path begins with a folder's name and is longer than the old one.
  return moves.toSorted((a, b) => b.from.length - a.from.length)
}

type AgentEdit = EditorRequests['editor.applyText']['params']

/** Whether the text of a tab is the one that the edit is based on, or already the new one, or there is no tab. */
function isExpected(files: OpenDocuments, { path, expected, text }: AgentEdit): boolean {
  const before = files.find(path)?.buffer.text()
  // The file watcher may have updated the tab before the edit arrived, or the user may have typed.
  return before === undefined || before === expected || before === text
}

const loadMerging = () => import('../../../../shared/diff/mergeEdits.ts')

const mergingFailure = (path: string): ToolError =>
  new ToolError(
    'conflict',
    `"${path}" has other unsaved text in its tab, and the part of the window that merges texts could not be loaded, so nothing was written.`,
    'Ask the user to save the tab and to reload the window. Then read the file again and repeat the edit on the new text.',
  )

type AppliedEdit = Promise<EditorRequests['editor.applyText']['result']>

/** Applies an edit. If it fails and the file has it, the tab is marked as changed on disk. */
async function applyOrCheck(
  files: OpenDocuments,
  edit: AgentEdit,
  checkDisk: (path: string) => Promise<void>,
): AppliedEdit {
  try {
    return await applyAgentEdit(files, edit)
  } catch (error) {
    if (edit.saved) void checkDisk(edit.path).catch(() => undefined)
    throw error
  }
}

async function applyAgentEdit(files: OpenDocuments, edit: AgentEdit): AppliedEdit {
  // Most edits need no merge. The text may change while it loads, so it is compared again.
  const merge = isExpected(files, edit) ? null : await loadMerging().catch(() => null)
  const { path, expected, text, saved, stamp } = edit
  const document = files.find(path)
  const state = files.get(path)
  if (!document || !state) return { applied: false }
  const before = document.buffer.text()
  const merges = !isExpected(files, edit)
  if (merges && merge === null) throw mergingFailure(path)
  const after =
    merges && merge ? merge.mergeAgentEdit({ path, base: expected, mine: text, other: before }, 'conflict') : text
  if (saved) document.saved = null
  document.buffer.replace(after, { highlight: true })
  if (saved && !merges) {
    // Main gives a text that had no line breaks those of the edit.
    const eol = expected.includes('\n') || !text.includes('\n') ? state.format.eol : '\n'
    files.set(path, { format: { ...state.format, eol } })
    files.markSaved(path, { stamp: stamp ?? document.stamp, text, eol }, document.buffer.version())
  } else {
    // The user's changes are now based on the text on disk.
    if (saved && stamp !== undefined) document.stamp = stamp
    files.refreshDirty(path)
  }
  if (!merges) return { applied: true }
  files.mirror.sendNow(path)
  return { applied: true, merged: { before, after } }
}
