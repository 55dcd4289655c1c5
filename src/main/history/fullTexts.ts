import type { DatabaseSync } from 'node:sqlite'

/** How many shortened results are kept whole; the oldest go first. */
const kept = 300

/** Keeps the whole text of results that were shortened for the model, so that the panel can show all of it. */
export function createFullTexts(db: DatabaseSync) {
  const insert = db.prepare('INSERT OR REPLACE INTO full_texts (call_id, saved_at, text) VALUES (?, ?, ?)')
  const prune = db.prepare('DELETE FROM full_texts WHERE call_id NOT IN (SELECT call_id FROM full_texts ORDER BY saved_at DESC, rowid DESC LIMIT ?)')
  const select = db.prepare('SELECT text FROM full_texts WHERE call_id = ?')
  return {
    save(callId: string, text: string): void {
      insert.run(callId, Date.now(), text)
      prune.run(kept)
    },
    load(callId: string): string | undefined {
      const row = select.get(callId)
      return row ? String(row.text) : undefined
    },
  }
}
