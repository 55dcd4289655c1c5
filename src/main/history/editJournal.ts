import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'

/** What an edit replaced. `before: null`: the file did not exist; `after: null`: the edit deleted it. */
export interface JournalChange { path: string; before: string | null; after: string | null }

/** Keeps the text an edit replaced so that its card can take it back. */
export interface EditJournal {
  /** @returns the id that `undo` takes. */
  record(callId: string, changes: JournalChange[]): string
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
  write(path: string, text: string): Promise<void>
  remove(path: string): Promise<void>
}

/** How many edits are kept; the oldest go first. */
const kept = 2000

const changesSchema = z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() }))

/** The journal of one workspace, in the shared database so that it survives a restart. */
export function createEditJournal(db: DatabaseSync, workspace: string, files: JournalFiles): EditJournal {
  const insert = db.prepare('INSERT INTO edits (id, call_id, workspace, at, changes) VALUES (?, ?, ?, ?, ?)')
  const prune = db.prepare('DELETE FROM edits WHERE id NOT IN (SELECT id FROM edits ORDER BY at DESC, rowid DESC LIMIT ?)')
  const select = db.prepare('SELECT changes, undone FROM edits WHERE id = ? AND workspace = ?')
  const markUndone = db.prepare('UPDATE edits SET undone = 1 WHERE id = ?')

  return {
    record(callId, changes) {
      const id = randomUUID()
      insert.run(id, callId, workspace, Date.now(), JSON.stringify(changes))
      prune.run(kept)
      return id
    },
    async undo(editId) {
      const row = select.get(editId, workspace)
      if (!row) throw new ToolError('not_found', 'This edit is no longer kept.', 'Use the file history of your version control.')
      if (row.undone === 1) throw new ToolError('conflict', 'This edit was already taken back.')
      const changes = changesSchema.parse(JSON.parse(String(row.changes)))
      for (const change of changes) {
        if ((await files.read(change.path)) !== change.after) {
          throw new ToolError('conflict', `"${change.path}" has changed since this edit, so nothing was taken back.`, 'Undo the later changes first, or edit the file by hand.')
        }
      }
      for (const change of changes) {
        if (change.before === null) await files.remove(change.path)
        else await files.write(change.path, change.before)
      }
      markUndone.run(editId)
      return changes.map((change) => change.path)
    },
  }
}
