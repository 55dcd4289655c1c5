import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { statement } from './sqlStatement.ts'

export interface FoundConversation {
  row: Record<string, SQLOutputValue>
  /** What was said around a word; absent where only the title has them. */
  excerpt?: string
}

/** More words than that narrow nothing down. */
const mostWords = 8
/** Conversations found; each costs a look for its excerpt. */
const mostFound = 100
/** Characters of an excerpt before the word and in all. */
const before = 30
const length = 140

/**
 * Looks for conversations that have all words of a query, wherever in title, messages or names of tools, also inside longer words.
 * Ten milliseconds for ten thousand items, and unlike a full-text index it finds parts of names.
 * @returns words in the title count more, then the latest come first; null for a query without a word
 */
export function createConversationSearch(
  db: DatabaseSync,
): (workspace: string, query: string) => FoundConversation[] | null {
  const find = statement(
    db,
    `SELECT *, (SELECT count(*) FROM json_each(?2) word WHERE c.title LIKE word.value ESCAPE '\\') AS in_title FROM conversations c
     WHERE workspace = ?1 AND NOT EXISTS (
       SELECT 1 FROM json_each(?2) word WHERE c.title NOT LIKE word.value ESCAPE '\\'
         AND NOT EXISTS (SELECT 1 FROM items i WHERE i.conversation_id = c.id AND i.text LIKE word.value ESCAPE '\\'))
     ORDER BY in_title DESC, pinned DESC, updated_at DESC, rowid DESC LIMIT ${mostFound}`,
  )
  /** The item that has most of the words, the latest of several. */
  const best = statement(
    db,
    `SELECT text, (SELECT count(*) FROM json_each(?2) word WHERE i.text LIKE word.value ESCAPE '\\') AS words FROM items i
     WHERE conversation_id = ?1 AND words > 0 ORDER BY words DESC, position DESC LIMIT 1`,
  )
  return (workspace, query) => {
    const words = query.split(/\s+/).filter(Boolean).slice(0, mostWords)
    if (words.length === 0) return null
    const patterns = JSON.stringify(
      words.map((word) => `%${word.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`),
    )
    return find.all(workspace, patterns).map((row) => {
      const text = best.get(String(row.id), patterns)?.text
      return typeof text === 'string' ? { row, excerpt: excerptOf(text, words) } : { row }
    })
  }
}

/** One line around the first of the words. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const start = at <= before ? 0 : at - before
  const cut = text
    .slice(start, start + length)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + length < text.length ? '…' : ''}`
}
