import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createEngine, type IndexEngine } from '../code/process/indexEngine.ts'
import type { Edge } from '../code/resolve/callGraph.ts'
import type { EdgeKind } from '../code/index/symbolTypes.ts'

const grammars = fileURLToPath(new URL('../../../resources/grammars', import.meta.url))

/** Returns the edges of the symbol `id` as lines: `direction file:line resolved|name symbol`. */
export type EdgesOf = (id: string, kind: EdgeKind) => Promise<string[]>

/** Indexes files in a temporary folder and calls `use` with the engine. */
export async function withEngine<T>(
  files: Readonly<Record<string, string>>,
  use: (engine: IndexEngine) => T | Promise<T>,
): Promise<T> {
  const folder = await temporaryFolder(files)
  const data = await temporaryFolder()
  const engine = createEngine({
    root: folder.root,
    database: path.join(data.root, 'index.db'),
    grammars,
    onNotice: (notice) => expect.unreachable(notice),
  })
  try {
    await engine.refresh(Object.keys(files))
    return await use(engine)
  } finally {
    await engine.close()
    await Promise.all([folder.remove(), data.remove()])
  }
}

/** Indexes files in a temporary folder and calls `check` with a function that returns their edges. */
export const graphOf = (
  files: Readonly<Record<string, string>>,
  check: (edgesOf: EdgesOf) => Promise<void>,
): Promise<void> =>
  withEngine(files, (engine) =>
    check(async (id, kind) => {
      const found = await engine.graph({ id, kind, limit: 100 })
      if (!found) throw new Error(`There is no symbol ${id}.`)
      return found.edges.map(lineOf)
    }),
  )

const lineOf = ({ direction, path: file, line, resolved, symbol }: Edge): string =>
  `${direction === 'incoming' ? 'in' : 'out'} ${file}:${line} ${resolved ? 'resolved' : 'name'} ${symbol?.symbol_id ?? '-'}`
