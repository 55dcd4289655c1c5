import type { Tree } from './entries.ts'
import { scanWorkspace, type WatchedState } from './scanWorkspace.ts'
import { walkTree, type WalkDeps, type WalkResult } from './walkTree.ts'

/**
 * The latest scanned state of all files. Its stamps show which files are unchanged.
 * @param losses see `Blobs`
 */
export function createScannedState(losses: () => number) {
  let latest: Tree | undefined
  let began = -Infinity
  let time: number | undefined
  let lost: number | undefined
  return {
    tree: () => latest,
    /** Returns the state if its later changes are known, and all contents are still stored. */
    watched: (): WatchedState | undefined =>
      latest && time !== undefined && losses() === lost ? { tree: latest, time } : undefined,
    /** @param since when the scan began, if this is the state of that time or later */
    set(result: WalkResult, since = -Infinity) {
      latest = result.tree
      time = result.time
      lost = result.losses
      began = since
    },
    /** Returns the state if its scan began at a time or later. */
    after: (time: number) => (began >= time ? latest : undefined),
  }
}

/** Scans paths. Files that are unchanged since one of the earlier states are not read again. */
export function walkSince(
  deps: WalkDeps,
  earlier: readonly (Pick<Tree, 'get'> | undefined)[],
  scope: readonly string[] | undefined,
  watched: WatchedState | undefined,
): Promise<WalkResult> {
  const states = [...earlier, deps.before]
  const get = (place: string) => {
    for (const state of states) {
      const entry = state?.get(place)
      if (entry) return entry
    }
    return undefined
  }
  return scope ? walkTree({ ...deps, before: { get } }, scope) : scanWorkspace({ ...deps, before: { get } }, watched)
}
