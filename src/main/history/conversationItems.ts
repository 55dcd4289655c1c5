import type { DatabaseSync } from 'node:sqlite'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { searchText } from './searchTexts.ts'
import { inTransaction, statement } from './sqlStatement.ts'

/** Stored items of conversations. */
export interface ConversationItems {
  items(id: string): ConversationItem[]
  /** Appends an item, or replaces the one with the same id in place. */
  saveItem(id: string, item: ConversationItem): void
  /** Saves all of the items or none. */
  saveItems(id: string, items: readonly ConversationItem[]): void
  /** Deletes an item and all that follow it. */
  truncate(id: string, fromItemId: string): void
}

export function createConversationItems(db: DatabaseSync): ConversationItems {
  const selectItems = statement(db, 'SELECT json FROM items WHERE conversation_id = ? ORDER BY position')
  const upsertItem = statement(
    db,
    `INSERT INTO items (conversation_id, id, position, text, json)
     VALUES (?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM items WHERE conversation_id = ?1), ?3, ?4)
     ON CONFLICT (conversation_id, id) DO UPDATE SET text = excluded.text, json = excluded.json`,
  )
  const removeFrom = statement(
    db,
    'DELETE FROM items WHERE conversation_id = ?1 AND position >= (SELECT position FROM items WHERE conversation_id = ?1 AND id = ?2)',
  )
  const selectUndone = statement(db, 'SELECT 1 FROM edits WHERE id = ? AND undone = 1')

  /** Marks undone edits, because an edit may be undone while its conversation is not loaded. */
  function withUndone(item: ConversationItem): ConversationItem {
    if (item.kind !== 'tool' || item.undone || item.result?.view.kind !== 'diff') return item
    const { editId } = item.result.view
    return editId !== undefined && selectUndone.get(editId) ? { ...item, undone: true } : item
  }

  const saveItem = (id: string, item: ConversationItem): void =>
    void upsertItem.run(id, item.id, searchText(item), JSON.stringify(item))

  return {
    // The cast is safe, because only this file writes the column, always from a ConversationItem.
    items: (id) => selectItems.all(id).map((row) => withUndone(JSON.parse(String(row.json)) as ConversationItem)),
    saveItem,
    saveItems(id, items) {
      if (items.length === 1 && items[0]) return saveItem(id, items[0])
      return inTransaction(db, () => items.forEach((item) => saveItem(id, item)))
    },
    truncate: (id, fromItemId) => void removeFrom.run(id, fromItemId),
  }
}
