import { isAbort } from '../../../shared/errors.ts'
import type { GitStatusSummary } from '../../../shared/git/git.ts'
import { Delayer } from '../../../shared/async/delayer.ts'
import { Throttler } from '../../../shared/async/throttler.ts'

export interface StatusRefresh {
  /** The latest status, or the first one once it has been read. */
  latest(): Promise<GitStatusSummary>
  /** Reads the status. The read starts after this call, so it includes everything that happened before. */
  now(): Promise<GitStatusSummary>
  /** Schedules a read of the status. Many calls cause one read. */
  soon(): void
  /** Stops reading. Resolves when no process runs. */
  close(): Promise<void>
}

interface StatusRefreshDeps {
  read(signal: AbortSignal): Promise<GitStatusSummary>
  onChanged(status: GitStatusSummary): void
  onProblem(error: unknown): void
}

/** Milliseconds between a change and the read that it causes. */
const minDelay = 250
const maxDelay = 10_000

/** Keeps a repository's status up to date with at most one process at a time. */
export function createStatusRefresh({ read, onChanged, onProblem }: StatusRefreshDeps): StatusRefresh {
  const closed = new AbortController()
  let known: GitStatusSummary | undefined
  let sent = ''
  const reads = new Throttler<GitStatusSummary>()
  const readLater = new Delayer(() =>
    now().catch((error: unknown) => {
      if (!closed.signal.aborted && !isAbort(error)) onProblem(error)
    }),
  )
  let lastDuration = 0

  async function run(): Promise<GitStatusSummary> {
    const start = performance.now()
    try {
      closed.signal.throwIfAborted()
      const status = await read(closed.signal)
      closed.signal.throwIfAborted()
      known = status
      const text = JSON.stringify(status)
      if (text !== sent) {
        sent = text
        onChanged(status)
      }
      return status
    } finally {
      lastDuration = performance.now() - start
    }
  }

  function now(): Promise<GitStatusSummary> {
    readLater.cancel()
    return reads.queue(run)
  }

  return {
    latest: async () => known ?? reads.running ?? now(),
    now,
    soon() {
      // A slow repository is read at most a third of the time.
      if (!closed.signal.aborted) readLater.start(Math.min(Math.max(minDelay, 2 * lastDuration), maxDelay))
    },
    async close() {
      closed.abort()
      // Rejects when nothing runs any more.
      await now().catch(() => undefined)
    },
  }
}
