import { isAbort, ToolError, toFailure, type Failure } from '../../../../shared/errors.ts'
import { maxBatchCharacters, maxBatchFiles, type FileOutcome, type OpenedFile } from '../../../../shared/files/files.ts'
import type { FileEdits } from '../../../../shared/language/languageServers.ts'
import { applyRangeEdits } from '../../../../shared/editor/rangeEdits.ts'
import { textHash } from '../../../../shared/files/textHash.ts'
import { toToolError, type Bridge } from '../../bridge/bridge.ts'
import { changedFileError } from './diskSync.ts'
import type { Documents } from './tabDocuments.ts'

export interface FileChangeDeps {
  request: Bridge['request']
  documents: Pick<Documents, 'get' | 'buffer' | 'change'>
}

/** A file's text before and after a change. */
export interface FileTextChange {
  path: string
  before: string
  after: string
}

export interface FileChangeOptions {
  /** Files that `readFiles` returned, which need not be read again. */
  seen?: ReadonlyMap<string, ReadFile>
  /** Cancels the change and restores the files that were already written. */
  signal?: AbortSignal
  onProgress?: (done: number, total: number) => void
}

/** A file that is not open, or only the text of an open one. */
export type ReadFile = Pick<OpenedFile, 'text'> & Partial<Pick<OpenedFile, 'format' | 'stamp'>>

