import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { readTextInPlaceSync } from '../../base/heldFolder.ts'
import type { IndexStore } from './indexStore.ts'

/** Workspace access for resolving imports. Paths are relative to the workspace. */
export interface ImportFiles {
  exists(place: string): boolean
  /** Whether a folder contains files at any depth. */
  containsFiles(folder: string): boolean
  /** Returns the paths that end with whole segments, sorted: `a/b.py` matches `src/a/b.py` but not `xa/b.py`. */
  withSuffix(tail: string): string[]
  /** Caches a computed value until the index changes. */
  cached<Value>(compute: () => Value): () => Value
  /** Returns a cached parser for small files. The parser returns null if the file is missing or malformed. */
  createReader<Parsed>(parse: (text: string) => Parsed): (place: string) => Parsed | null
}

/** Maximum size of a manifest in bytes. */
const maxManifestSize = 256 * 1024

/** Accesses files through the index. Synchronous, because it runs in the index process. */
export function createImportFiles(store: IndexStore, workspace: WorkspaceRoots): ImportFiles {
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
        const value = readManifest(absoluteIn(workspace, place), parse)
        parsed.set(place, { hash: file.hash, value })
        return value
      }
    },
  }
}

/** Returns null for a missing or malformed manifest; imports are then resolved without it. */
function readManifest<Parsed>(absolute: string, parse: (text: string) => Parsed): Parsed | null {
  try {
    return parse(readTextInPlaceSync(absolute))
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null
    throw error
  }
}
