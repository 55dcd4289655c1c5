import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { ConversationItem } from '../../shared/conversation.ts'
import { inWords, statement } from './sqlStatement.ts'

/** Characters of a tool's output that a search looks through. */
const maxSearchedOutput = 20_000
/** Items of one transaction, and characters of JSON after which it ends early. */
const batchItems = 100
const batchCharacters = 1_000_000
/** Milliseconds between two transactions, for everything else that main does. */
const pauseMs = 20

/** What a search over conversations looks at: what was said, which tools were called, and what they returned. */
export function searchText(item: ConversationItem): string {
  if (item.kind === 'tool') return [item.name, (item.result?.text ?? '').slice(0, maxSearchedOutput)].join('\n').trim()
  return item.kind === 'user' || item.kind === 'assistant' ? item.text : ''
}

/** Has the items that are stored now written anew by `fillSearchTexts`, e.g. those copied from a store of an earlier version. */
export const requestSearchTexts = `DELETE FROM search_backfill;
  INSERT INTO search_backfill (next_item, last_item) SELECT 0, max(rowid) FROM items HAVING count(*) > 0;`

/**
 * Writes the text that a search looks at for items that an earlier version stored, which left tools' output out. `search_backfill`
 * holds how far it came, so it goes on after a restart, and several processes can work at once.
 * @returns how many items were changed. Throws where the store cannot be used; the next start goes on
 */
export async function fillSearchTexts(db: DatabaseSync, signal: AbortSignal): Promise<number> {
  const progress = statement(db, 'SELECT next_item, last_item FROM search_backfill')
  const next = statement(
    db,
    'SELECT rowid, text, json FROM items WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT 1',
  )
  const update = statement(db, 'UPDATE items SET text = ? WHERE rowid = ?')
  const advance = statement(db, 'UPDATE search_backfill SET next_item = ?')
  const finish = statement(db, 'DELETE FROM search_backfill')

  /** @returns items changed */
  function runBatch(): number {
    // Read inside the transaction: another process may have gone on.
    const state = progress.get()
    if (!state) return 0
    let changed = 0
    let characters = 0
    let at = Number(state.next_item)
    for (let count = 0; count < batchItems && characters < batchCharacters; count += 1) {
      const row = next.get(at, state.last_item ?? 0)
      if (!row) {
        finish.run()
        return changed
      }
      at = Number(row.rowid)
      const json = String(row.json)
      characters += json.length
      const text = textOf(json)
      if (text === undefined || text === row.text) continue
      update.run(text, at)
      changed += 1
    }
    advance.run(at)
    return changed
  }

  let total = 0
  while (!signal.aborted && progress.get()) {
    inWords(() => db.exec('BEGIN IMMEDIATE'))
    try {
      total += runBatch()
      inWords(() => db.exec('COMMIT'))
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
    await pause(pauseMs)
  }
  return total
}

/** undefined for JSON that cannot be read, whose text stays as it is. */
function textOf(json: string): string | undefined {
  try {
    // Only history/conversations.ts writes the column, and always from a ConversationItem.
    return searchText(JSON.parse(json) as ConversationItem)
  } catch {
    return undefined
  }
}