/** Splits changes into batches of one request each. */
function* batchesOf(changes: readonly FileTextChange[]): Generator<FileTextChange[]> {
  let batch: FileTextChange[] = []
  let characters = 0
  for (const change of changes) {
    if (batch.length > 0 && (batch.length === maxBatchFiles || characters + change.after.length > maxBatchCharacters)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(change)
    characters += change.after.length
  }
  if (batch.length > 0) yield batch
}

/** Reads closed files from disk, one batch at a time. */
async function readClosed(
  { request }: FileChangeDeps,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<FileOutcome<ReadFile>[]> {
  const outcomes: FileOutcome<ReadFile>[] = []
  while (outcomes.length < paths.length) {
    signal?.throwIfAborted()
    const next = paths.slice(outcomes.length, outcomes.length + maxBatchFiles)
    outcomes.push(...(await request('files.readBatch', { paths: next })))
  }
  return outcomes
}

/** Reads the text of tabs, and other files from disk. @throws like `files.read` */
export async function readFiles(
  { request, documents }: FileChangeDeps,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ReadFile>> {
  const files = new Map<string, ReadFile>()
  const closed: string[] = []
  for (const path of new Set(paths)) {
    const buffer = documents.buffer(path)
    if (buffer) files.set(path, { text: buffer.text() })
    else closed.push(path)
  }
  const outcomes = await readClosed({ request, documents }, closed, signal)
  for (const [index, path] of closed.entries()) {
    const outcome = outcomes[index]
    if (outcome?.ok) files.set(path, outcome.file)
    else if (outcome) throw toToolError(outcome.error)
  }
  return files
}

/**
 * Writes all changes or none: restores the files written before a failure. Changes open files in their buffers, and
 * saves those that had no unsaved changes; changes other files on disk.
 * @throws ToolError `conflict` if a text differs from `before`; `permission_denied`; AbortError
 */
export async function writeFileChanges(
  deps: FileChangeDeps,
  changes: readonly FileTextChange[],
  { seen, signal, onProgress = () => undefined }: FileChangeOptions = {},
): Promise<void> {
  const paths = changes.map(({ path }) => path)
  const files = new Map(seen)
  // A tab may have been closed since its text was read.
  const unread = paths.filter((path) => !deps.documents.buffer(path) && files.get(path)?.stamp === undefined)
  for (const [path, file] of await readFiles(deps, seen ? unread : paths, signal)) files.set(path, file)
  for (const { path, before } of changes) {
    if ((deps.documents.buffer(path)?.text() ?? files.get(path)?.text) !== before) throw changedFileError(path)
    if (deps.documents.get(path)?.readonly)
      throw new ToolError('permission_denied', `${path} is read-only.`, 'Change its permissions, or exclude it.')
  }
  const done: FileTextChange[] = []
  const isOpen = ({ path }: FileTextChange): boolean => deps.documents.buffer(path) !== undefined
  const { open = [], closed = [] } = Object.groupBy(changes, (change) => (isOpen(change) ? 'open' : 'closed'))
  try {
    for (const batch of batchesOf(closed)) {
      signal?.throwIfAborted()
      const failures = await writeClosed(deps, batch, files, (written) => done.push(...written))
      const [first] = failures.values()
      if (first) throw toToolError(first)
      onProgress(done.length, changes.length)
    }
    // One after another, because the user sees them.
    for (const change of open) {
      signal?.throwIfAborted()
      await deps.documents.change(change.path, change.before, change.after)
      done.push(change)
      onProgress(done.length, changes.length)
    }
  } catch (error) {
    throw withChangedFiles(error, await restoreAll(deps, done))
  }
}

/**
 * Writes closed files with one request.
 * @param seen the files as they were read, with format and stamp; others fail
 * @param onWritten receives what was written, or everything if the request failed and that is unknown
 * @returns failures by path
 */
async function writeClosed(
  { request }: FileChangeDeps,
  batch: readonly FileTextChange[],
  seen: ReadonlyMap<string, ReadFile>,
  onWritten: (written: FileTextChange[]) => void = () => undefined,
): Promise<Map<string, Failure>> {
  const failures = new Map<string, Failure>()
  const files = batch.flatMap(({ path, before, after }) => {
    const file = seen.get(path)
    if (file?.format && file.text === before) return [{ path, text: after, format: file.format, stamp: file.stamp }]
    failures.set(path, changedFileError(path).toFailure())
    return []
  })
  // If one file of a batch cannot be written, none is.
  if (failures.size > 0) return failures
  try {
    for (const [index, outcome] of (await request('files.writeBatch', { files })).entries()) {
      const path = batch[index]?.path
      if (!outcome.ok && path !== undefined) failures.set(path, outcome.error)
    }
  } finally {
    onWritten(batch.filter(({ path }) => !failures.has(path)))
  }
  return failures
}

/** Restores files after a failure. @returns paths that could not be restored */
async function restoreAll(deps: FileChangeDeps, done: readonly FileTextChange[]): Promise<string[]> {
  const failed: string[] = []
  const closed: FileTextChange[] = []
  for (const change of reverseChanges(done).toReversed()) {
    if (!deps.documents.buffer(change.path)) closed.push(change)
    else
      await deps.documents.change(change.path, change.before, change.after).catch(() => void failed.push(change.path))
  }
  for (const batch of batchesOf(closed)) {
    const paths = batch.map(({ path }) => path)
    try {
      const outcomes = await readClosed(deps, paths)
      const seen = new Map(paths.flatMap((path, index) => (outcomes[index]?.ok ? [[path, outcomes[index].file]] : [])))
      const changed = batch.filter(({ path, after }) => seen.get(path)?.text !== after)
      const { writable = [], other = [] } = Object.groupBy(changed, ({ path, before }) =>
        seen.get(path)?.text === before ? 'writable' : 'other',
      )
      failed.push(...other.map(({ path }) => path))
      if (writable.length > 0) failed.push(...(await writeClosed(deps, writable, seen)).keys())
    } catch {
      // The connection is lost.
      failed.push(...paths)
    }
  }
  return failed
}

function withChangedFiles(error: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0) return error
  // Cancellations are not shown, but this one is.
  const { code, message, next } = isAbort(error)
    ? {
        code: 'conflict' as const,
        message: 'The change was cancelled, but some files could not be restored.',
        next: '',
      }
    : toFailure(error)
  return new ToolError(code, message, `${next} These files could not be restored: ${paths.join(', ')}.`.trim())
}

/** A change to several files that can be undone as one. */
export interface UndoableChanges {
  /**
   * Restores all files. Files that are already restored stay.
   * @throws ToolError `conflict`, without changing anything, if a file has other changes
   */
  undo(options?: Pick<FileChangeOptions, 'signal' | 'onProgress'>): Promise<void>
}

/** Result of undoing or redoing a change in other files, after the user did so in one of its files. */
export interface LinkedUndo {
  undone: boolean
  /** Paths of the other files that were undone or redone. */
  changed: string[]
  /** Paths of files that were skipped because they have other changes. */
  skipped: string[]
}

/** Receives the result, or why no other file could be undone or redone. */
export type OnLinkedUndo = (followed: LinkedUndo | { error: unknown }) => void

/**
 * Makes applied changes undoable. Undo and redo in the tab of one file apply to all files.
 * @param onLinkedUndo called after the other files were undone or redone
 */
export function undoableChanges(
  deps: FileChangeDeps,
  changes: readonly FileTextChange[],
  onLinkedUndo: OnLinkedUndo = () => undefined,
): UndoableChanges {
  let following = false
  const paths = changes.map(({ path }) => path)
  /** Brings all files to the same side of the change. */
  async function follow(undone: boolean): Promise<void> {
    if (following) return
    following = true
    try {
      const wanted = undone ? reverseChanges(changes) : changes
      const followed: LinkedUndo = { undone, changed: [], skipped: [] }
      const remaining: FileTextChange[] = []
      const seen = await readFiles(deps, paths)
      for (const change of wanted) {
        const now = seen.get(change.path)?.text
        if (now === change.before) remaining.push(change)
        else if (now !== change.after) followed.skipped.push(change.path)
      }
      if (remaining.length === 0) return
      await writeFileChanges(deps, remaining, { seen })
      onLinkedUndo({ ...followed, changed: remaining.map(({ path }) => path) })
    } catch (error) {
      onLinkedUndo({ error })
    } finally {
      following = false
    }
  }

  if (changes.length > 1)
    for (const { path, before, after } of changes) {
      const buffer = deps.documents.buffer(path)
      buffer?.onUndo?.(() => {
        const now = buffer.text()
        if (now === before) void follow(true)
        else if (now === after) void follow(false)
      })
    }
  return {
    async undo({ signal, onProgress } = {}) {
      const seen = await readFiles(deps, paths, signal)
      const remaining = reverseChanges(changes).filter(({ path, after }) => seen.get(path)?.text !== after)
      await writeFileChanges(deps, remaining, { seen, signal, onProgress })
    },
  }
}

/** Returns changes that restore the files. */
export function reverseChanges(changes: readonly FileTextChange[]): FileTextChange[] {
  return changes.map(({ path, before, after }) => ({ path, before: after, after: before }))
}

/**
 * Applies a language server's edits to all files or to none.
 * @returns the applied changes
 * @throws ToolError `conflict` if the edits were computed for another text
 */
export async function applyFileEdits(deps: FileChangeDeps, files: readonly FileEdits[]): Promise<FileTextChange[]> {
  const seen = await readFiles(
    deps,
    files.map(({ path }) => path),
  )
  const changes = files.map(({ path, edits, textHash: hash }): FileTextChange => {
    const before = seen.get(path)?.text
    if (before === undefined || textHash(before) !== hash) throw changedFileError(path)
    return { path, before, after: applyRangeEdits(before, edits) }
  })
  const real = changes.filter(({ before, after }) => before !== after)
  await writeFileChanges(deps, real, { seen })
  return real
}

export async function currentText({ request, documents }: FileChangeDeps, path: string): Promise<string> {
  return documents.buffer(path)?.text() ?? (await request('files.read', { path })).text
}
