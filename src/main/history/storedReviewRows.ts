import type { DatabaseSync } from 'node:sqlite'
import { inTransaction, statement } from './sqlStatement.ts'

/**
 * Kinds of stored review data. The key is a path for `file`, a number for `action`, a checkpoint for `restore` and a
 * name for `state`.
 */
export type ReviewRowKind = 'file' | 'action' | 'restore' | 'state'

export interface ReviewRow {
  key: string
  /** Time of the last change in milliseconds since the epoch. */
  at: number
  json: string
}

/** The stored reviews of one workspace. The values are JSON. */
export interface ReviewRows {
  get(kind: ReviewRowKind, key: string): string | undefined
  /** Returns the rows of a kind, sorted by key. */
  all(kind: ReviewRowKind): ReviewRow[]
  set(kind: ReviewRowKind, key: string, json: string): void
  remove(kind: ReviewRowKind, key: string): void
  /** Makes several changes in one transaction. */
  inTransaction(act: () => void): void
}

/**
 * @param renamed names that the folders of a multi-root workspace had before, with the present ones. Rows with paths that
 * begin with the old name are read as if they had the new one, and get it with their next change.
 */
export function createReviewRows(
  db: DatabaseSync,
  workspace: string,
  renamed: Readonly<Record<string, string>> = {},
): ReviewRows {
  const former = Object.entries(renamed)
  const moved = (path: string): string => {
    const found = former.find(([old]) => path === old || path.startsWith(`${old}/`))
    return found ? found[1] + path.slice(found[0].length) : path
  }
  /** Keys of a row that another name of the folder left behind. */
  const formerKeys = (kind: ReviewRowKind, key: string): string[] =>
    kind === 'file'
      ? former.flatMap(([old, now]) => (key.startsWith(`${now}/`) ? [`${old}${key.slice(now.length)}`] : []))
      : []
  const movedJson = (json: string): string => (former.length === 0 ? json : withMovedPaths(json, moved))
  const select = statement(db, 'SELECT json FROM review_state WHERE workspace = ? AND kind = ? AND key = ?')
  const selectAll = statement(
    db,
    'SELECT key, at, json FROM review_state WHERE workspace = ? AND kind = ? ORDER BY key',
  )
  const upsert = statement(
    db,
    `INSERT INTO review_state (workspace, kind, key, at, json) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at, json = excluded.json`,
  )
  const remove = statement(db, 'DELETE FROM review_state WHERE workspace = ? AND kind = ? AND key = ?')
  return {
    get(kind, key) {
      const row = [key, ...formerKeys(kind, key)].map((each) => select.get(workspace, kind, each)).find(Boolean)
      return row && movedJson(String(row.json))
    },
    all(kind) {
      const rows = selectAll.all(workspace, kind).map(({ key, at, json }) => ({
        key: kind === 'file' ? moved(String(key)) : String(key),
        at: Number(at),
        json: movedJson(String(json)),
      }))
      if (former.length === 0) return rows
      // The folder may have had changes under both names.
      const latest = new Map<string, ReviewRow>()
      for (const row of rows) if ((latest.get(row.key)?.at ?? 0) <= row.at) latest.set(row.key, row)
      return [...latest.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1))
    },
    set(kind, key, json) {
      upsert.run(workspace, kind, key, Date.now(), json)
      for (const old of formerKeys(kind, key)) remove.run(workspace, kind, old)
    },
    remove(kind, key) {
      for (const each of [key, ...formerKeys(kind, key)]) remove.run(workspace, kind, each)
    },
    inTransaction: (act) => inTransaction(db, act),
  }
}

/** Names of the fields that hold workspace paths. */
const pathFields = new Set(['path', 'paths', 'newFolders', 'renamedFrom', 'from'])

function withMovedPaths(json: string, moved: (path: string) => string): string {
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string') return moved(part)
    return Array.isArray(part) ? part.map(replace) : part
  }
  return JSON.stringify(JSON.parse(json, (key, part: unknown) => (pathFields.has(key) ? replace(part) : part)))
}
