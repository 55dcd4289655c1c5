import type { FolderState, Observation } from './folderState.ts'
import type { CallOrigin } from './reviewTypes.ts'

/** Maximum milliseconds of reading the folder before a call. */
export const maxScanMs = 20_000
/** Maximum number of changed paths read individually instead of scanning the folder. */
const maxStale = 500

interface ReadDeps {
  folder: FolderState
  /** Records what changed since the last observation. */
  record(observation: Observation): Promise<void>
  /** Whether all changes on disk are reported. */
  watched: boolean
}

/** Reads what changed before a call, scanning as little of the folder as possible. */
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
    const few = stale !== null && stale.size <= maxStale ? [...stale] : undefined
    // Collects changes from now on, which may be read before they happen.
    this.#stale = new Set()
    try {
      // The call's checkpoint may have read it just now, but some paths before they changed.
      if (!known || !few) await record(await folder.observe(undefined, signal, few && since))
      if (few && few.length > 0) await record(await folder.observe(few, signal))
    } catch (error) {
      if (stale === null) this.#stale = null
      else for (const path of stale) this.changed(path)
      throw error
    }
  }
}
