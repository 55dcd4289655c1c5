import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { statement } from './sqlStatement.ts'

export interface FoundConversation {
  row: Record<string, SQLOutputValue>
  /** Text around a match; undefined if only the title matches. */
  excerpt?: string
}

/** Maximum number of query words. Further words are ignored. */
const maxWords = 8
/** Maximum number of results. Each needs a query for its excerpt. */
const maxResults = 100
/** Maximum length of an excerpt before the match and in total, in UTF-16 units. */
const maxLead = 30
const maxExcerpt = 140

/**
 * Returns a function that finds conversations with all words of a query in titles, messages or tool names. Matches
 * inside longer words too, which a full-text index would not find.
 * @returns matches in titles first, then pinned conversations, then the latest; null for a query without words
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
     ORDER BY in_title DESC, pinned DESC, updated_at DESC, rowid DESC LIMIT ${maxResults}`,
  )
  /** Finds the item that contains the most words, or the latest of several such items. */
  const best = statement(
    db,
    `SELECT text, (SELECT count(*) FROM json_each(?2) word WHERE i.text LIKE word.value ESCAPE '\\') AS words FROM items i
     WHERE conversation_id = ?1 AND words > 0 ORDER BY words DESC, position DESC LIMIT 1`,
  )
  return (workspace, query) => {
    const words = query.split(/\s+/).filter(Boolean).slice(0, maxWords)
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

/** Returns one line of text around the first match. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const start = at <= maxLead ? 0 : at - maxLead
  const cut = text
    .slice(start, start + maxExcerpt)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + maxExcerpt < text.length ? '…' : ''}`
}
