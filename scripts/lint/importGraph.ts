import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/**
 * Maps each source file to the files it imports, including type imports. Paths are relative to the root and use `/`.
 */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Reads the static and dynamic imports of files. Every import in this project includes the file extension. */
export function readImports(root: string, files: readonly string[]): ImportGraph {
  const known = new Set(files)
  return new Map(
    files.map((file) => {
      const path = join(root, file)
      const text = existsSync(path) ? withoutComments(readFileSync(path, 'utf8')) : ''
      const targets = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^'?]*)/g)].map(([, specifier = '']) =>
        posix.join(dirname(file), specifier),
      )
      return [file, [...new Set(targets)].filter((target) => known.has(target))]
    }),
  )
}

/** Returns the groups of files with circular imports (Tarjan's strongly connected components), each sorted by name. */
export function importCircles(graph: ImportGraph): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    low.set(file, order.get(file) ?? 0)
    open.push(file)
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next)
      if (open.includes(next)) low.set(file, Math.min(low.get(file) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(file) !== order.get(file)) return
    const group = open.splice(open.indexOf(file))
    if (group.length > 1 || graph.get(file)?.includes(file) === true) circles.push(group.toSorted())
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return circles
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
}
