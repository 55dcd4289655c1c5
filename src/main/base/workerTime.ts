import type { Worker } from 'node:worker_threads'

/** A waiting worker is stopped after this multiple of its limit. */
const waitingFactor = 10

/**
 * Calls `overdue` when a worker has used too much processor time. Wall-clock time does not count, because a worker on a
 * busy machine makes little progress, except for a worker that only waits.
 * @param milliseconds limit of processor time
 * @returns stops the check
 */
export function limitWorkerTime(worker: Worker, milliseconds: number, overdue: () => void): () => void {
  const lastResort = performance.now() + milliseconds * waitingFactor
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function check(): void {
    // Rejects before the thread has started, and after its end, when the caller stops the check.
    worker.cpuUsage().then(
      ({ user, system }) => evaluate((user + system) / 1000),
      () => evaluate(0),
    )
  }

  function evaluate(spent: number): void {
    if (stopped) return
    const remaining = milliseconds - spent
    if (remaining <= 0 || performance.now() >= lastResort) overdue()
    // The rest cannot be used up sooner.
    else timer = setTimeout(check, Math.max(remaining, 50))
  }

  timer = setTimeout(check, milliseconds)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
