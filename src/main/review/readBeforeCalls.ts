import type { ChangeRecorder } from './changeRecorder.ts'
import type { FolderState } from './folderState.ts'
import type { CallOrigin } from './reviewTypes.ts'

/** Maximum duration of reading the folder before a call, in milliseconds. */
export const maxScanMs = 20_000
/** Maximum number of changed paths that are read one by one instead of scanning the folder. */
const maxStale = 500

interface ReadDeps {
  folder: FolderState
  recorder: ChangeRecorder
  /** Whether all changes on disk are reported. */
  watched: boolean
}

/** Reads what changed between two calls, as little of the folder as possible, and attributes it to the user. */
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

  async read({ paths, turn }: Pick<CallOrigin, 'paths' | 'turn'>): Promise<void> {
    const { folder, recorder, watched } = this.#deps
    const signal = AbortSignal.timeout(maxScanMs)
    if (paths) return recorder.recordUser((await folder.observe(paths, signal)).changes)
    const stale = this.#stale
    // Without a window, changes by others during a turn are rare, and reading a large folder twice per command is slow.
    const known = folder.isComplete() && (watched || turn === this.#scannedTurn)
    this.#scannedTurn = turn
    const few = known && stale !== null && stale.size <= maxStale
    if (few && stale.size === 0) return
    const { changes } = await folder.observe(few ? [...stale] : undefined, signal)
    this.#stale = new Set()
    await recorder.recordUser(changes)
  }
}
