import type { DatabaseSync } from 'node:sqlite'
import { createPruner, type Retention } from './retention.ts'
import { statement } from './sqlStatement.ts'
import { formatNumber } from '../../shared/formatNumber.ts'

const megabyte = 1024 * 1024
/** How many shortened results are kept; the oldest go first. */
const kept: Retention = { rows: 300, bytes: 64 * megabyte }
/** Bytes of one text. Of a longer one the two ends are kept. */
const maxBytes = 8 * megabyte

/** Keeps the whole text of results that were shortened for the model, so that the panel can show all of it. */
export function createFullTexts(db: DatabaseSync, keep: Retention = kept) {
  const insert = statement(db, 'INSERT OR REPLACE INTO full_texts (call_id, at, bytes, text) VALUES (?, ?, ?, ?)')
  const prune = createPruner(db, 'full_texts', keep)
  const select = statement(db, 'SELECT text FROM full_texts WHERE call_id = ?')
  return {
    /** Of a text over 8 MB only beginning and end are kept, with a line between them that says so. */
    save(callId: string, text: string): void {
      const fitting = fit(text)
      insert.run(callId, Date.now(), Buffer.byteLength(fitting), fitting)
      prune()
    },
    load(callId: string): string | undefined {
      const row = select.get(callId)
      return row ? String(row.text) : undefined
    },
  }
}

function fit(text: string): string {
  // No text has more bytes than three times its UTF-16 units, so most need not be encoded to be measured.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const bytes = Buffer.from(text)
  const head = bytes.subarray(0, characterStart(bytes, maxBytes / 2))
  const tail = bytes.subarray(characterStart(bytes, bytes.length - maxBytes / 2))
  const left = formatNumber(bytes.length - head.length - tail.length)
  return `${head.toString()}\n[… ${left} bytes are not kept: a result is kept up to 8 MB …]\n${tail.toString()}`
}

/** Where the UTF-8 character begins that holds a byte. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1
  return start
}
