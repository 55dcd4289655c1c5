import { isAbort, ToolError, toFailure } from '../../../shared/errors.ts'
import type { OpenedFile } from '../../../shared/files.ts'
import type { FileEdits } from '../../../shared/languageServers.ts'
import { applyRangeEdits } from '../../../shared/rangeEdits.ts'
import { textHash } from '../../../shared/textHash.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { changedFile } from './diskSync.ts'
import type { Documents } from './tabDocuments.ts'

export interface FileChangeDeps {
  request: Bridge['request']
  documents: Pick<Documents, 'get' | 'buffer' | 'change'>
}

/** A file before and after a change. */
export interface FileTextChange {
  path: string
  before: string
  after: string
}

/** Options of a change of several files. */
export interface FileChangeOptions {
  /** Files as `readFiles` returned them, which are not read again. */
  seen?: ReadonlyMap<string, ReadFile>
  /** Cancels the change: the files that are written already are restored. */
  signal?: AbortSignal
  onProgress?: (done: number, total: number) => void
}

/** A file that is not open, or only the text of an open one. */
export type ReadFile = Pick<OpenedFile, 'text'> & Partial<Pick<OpenedFile, 'format' | 'stamp'>>

/** Maximum number of files that are read or written at a time. More would not be faster. */
const maxAtATime = 8

/** Runs `work` for all items, some at a time. After a failure starts no others, and throws it when the started ones end. */
async function forAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  let failed = false
  const run = async (): Promise<void> => {
    for (const item of waiting) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: maxAtATime }, run))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}

/** Reads files: the text of their tabs, or from disk. @throws as `files.read` */
export async function readFiles(
  { request, documents }: FileChangeDeps,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ReadFile>> {
  const files = new Map<string, ReadFile>()
  await forAll(paths, async (path) => {
    signal?.throwIfAborted()
    const buffer = documents.buffer(path)
    files.set(path, buffer ? { text: buffer.text() } : await request('files.read', { path }))
  })
  return files
}

/**
 * Writes all changes or none: restores the files written before a failure. Changes open files in their buffers and
 * saves those without unsaved changes; changes other files on disk.
 * @throws ToolError `conflict` if a text differs from `before`; `permission_denied`; AbortError
 */
export async function writeFileChanges(
  deps: FileChangeDeps,
  changes: readonly FileTextChange[],
  { seen, signal, onProgress = () => undefined }: FileChangeOptions = {},
): Promise<void> {
  const paths = changes.map(({ path }) => path)
  const files = seen ?? (await readFiles(deps, paths, signal))
  for (const { path, before } of changes) {
    if ((deps.documents.buffer(path)?.text() ?? files.get(path)?.text) !== before) throw changedFile(path)
    if (deps.documents.get(path)?.readonly)
      throw new ToolError('permission_denied', `${path} is read-only.`, 'Change its permissions, or leave it out.')
  }
  const done: FileTextChange[] = []
  const write = async (change: FileTextChange): Promise<void> => {
    signal?.throwIfAborted()
    await writeOne(deps, change, files.get(change.path))
    done.push(change)
    onProgress(done.length, changes.length)
  }
  const isOpen = ({ path }: FileTextChange): boolean => deps.documents.buffer(path) !== undefined
  const { open = [], closed = [] } = Object.groupBy(changes, (change) => (isOpen(change) ? 'open' : 'closed'))
  try {
    await forAll(closed, write)
    // One after another, because the user watches them.
    for (const change of open) await write(change)
  } catch (error) {
    throw withChangedFiles(error, await restoreAll(deps, done))
  }
}

/** Restores files after a failure. @returns paths of those that could not be restored */
async function restoreAll(deps: FileChangeDeps, done: readonly FileTextChange[]): Promise<string[]> {
  const failed: string[] = []
  await forAll(reverseChanges(done).toReversed(), async (change) => {
    try {
      await writeOne(deps, change)
    } catch {
      failed.push(change.path)
    }
  })
  return failed
}

function withChangedFiles(error: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0) return error
  // A cancellation is not shown, but this is.
  const { code, message, next } = isAbort(error)
    ? { code: 'conflict' as const, message: 'The change was canceled, but not everywhere.', next: '' }
    : toFailure(error)
  return new ToolError(code, message, `${next} These files could not be restored: ${paths.join(', ')}.`.trim())
}

/** A change of several files that can be undone as one. */
export interface UndoableChanges {
  /**
   * Restores all files; those that are restored already stay.
   * @throws ToolError `conflict`, without changing anything, if a file has changed otherwise
   */
  undo(options?: Pick<FileChangeOptions, 'signal' | 'onProgress'>): Promise<void>
}

/** Files that followed an undo or redo of a change in one of its files. */
export interface FollowedUndo {
  undone: boolean
  /** Paths of the files that changed with it. */
  changed: string[]
  /** Paths of files that have changed otherwise, and stay. */
  skipped: string[]
}

/** Receives which files followed, or why none could. */
export type OnFollowed = (followed: FollowedUndo | { error: unknown }) => void

/**
 * Makes applied changes undoable. Undo and redo in the tab of one of the files apply to all of them.
 * @param onFollowed called after other files followed the one in a tab
 */
export function undoableChanges(
  deps: FileChangeDeps,
  changes: readonly FileTextChange[],
  onFollowed: OnFollowed = () => undefined,
): UndoableChanges {
  let following = false
  const paths = changes.map(({ path }) => path)
  /** Brings the files to one side of their change that are on the other one. */
  async function follow(undone: boolean): Promise<void> {
    if (following) return
    following = true
    try {
      const wanted = undone ? reverseChanges(changes) : changes
      const followed: FollowedUndo = { undone, changed: [], skipped: [] }
      const remaining: FileTextChange[] = []
      const seen = await readFiles(deps, paths)
      for (const change of wanted) {
        const now = seen.get(change.path)?.text
        if (now === change.before) remaining.push(change)
        else if (now !== change.after) followed.skipped.push(change.path)
      }
      if (remaining.length === 0) return
      await writeFileChanges(deps, remaining, { seen })
      onFollowed({ ...followed, changed: remaining.map(({ path }) => path) })
    } catch (error) {
      onFollowed({ error })
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
 * Applies edits of a language server to all files or to none.
 * @returns the applied changes
 * @throws ToolError `conflict` if a text is not the one that the edits were computed for
 */
export async function applyFileEdits(deps: FileChangeDeps, files: readonly FileEdits[]): Promise<FileTextChange[]> {
  const seen = await readFiles(
    deps,
    files.map(({ path }) => path),
  )
  const changes = files.map(({ path, edits, textHash: hash }): FileTextChange => {
    const before = seen.get(path)?.text
    if (before === undefined || textHash(before) !== hash) throw changedFile(path)
    return { path, before, after: applyRangeEdits(before, edits) }
  })
  const real = changes.filter(({ before, after }) => before !== after)
  await writeFileChanges(deps, real, { seen })
  return real
}

export async function currentText({ request, documents }: FileChangeDeps, path: string): Promise<string> {
  return documents.buffer(path)?.text() ?? (await request('files.read', { path })).text
}

/** Writes one file. Reads it before, unless `seen` has its format and stamp. */
async function writeOne(
  { request, documents }: FileChangeDeps,
  { path, before, after }: FileTextChange,
  seen?: ReadFile,
): Promise<void> {
  if (documents.buffer(path)) return documents.change(path, before, after)
  const file = seen?.format && seen.stamp !== undefined ? seen : await request('files.read', { path })
  if (file.text !== before || !file.format) throw changedFile(path)
  await request('files.write', { path, text: after, format: file.format, stamp: file.stamp, force: false })
}
