import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { IndexStore } from './indexStore.ts'

/** What following an import asks of the workspace. Paths are relative to it. */
export interface ProjectFiles {
  exists(place: string): boolean
  /** Whether any file lies below a folder. */
  containsFiles(folder: string): boolean
  /** Files whose path ends with whole parts: `a/b.py` finds `src/a/b.py` and not `xa/b.py`. Sorted. */
  withSuffix(tail: string): string[]
  /** Keeps what a computation over files gave until the index changes. */
  cached<Value>(compute: () => Value): () => Value
  /** A reader of small files that says null for one that is not there or not readable so; each text is parsed once. */
  createReader<Parsed>(parse: (text: string) => Parsed): (place: string) => Parsed | null
}

/** Larger manifests are no manifests. */
const maxManifestSize = 256 * 1024

/** The files of an index. It lives in the index's own thread, so it may read synchronously. */
export function createProjectFiles(store: IndexStore, root: string): ProjectFiles {
  function cached<Value>(compute: () => Value): () => Value {
    let last: { changes: number; value: Value } | undefined
    return () => {
      if (last?.changes !== store.changes) last = { changes: store.changes, value: compute() }
      return last.value
    }
  }

  const pathsBySuffix = cached(() => new Map<string, string[]>())

  return {
    exists: (place) => store.file(place) !== undefined,
    containsFiles: (folder) => store.paths('instr(path, ?) = 1 LIMIT 1', `${folder}/`).length > 0,
    withSuffix(tail) {
      const before = pathsBySuffix().get(tail)
      if (before) return before
      const found = store.paths('path = ? OR substr(path, ?) = ? ORDER BY path', tail, -tail.length - 1, `/${tail}`)
      pathsBySuffix().set(tail, found)
      return found
    },
    cached,
    createReader<Parsed>(parse: (text: string) => Parsed) {
      const parsed = new Map<string, { hash: string; value: Parsed | null }>()
      return (place) => {
        const file = store.file(place)
        if (!file || file.size > maxManifestSize) return null
        const before = parsed.get(place)
        if (before && before.hash === file.hash) return before.value
        const value = readManifest(path.join(root, place), parse)
        parsed.set(place, { hash: file.hash, value })
        return value
      }
    },
  }
}

/** A manifest that is gone or malformed says nothing of where an import leads. */
function readManifest<Parsed>(absolute: string, parse: (text: string) => Parsed): Parsed | null {
  try {
    return parse(readFileSync(absolute, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null
    throw error
  }
}
