import { hash, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { changedSpan } from '../../shared/changedSpan.ts'
import { ToolError } from '../../shared/errors.ts'
import { createPruner, type Retention } from './retention.ts'
import { statement } from './sqlStatement.ts'

/** What an edit replaced. `before: null`: the file did not exist; `after: null`: the edit deleted it. */
export interface JournalChange {
  path: string
  before: string | null
  after: string | null
  /** Permission bits that the file had, where the edit takes them away with it. */
  mode?: number
}

/** Keeps the text an edit replaced so that its card can take it back. */
export interface EditJournal {
  /** @returns the id that `undo` takes; undefined when what the edit replaced is too large to be kept. */
  record(callId: string, changes: JournalChange[]): string | undefined
  /**
   * Puts every file of an edit back. Refused with `conflict` when one of them is not what the edit left.
   * @returns the paths that were put back.
   */
  undo(editId: string): Promise<string[]>
}

/** How the journal reaches files: as the user sees them, open buffers first. */
export interface JournalFiles {
  /** The text now; null when there is no such file. */
  read(path: string): Promise<string | null>
  /** @param mode permission bits to give it; without them a file keeps its own */
  write(path: string, text: string, mode?: number): Promise<void>
  remove(path: string): Promise<void>
}

const megabyte = 1024 * 1024
/** How much is kept of all workspaces together; the oldest edits go first. */
const kept: Retention = { rows: 2_000, bytes: 200 * megabyte }
/** UTF-16 units that one edit may have replaced, in all its files together. */
const maxReplaced = 2 * megabyte

/**
 * What brings one file back from what the edit left: `removed` in place of the `inserted` units at `start`. The whole text that
 * the edit left is known by its hash only.
 */
const changeSchema = z.object({
  path: z.string(),
  /** The file did not exist before. */
  created: z.boolean(),
  start: z.number(),
  removed: z.string(),
  inserted: z.number(),
  /** null: the edit deleted the file. */
  leftHash: z.string().nullable(),
  mode: z.number().optional(),
})
type StoredChange = z.output<typeof changeSchema>
const changesSchema = z.array(changeSchema)

/** The journal of one workspace, in the shared database so that it survives a restart. */
export function createEditJournal(
  db: DatabaseSync,
  workspace: string,
  files: JournalFiles,
  keep: Retention = kept,
): EditJournal {
  const insert = statement(
    db,
    'INSERT INTO edits (id, call_id, workspace, at, bytes, changes) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const prune = createPruner(db, 'edits', keep)
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
          'This edit is no longer kept.',
          'Use the file history of your version control.',
        )
      if (row.undone === 1) throw new ToolError('conflict', 'This edit was already taken back.')
      const before: { path: string; text: string | null; mode?: number }[] = []
      for (const change of changesSchema.parse(JSON.parse(String(row.changes)))) {
        const now = await files.read(change.path)
        if (hashOf(now) !== change.leftHash) {
          throw new ToolError(
            'conflict',
            `"${change.path}" has changed since this edit, so nothing was taken back.`,
            'Undo the later changes first, or edit the file by hand.',
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
    // Of a created file nothing is needed to take it back.
    removed: (before ?? '').slice(start, oldEnd),
    inserted: newEnd - start,
    leftHash: hashOf(after),
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
