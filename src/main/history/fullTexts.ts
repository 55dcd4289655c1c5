import type { DatabaseSync } from 'node:sqlite'
import { createPruner, type Retention } from './pruneTable.ts'
import { statement } from './sqlStatement.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'

const megabyte = 1024 * 1024
/** Default limits. The oldest texts are deleted first. */
const defaultRetention: Retention = { rows: 300, bytes: 64 * megabyte }
/** Maximum bytes of a text. Longer ones are truncated in the middle. */
const maxBytes = 8 * megabyte

/** Stores the full text of results that were truncated for the model, so that the panel can show it. */
export function createFullTexts(db: DatabaseSync, retention: Retention = defaultRetention) {
  const insert = statement(db, 'INSERT OR REPLACE INTO full_texts (call_id, at, bytes, text) VALUES (?, ?, ?, ?)')
  const prune = createPruner(db, 'full_texts', retention)
  const select = statement(db, 'SELECT text FROM full_texts WHERE call_id = ?')
  return {
    /** Stores a text. If it exceeds 8 MB, replaces the middle with a line that states the omitted size. */
    save(callId: string, text: string): void {
      const fitting = truncateMiddle(text)
      insert.run(callId, Date.now(), Buffer.byteLength(fitting), fitting)
      prune()
    },
    load(callId: string): string | undefined {
      const row = select.get(callId)
      return row ? String(row.text) : undefined
    },
  }
}

function truncateMiddle(text: string): string {
  // A UTF-16 unit has at most three bytes, so most texts need not be encoded to check their size.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const bytes = Buffer.from(text)
  const head = bytes.subarray(0, characterStart(bytes, maxBytes / 2))
  const tail = bytes.subarray(characterStart(bytes, bytes.length - maxBytes / 2))
  const left = formatNumber(bytes.length - head.length - tail.length)
  return `${head.toString()}\n[… ${left} bytes omitted: a stored result is limited to 8 MB …]\n${tail.toString()}`
}

/** Returns the index of the first byte of the UTF-8 character that contains a byte. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1
  return start
}
