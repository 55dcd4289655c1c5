import { isAbort } from '../../../shared/errors.ts'
import type { GitStatusSummary } from '../../../shared/git/git.ts'

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
  let running: Promise<GitStatusSummary> | undefined
  /** The read that starts when the running one has finished. */
  let next: Promise<GitStatusSummary> | undefined
  let timer: NodeJS.Timeout | undefined
  let lastDuration = 0

  async function run(): Promise<GitStatusSummary> {
    const start = performance.now()
    try {
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

  function begin(): Promise<GitStatusSummary> {
    const current = run().finally(() => {
      if (running === current) running = undefined
    })
    running = current
    return current
  }

  function now(): Promise<GitStatusSummary> {
    clearTimeout(timer)
    timer = undefined
    if (!running) return begin()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }

  return {
    latest: async () => known ?? running ?? now(),
    now,
    soon() {
      if (closed.signal.aborted || timer !== undefined) return
      // A slow repository is read at most a third of the time.
      const delay = Math.min(Math.max(minDelay, 2 * lastDuration), maxDelay)
      timer = setTimeout(() => {
        timer = undefined
        now().catch((error: unknown) => {
          if (!closed.signal.aborted && !isAbort(error)) onProblem(error)
        })
      }, delay)
    },
    async close() {
      clearTimeout(timer)
      closed.abort()
      await Promise.allSettled([running, next])
    },
  }
}
