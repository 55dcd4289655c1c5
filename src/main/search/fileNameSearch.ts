import { setImmediate as nextTurn } from 'node:timers/promises'
import { Smallest } from '../base/smallestOf.ts'
import type { Workspace } from '../workspace/containment.ts'
import { listFiles } from './fileSearch.ts'
import { pathScore, preparePathQuery } from './pathScore.ts'
import { withoutDependencies } from './globs.ts'
import { checkCancelled, searchRuns } from './searchScope.ts'
import { createRipgrep, withoutOwnData } from './ripgrep.ts'
import { compareCodeUnits } from '../base/nameOrder.ts'

/** Fuzzy search for files by the letters of their paths. */
export interface FileNameSearch {
  /**
   * Returns paths relative to the workspace, best match first. An empty query returns the first paths by name.
   * @param limit maximum number of paths
   * @param isShown default: all files
   * @throws ToolError `cancelled`
   */
  find(query: string, limit: number, signal: AbortSignal, isShown?: (path: string) => boolean): Promise<string[]>
  /**
   * Returns for each path the only file whose path ends with it, by whole names; null if there is none or several.
   * @throws ToolError `cancelled`
   */
  endingWith(ends: readonly string[], signal: AbortSignal): Promise<(string | null)[]>
  /** Discards the names after changes on disk. The next search reads them again. */
  invalidate(): void
}

interface Scored {
  path: string
  score: number
}

/** Maximum number of names in memory. */
const maxNames = 500_000
/** Number of names scored before yielding to other work. */
const batchSize = 5000

/**
 * Creates a fuzzy search over a workspace's file names, as listed by ripgrep. Reads them on first use and after
 * `invalidate`.
 * @param options.rgPath another ripgrep binary, for tests
 */
export function createFileNameSearch(workspace: Workspace, options: { rgPath?: string } = {}): FileNameSearch {
  const deps = { workspace, ripgrep: withoutOwnData(workspace, createRipgrep(options.rgPath)) }
  let names: Promise<string[]> | undefined

  async function read(): Promise<string[]> {
    const found = new Smallest(maxNames, compareCodeUnits)
    // All waiting queries share one listing, so none of them may cancel it.
    const never = new AbortController().signal
    const runs = await searchRuns(workspace)
    for (const { ignoring, paths } of runs(['.']))
      await listFiles(deps, [...ignoring, ...withoutDependencies, '--', ...paths], never, (files) => {
        for (const file of files) if (!workspace.isOwnData(file.slice(2))) found.add(file.slice(2))
        return true
      })
    return found.sortedInParts()
  }

  function current(): Promise<string[]> {
    const reading = (names ??= read())
    // The failure rejects all waiting queries. The next query tries again.
    reading.catch(() => {
      if (names === reading) names = undefined
    })
    return reading
  }

  return {
    async find(query, limit, signal, isShown = () => true) {
      checkCancelled(signal)
      const paths = await current()
      checkCancelled(signal)
      const wanted = preparePathQuery(query)
      if (wanted === '') return firstOf(paths, limit, isShown)
      const found = new Smallest<Scored>(
        limit,
        (a, b) => b.score - a.score || a.path.length - b.path.length || compareCodeUnits(a.path, b.path),
      )
      for (let i = 0; i < paths.length; i += batchSize) {
        for (const path of paths.slice(i, i + batchSize)) {
          const score = pathScore(path, wanted)
          if (score > 0 && isShown(path)) found.add({ path, score })
        }
        await nextTurn()
        checkCancelled(signal)
      }
      return found.sorted().map(({ path }) => path)
    },
    async endingWith(ends, signal) {
      const byName = Map.groupBy(ends, (end) => end.slice(end.lastIndexOf('/') + 1))
      const found = new Map<string, string | null>()
      const paths = await current()
      for (let i = 0; i < paths.length; i += batchSize) {
        for (const path of paths.slice(i, i + batchSize))
          for (const end of byName.get(path.slice(path.lastIndexOf('/') + 1)) ?? [])
            if (path === end || path.endsWith(`/${end}`)) found.set(end, found.has(end) ? null : path)
        await nextTurn()
        checkCancelled(signal)
      }
      return ends.map((end) => found.get(end) ?? null)
    },
    invalidate() {
      names = undefined
    },
  }
}

/** Returns the first paths that are shown. */
function firstOf(paths: readonly string[], limit: number, isShown: (path: string) => boolean): string[] {
  const found: string[] = []
  for (const path of paths) {
    if (found.length === limit) break
    if (isShown(path)) found.push(path)
  }
  return found
}
