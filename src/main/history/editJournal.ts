import { hash, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { changedSpan } from '../../shared/editor/changedSpan.ts'
import { ToolError } from '../../shared/errors.ts'
import { createPruner, type Retention } from './pruneTable.ts'
import { statement } from './sqlStatement.ts'

/** A file changed by an edit. `before` is null for a created file, `after` is null for a deleted one. */
export interface JournalChange {
  path: string
  before: string | null
  after: string | null
  /** Permission bits of a deleted file. */
  mode?: number
}

/** Stores the text replaced by edits, so that they can be undone. */
export interface EditJournal {
  /** @returns the id for `undo`; undefined if the replaced text is too large to store */
  record(callId: string, changes: JournalChange[]): string | undefined
  /**
   * Restores all files of an edit.
   * @returns paths of the restored files
   * @throws ToolError `conflict` if one of them has changed since the edit
   */
  undo(editId: string): Promise<string[]>
}

/** File access of the journal. Unsaved text in open tabs takes precedence. */
export interface JournalFiles {
  /** Returns the current text; null if the file does not exist. */
  read(path: string): Promise<string | null>
  /** @param mode permission bits to set; default: unchanged */
  write(path: string, text: string, mode?: number): Promise<void>
  remove(path: string): Promise<void>
}

const megabyte = 1024 * 1024
/** Default limits for the edits of all workspaces combined. The oldest edits are deleted first. */
const defaultRetention: Retention = { rows: 2_000, bytes: 200 * megabyte }
/** Maximum number of UTF-16 units that one edit may replace across all its files. */
const maxReplaced = 2 * megabyte

/**
 * Undoes an edit of one file: `removed` replaces the `inserted` units at `start`. Of the text after the edit, only the
 * hash is stored.
 */
const changeSchema = z.object({
  path: z.string(),
  /** Whether the edit created the file. */
  created: z.boolean(),
  start: z.number(),
  removed: z.string(),
  inserted: z.number(),
  /** Null if the edit deleted the file. */
  leftHash: z.string().nullable(),
  /** Hash of the text before the edit; null if there was no file. Absent in rows of earlier versions. */
  beforeHash: z.string().nullable().optional(),
  mode: z.number().optional(),
})
type StoredChange = z.output<typeof changeSchema>
const changesSchema = z.array(changeSchema)

/** Creates the journal of a workspace in the shared database. */
export function createEditJournal(
  db: DatabaseSync,
  workspace: string,
  files: JournalFiles,
  retention: Retention = defaultRetention,
): EditJournal {
  const insert = statement(
    db,
    'INSERT INTO edits (id, call_id, workspace, at, bytes, changes) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const prune = createPruner(db, 'edits', retention)
  const select = statement(db, 'SELECT changes, undone FROM edits WHERE id = ? AND workspace = ?')
  const markUndone = statement(db, 'UPDATE edits SET undone = 1 WHERE id = ?')

  return {
    record(callId, changes) {
      const stored = changes.map(toStored)
      if (stored.reduce((sum, change) => sum + change.removed.length, 0) > maxReplaced) return undefined
      const id = randomUUID()
      const json = JSON.stringify(stored)
      insert.run(id, callId, workspace, Date.now(), Buffer.byteLength(json), json)
      prune()
      return id
    },
    async undo(editId) {
      const row = select.get(editId, workspace)
      if (!row)
        throw new ToolError(
          'not_found',
          'The text before this edit is no longer stored.',
          'Use the file history of your version control.',
        )
      if (row.undone === 1) throw new ToolError('conflict', 'This edit was already undone.')
      const before: { path: string; text: string | null; mode?: number }[] = []
      for (const change of changesSchema.parse(JSON.parse(String(row.changes)))) {
        const now = await files.read(change.path)
        // Already restored: by other means, or before the process was killed.
        if (hashOf(now) === change.beforeHash) continue
        if (hashOf(now) !== change.leftHash) {
          throw new ToolError(
            'conflict',
            `"${change.path}" has changed since this edit, so nothing was undone.`,
            'Undo the later changes first, or edit the file manually.',
          )
        }
        before.push({ path: change.path, text: textBefore(change, now ?? ''), mode: change.mode })
      }
      for (const { path, text, mode } of before) {
        if (text === null) await files.remove(path)
        else await files.write(path, text, mode)
      }
      markUndone.run(editId)
      return before.map(({ path }) => path)
    },
  }
}

function toStored({ path, before, after, mode }: JournalChange): StoredChange {
  const { start, oldEnd, newEnd } = changedSpan(before ?? '', after ?? '')
  return {
    path,
    created: before === null,
    start,
    // Undoing the creation of a file deletes it, which needs no text.
    removed: (before ?? '').slice(start, oldEnd),
    inserted: newEnd - start,
    leftHash: hashOf(after),
    beforeHash: hashOf(before),
    mode,
  }
}

function textBefore(change: StoredChange, left: string): string | null {
  if (change.created) return null
  return left.slice(0, change.start) + change.removed + left.slice(change.start + change.inserted)
}

function hashOf(text: string | null): string | null {
  return text === null ? null : hash('sha256', text)
}
