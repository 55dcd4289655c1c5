import { symbolBits } from './indexSchema.ts'
import type { ReferenceRow } from './indexRows.ts'
import { nameHash } from './contentRows.ts'
import { decodeReferences, kindBits } from './referenceCodec.ts'
import type { StatementCache } from './statementCache.ts'
import { edgeKinds, type EdgeKind } from './symbolTypes.ts'

/** Reads references from the database. */
export interface ReferenceReader {
  /** Returns the references of a file in text order. */
  inFile(file: number): readonly ReferenceRow[]
  /** Yields the references to a name, one file at a time, ordered by path. @param kinds default: all */
  toName(name: string, kinds?: readonly EdgeKind[]): Iterable<ReferenceRow[]>
  /** Call this when the references of a file change. */
  forget(file: number): void
}

/** Number of files whose references are cached. A resolution reads the same file many times. */
const maxCachedFiles = 200

type FileOfReferences = Pick<ReferenceRow, 'file' | 'path' | 'language'>

export function createReferenceReader(sql: StatementCache): ReferenceReader {
  const cache = new Map<number, readonly ReferenceRow[]>()
  // Tables are STRICT and columns match the type, so the cast is safe.
  const filesWhere = (where: string, ...values: number[]): FileOfReferences[] =>
    sql(`SELECT f.id AS file, f.path, f.language FROM files f ${where}`).all(...values) as unknown as FileOfReferences[]

  function read(file: FileOfReferences, name?: string): ReferenceRow[] {
    const bytes = sql('SELECT bytes FROM refs WHERE file = ?').get(file.file)?.bytes
    return bytes instanceof Uint8Array ? rowsOf(file, bytes, name) : []
  }

  return {
    inFile(file) {
      const known = cache.get(file)
      if (known) return known
      const [stored] = filesWhere('WHERE f.id = ?', file)
      const found = stored ? read(stored) : []
      const [oldest] = cache.keys()
      if (cache.size >= maxCachedFiles && oldest !== undefined) cache.delete(oldest)
      cache.set(file, found)
      return found
    },
    *toName(name, kinds = edgeKinds) {
      const files = filesWhere(
        'JOIN mentions m ON m.file = f.id WHERE m.hash = ? AND m.kinds & ? ORDER BY f.path',
        nameHash(name),
        kindBits(kinds),
      )
      for (const file of files) {
        const found = read(file, name).filter(({ kind }) => kinds.includes(kind))
        // Another name can have the same hash.
        if (found.length > 0) yield found
      }
    },
    forget: (file) => void cache.delete(file),
  }
}

function rowsOf({ file, path, language }: FileOfReferences, bytes: Uint8Array, name?: string): ReferenceRow[] {
  return decodeReferences(bytes, name).map(({ place, reference: { from, ...reference } }) => ({
    id: file * 2 ** symbolBits + place,
    file,
    path,
    language,
    symbol: from === null ? null : file * 2 ** symbolBits + from,
    ...reference,
  }))
}
