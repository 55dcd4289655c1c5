import type { Worker } from 'node:worker_threads'

/**
 * Calls `overdue` when a worker has used too much processor time. Unlike wall-clock time, it does not depend on other
 * programs. A worker that only waits is never overdue.
 * @param milliseconds limit of processor time
 * @returns a function that stops the check
 */
export function limitWorkerTime(worker: Worker, milliseconds: number, overdue: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function check(): void {
    // Rejects before the thread has started and after it has ended, when the caller stops the check.
    worker.cpuUsage().then(
      ({ user, system }) => evaluate((user + system) / 1000),
      () => evaluate(0),
    )
  }

  function evaluate(spent: number): void {
    if (stopped) return
    const remaining = milliseconds - spent
    if (remaining <= 0) overdue()
    // The worker cannot use up the remaining time before this timer fires.
    else timer = setTimeout(check, Math.max(remaining, 50))
  }

  timer = setTimeout(check, milliseconds)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
