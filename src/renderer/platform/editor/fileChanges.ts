import { ToolError, toFailure } from '../../../shared/errors.ts'
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

/**
 * Writes all changes or none: restores the files written before a failure. Changes open files in their buffers and
 * saves those without unsaved changes; changes other files on disk.
 * @throws ToolError `conflict` if a text differs from `before`; `permission_denied`
 */
export async function writeFileChanges(deps: FileChangeDeps, changes: readonly FileTextChange[]): Promise<void> {
  for (const { path, before } of changes) {
    if ((await currentText(deps, path)) !== before) throw changedFile(path)
    if (deps.documents.get(path)?.readonly)
      throw new ToolError('permission_denied', `${path} is read-only.`, 'Change its permissions, or leave it out.')
  }
  const done: FileTextChange[] = []
  try {
    for (const change of changes) {
      await writeOne(deps, change)
      done.push(change)
    }
  } catch (error) {
    throw withChangedFiles(error, await restoreAll(deps, done))
  }
}

/** Restores files after a failure. @returns paths of those that could not be restored */
async function restoreAll(deps: FileChangeDeps, done: readonly FileTextChange[]): Promise<string[]> {
  const failed: string[] = []
  for (const change of reverseChanges(done).toReversed()) {
    try {
      await writeOne(deps, change)
    } catch {
      failed.push(change.path)
    }
  }
  return failed
}

function withChangedFiles(error: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0) return error
  const { code, message, next } = toFailure(error)
  return new ToolError(code, message, `${next} These files could not be restored: ${paths.join(', ')}.`)
}

/** A change of several files that can be undone as one. */
export interface UndoableChanges {
  /**
   * Restores all files; those that are restored already stay.
   * @throws ToolError `conflict`, without changing anything, if a file has changed otherwise
   */
  undo(): Promise<void>
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
  /** Brings the files to one side of their change that are on the other one. */
  async function follow(undone: boolean): Promise<void> {
    if (following) return
    following = true
    try {
      const wanted = undone ? reverseChanges(changes) : changes
      const followed: FollowedUndo = { undone, changed: [], skipped: [] }
      const remaining: FileTextChange[] = []
      for (const change of wanted) {
        const now = await currentText(deps, change.path)
        if (now === change.before) remaining.push(change)
        else if (now !== change.after) followed.skipped.push(change.path)
      }
      if (remaining.length === 0) return
      await writeFileChanges(deps, remaining)
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
    async undo() {
      const remaining: FileTextChange[] = []
      for (const change of reverseChanges(changes))
        if ((await currentText(deps, change.path)) !== change.after) remaining.push(change)
      await writeFileChanges(deps, remaining)
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
  const changes = await Promise.all(
    files.map(async ({ path, edits, textHash: hash }): Promise<FileTextChange> => {
      const before = await currentText(deps, path)
      if (textHash(before) !== hash) throw changedFile(path)
      return { path, before, after: applyRangeEdits(before, edits) }
    }),
  )
  const real = changes.filter(({ before, after }) => before !== after)
  await writeFileChanges(deps, real)
  return real
}

export async function currentText({ request, documents }: FileChangeDeps, path: string): Promise<string> {
  return documents.buffer(path)?.text() ?? (await request('files.read', { path })).text
}

async function writeOne(
  { request, documents }: FileChangeDeps,
  { path, before, after }: FileTextChange,
): Promise<void> {
  if (documents.buffer(path)) return documents.change(path, before, after)
  const file = await request('files.read', { path })
  if (file.text !== before) throw changedFile(path)
  await request('files.write', { path, text: after, format: file.format, stamp: file.stamp, force: false })
}
