import { Sequencer } from '../../../shared/async/sequencer.ts'
import { isWithin, type Entry, type Tree } from './entries.ts'
import type { BlobBatch } from './packWriter.ts'
import { parentFolders } from '../../base/parentFolders.ts'
import { scanWorkspace, type WatchedState } from './scanWorkspace.ts'
import { walkTree, type WalkDeps, type WalkResult } from './walkTree.ts'

/** State of a path before it changed, including everything inside a folder. */
interface Pin {
  path: string
  tree: Tree
}

/** The tree when a scan began, for the checkpoint. */
export interface BackgroundResult extends WalkResult {
  /** What the scan read; `time` belongs to this state. Includes some changes made during the scan. */
  read: WalkResult
}

/** A scan of the whole workspace, during which known paths may change. */
export interface BackgroundScan {
  /**
   * Settles when every folder has been read. The tree contains the earlier state of paths that changed in the meantime.
   */
  readonly done: Promise<BackgroundResult>
  /** Start time by `performance.now()`. */
  readonly since: number
  /** Number of entries read so far. */
  readonly tree: Pick<Tree, 'get' | 'size'>
  /** Blobs of these entries, some of which are not stored yet. */
  readonly contents: BlobBatch
  /** Whether `done` has settled. */
  settled(): boolean
  /** Records the current state of paths before they change. A path that is already recorded keeps its first state. */
  pin(paths: readonly string[]): Promise<void>
  /** Returns the recorded paths and a tree with their states. */
  pinned(): { paths: string[]; tree: Tree }
}

export interface BackgroundScanDeps extends WalkDeps {
  /** An earlier state whose later changes are known. */
  earlier?: WatchedState
  contents: BlobBatch
  /** Stores the blobs of single paths, which must not wait for the blobs of the scan. */
  batch(): BlobBatch
}

/** Starts a scan. @param deps `signal` cancels it */
export function startBackgroundScan(deps: BackgroundScanDeps): BackgroundScan {
  const tree: Tree = new Map()
  const pins: Pin[] = []
  const pinning = new Sequencer()
  let settled = false

  async function scan(): Promise<BackgroundResult> {
    try {
      const read = await scanWorkspace(deps, deps.earlier, tree)
      // Waits for recordings in progress, because the scan may have read those paths after a change.
      await pinning.queue(async () => undefined)
      return { ...read, tree: withPins(read.tree, pins), read }
    } finally {
      settled = true
    }
  }

  async function pin(path: string): Promise<void> {
    if (pins.some((known) => isWithin(path, [known.path]))) return
    const found = (await walkTree({ ...deps, contents: deps.batch() }, [path])).tree
    // Records a missing folder instead of a path inside it, because creating the path creates the folder.
    const missing = parentFolders(path).find((parent) => found.get(parent)?.kind !== 'folder')
    pins.push({ path: missing ?? path, tree: found })
  }

  const since = performance.now()
  const done = scan()
  // Avoids an unhandled rejection. Callers that need the result handle the error.
  done.catch(() => undefined)
  return {
    done,
    since,
    tree,
    contents: deps.contents,
    settled: () => settled,
    pin: (paths) =>
      pinning.queue(async () => {
        for (const path of paths) await pin(path)
      }),
    pinned: () => ({ paths: pins.map(({ path }) => path), tree: withPins(new Map(), pins) }),
  }
}

/** Returns a tree in which each recorded path has its first recorded state. */
function withPins(scanned: Tree, pins: readonly Pin[]): Tree {
  if (pins.length === 0) return scanned
  const pinnedPaths = new Set<string>()
  const isPinned = (place: string) =>
    pinnedPaths.has(place) || parentFolders(place).some((parent) => pinnedPaths.has(parent))
  const states: [string, Entry][] = []
  const parents: [string, Entry][] = []
  for (const pin of pins) {
    for (const [place, entry] of pin.tree) {
      if (!isWithin(place, [pin.path])) parents.push([place, entry])
      else if (!isPinned(place)) states.push([place, entry])
    }
    pinnedPaths.add(pin.path)
  }
  const tree: Tree = new Map([...scanned].filter(([place]) => !isPinned(place)))
  for (const [place, entry] of states) tree.set(place, entry)
  for (const [place, entry] of parents) if (!tree.has(place)) tree.set(place, entry)
  // The hash of a folder with an earlier state belongs to this tree.
  for (const [place, entry] of tree) if (entry.kind === 'folder') tree.set(place, { ...entry, hash: '' })
  return tree
}
