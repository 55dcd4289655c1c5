import { compareCodeUnits } from '../../base/compareCodeUnits.ts'
import type { Checkpoints } from '../../history/checkpoints/checkpoints.ts'

type Tree = Awaited<ReturnType<Checkpoints['scan']>>
type Entry = Tree extends Map<string, infer Value> ? Value : never

/** Remembers how actions left the files that they overwrote, so that undoing one does not overwrite later work. */
export interface OverwrittenFiles {
  /** Called after an action. @param backup checkpoint of the files before it @param paths relative to the workspace */
  remember(backup: number, paths: readonly string[], signal: AbortSignal): Promise<void>
  /** Returns the files of a backup, and those of them that have changed since; undefined if the action is not known. */
  since(backup: number, signal: AbortSignal): Promise<{ paths: readonly string[]; changed: string[] } | undefined>
}

/** Maximum number of remembered actions. */
const maxRemembered = 100

export function createOverwrittenFiles(scan: Checkpoints['scan']): OverwrittenFiles {
  const states = new Map<number, { paths: readonly string[]; tree: Tree }>()
  return {
    async remember(backup, paths, signal) {
      states.set(backup, { paths, tree: await scan(paths, signal) })
      const [oldest] = states.keys()
      if (states.size > maxRemembered && oldest !== undefined) states.delete(oldest)
    },
    async since(backup, signal) {
      const state = states.get(backup)
      if (!state) return undefined
      const now = await scan(state.paths, signal)
      const changed = state.paths.filter((place) => stateOf(state.tree, place) !== stateOf(now, place))
      return { paths: state.paths, changed }
    },
  }
}

/** Returns a text that is equal for equal content of a path, and of what is below it. */
function stateOf(tree: Tree, place: string): string {
  const entries = [...tree].filter(([path]) => path === place || path.startsWith(`${place}/`))
  const sorted = entries.toSorted(([a], [b]) => compareCodeUnits(a, b))
  return JSON.stringify(sorted.map(([path, entry]) => [path, ...contentOf(entry)]))
}

/** Without times, which change when a file is written with the same content. */
function contentOf(entry: Entry): (string | number)[] {
  switch (entry.kind) {
    case 'file':
      return ['file', entry.hash, entry.mode]
    case 'link':
      return ['link', entry.target]
    default:
      return [entry.kind]
  }
}
