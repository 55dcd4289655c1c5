import type { DatabaseSync } from 'node:sqlite'
import { statement } from './sqlStatement.ts'

/** Stores the window's layout and open tabs per workspace. Their format is opaque to the main process. */
export function createLayouts(db: DatabaseSync) {
  const insert = statement(db, 'INSERT OR REPLACE INTO layouts (workspace, layout) VALUES (?, ?)')
  const select = statement(db, 'SELECT layout FROM layouts WHERE workspace = ?')
  return {
    save: (workspace: string, layout: string): void => void insert.run(workspace, layout),
    load(workspace: string): string | null {
      const row = select.get(workspace)
      return row ? String(row.layout) : null
    },
  }
}
