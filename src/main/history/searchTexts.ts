import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { inTransaction, statement } from './sqlStatement.ts'

/** Maximum number of searchable characters of a tool's output. */
const maxSearchedOutput = 20_000
/** Maximum number of items per transaction, and number of JSON characters after which it ends. */
const batchItems = 100
const batchCharacters = 1_000_000
/** Milliseconds between transactions, for other work in the main process. */
const pauseMs = 20

/** Returns the searchable text of an item: messages, tool names and tool output. */
export function searchText(item: ConversationItem): string {
  if (item.kind === 'tool') return [item.name, (item.result?.text ?? '').slice(0, maxSearchedOutput)].join('\n').trim()
  return item.kind === 'user' || item.kind === 'assistant' ? item.text : ''
}

/** SQL that makes `fillSearchTexts` update all stored items, including items from an earlier version. */
export const requestSearchTexts = `DELETE FROM search_backfill;
  INSERT INTO search_backfill (next_item, last_item) SELECT 0, max(rowid) FROM items HAVING count(*) > 0;`

/**
 * Adds tool output to the searchable text of items stored by an earlier version. `search_backfill` stores the progress,
 * so the work continues after a restart, and several processes can share it.
 * @returns number of changed items
 * @throws ToolError if the store is not usable. The next start continues
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

  /** @returns number of changed items */
  function runBatch(): number {
    // Read inside the transaction, because another process may have continued.
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
    total += inTransaction(db, runBatch)
    await pause(pauseMs)
  }
  return total
}

/** Returns the searchable text; undefined for invalid JSON, whose stored text stays unchanged. */
function textOf(json: string): string | undefined {
  try {
    // The cast is safe, because only conversationItems.ts writes the column, always from a ConversationItem.
    return searchText(JSON.parse(json) as ConversationItem)
  } catch {
    return undefined
  }
}
