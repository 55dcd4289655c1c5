import { setImmediate as nextTurn } from 'node:timers/promises'
import { Smallest } from '../base/smallestOf.ts'
import type { Workspace } from '../workspace/containment.ts'
import { listFiles } from './fileSearch.ts'
import { pathScore, preparePathQuery } from './pathScore.ts'
import { withoutDependencies } from './globs.ts'
import { ignoreFlags } from './ignoreFlags.ts'
import { createRipgrep } from './ripgrep.ts'
import { byText, checkCancelled } from './searchScope.ts'

/** Finds files by a few letters of their name. */
export interface FileNames {
  /**
   * Paths relative to the workspace, best first; for an empty query the first ones by name. Throws `cancelled`.
   * @param limit how many at most
   */
  find(query: string, limit: number, signal: AbortSignal): Promise<string[]>
  /** Something changed on disk: the next search reads the names again. */
  invalidate(): void
}

interface Scored {
  path: string
  score: number
}

/** More names than this are not kept. */
const maxNames = 500_000
/** Names weighed before other work gets its turn. */
const slice = 5000

/**
 * The names of a workspace's files as ripgrep lists them, read when first needed and again after `invalidate`.
 * @param options another ripgrep, for tests
 */
export function createFileNames(workspace: Workspace, options: { rgPath?: string } = {}): FileNames {
  const parts = { workspace, ripgrep: createRipgrep(options.rgPath) }
  let names: Promise<string[]> | undefined

  async function read(): Promise<string[]> {
    const found = new Smallest(maxNames, byText)
    // One reading serves every waiting query, so none of them may cancel it; it ends by itself within moments.
    const never = new AbortController().signal
    await listFiles(
      parts,
      [...(await ignoreFlags(workspace.root)), ...withoutDependencies, '--', './'],
      never,
      (files) => {
        for (const file of files) found.add(file.slice(2))
        return true
      },
    )
    return found.sorted()
  }

  function current(): Promise<string[]> {
    const reading = (names ??= read())
    // A failure is told to those who wait and tried again by the next.
    reading.catch(() => {
      if (names === reading) names = undefined
    })
    return reading
  }

  return {
    async find(query, limit, signal) {
      checkCancelled(signal)
      const paths = await current()
      checkCancelled(signal)
      const wanted = preparePathQuery(query)
      if (wanted === '') return paths.slice(0, limit)
      const found = new Smallest<Scored>(
        limit,
        (a, b) => b.score - a.score || a.path.length - b.path.length || byText(a.path, b.path),
      )
      for (let i = 0; i < paths.length; i += slice) {
        for (const path of paths.slice(i, i + slice)) {
          const score = pathScore(path, wanted)
          if (score > 0) found.add({ path, score })
        }
        await nextTurn()
        checkCancelled(signal)
      }
      return found.sorted().map(({ path }) => path)
    },
    invalidate() {
      names = undefined
    },
  }
}
