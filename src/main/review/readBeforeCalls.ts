import type { FolderState, Observation } from './folderState.ts'
import type { CallOrigin } from './reviewTypes.ts'

/** Maximum duration of reading the folder before a call, in milliseconds. */
export const maxScanMs = 20_000
/** Maximum number of changed paths that are read one by one instead of scanning the folder. */
const maxStale = 500

interface ReadDeps {
  folder: FolderState
  /** Records what changed since the last observation. */
  record(observation: Observation): Promise<void>
  /** Whether all changes on disk are reported. */
  watched: boolean
}

/** Reads what changed before a call, as little of the folder as possible. */
export class ReadBeforeCalls {
  readonly #deps: ReadDeps
  /** Untracked paths that may have changed on disk since they were read; null for any path. */
  #stale: Set<string> | null = new Set()
  /** Turn of the last call with unknown paths. */
  #scannedTurn: string | null | undefined

  constructor(deps: ReadDeps) {
    this.#deps = deps
  }

  /** Reports a path that may have changed; null for any path. */
  changed(path: string | null): void {
    if (path === null) this.#stale = null
    else this.#stale?.add(path)
  }

  async read({ paths, turn, since }: Pick<CallOrigin, 'paths' | 'turn' | 'since'>): Promise<void> {
    const { folder, record, watched } = this.#deps
    const signal = AbortSignal.timeout(maxScanMs)
    if (paths) return record(await folder.observe(paths, signal))
    const stale = this.#stale
    // Without a window, changes by others during a turn are rare, and reading a large folder twice per command is slow.
    const known = folder.isComplete() && (watched || turn === this.#scannedTurn)
    this.#scannedTurn = turn
    const few = known && stale !== null && stale.size <= maxStale
    if (few && stale.size === 0) return
    // The checkpoint of the call may have read it just now.
    const observed = await folder.observe(few ? [...stale] : undefined, signal, since)
    this.#stale = new Set()
    await record(observed)
  }
}
