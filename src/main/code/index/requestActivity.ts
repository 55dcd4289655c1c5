import { setTimeout as delay } from 'node:timers/promises'

/** Tracks running requests, so that background indexing does not delay them. */
export interface RequestActivity {
  run<Result>(request: () => Promise<Result>): Promise<Result>
  /**
   * Resolves when no request has run for a while, because the steps of one question follow each other closely.
   * @param quietTime milliseconds without a request
   * @param maxWait milliseconds after which it resolves in any case
   * @param closing cancels waiting
   */
  quiet(quietTime: number, maxWait: number, closing: AbortSignal): Promise<void>
}

export function createRequestActivity(): RequestActivity {
  let running = 0
  let lastEnd = -Infinity
  return {
    async run(request) {
      running++
      try {
        return await request()
      } finally {
        running--
        lastEnd = performance.now()
      }
    },
    async quiet(quietTime, maxWait, closing) {
      const deadline = performance.now() + maxWait
      while (!closing.aborted) {
        const now = performance.now()
        const quietAt = (running > 0 ? now : lastEnd) + quietTime
        const wait = Math.min(quietAt, deadline) - now
        if (wait <= 0) return
        // Rejects only when `closing` is aborted.
        await delay(wait, undefined, { signal: closing }).catch(() => undefined)
      }
    },
  }
}
