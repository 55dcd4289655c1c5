import type { Worker } from 'node:worker_threads'

/** A thread that waits instead of working is ended after so many times its limit. */
const waitingFactor = 10

/**
 * Calls `overdue` once a worker has used so much processor time. On a busy machine the clock runs on while nothing is done, so it does not
 * count, except against a worker that only waits.
 * @param milliseconds of processor time
 * @returns ends the watch
 */
export function limitWorkerTime(worker: Worker, milliseconds: number, overdue: () => void): () => void {
  const lastResort = performance.now() + milliseconds * waitingFactor
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function look(): void {
    // It is refused before the thread is up, and after its end, when the caller stops the watch.
    worker.cpuUsage().then(
      ({ user, system }) => judge((user + system) / 1000),
      () => judge(0),
    )
  }

  function judge(spent: number): void {
    if (stopped) return
    const left = milliseconds - spent
    if (left <= 0 || performance.now() >= lastResort) overdue()
    // It cannot use up what is left any sooner.
    else timer = setTimeout(look, Math.max(left, 50))
  }

  timer = setTimeout(look, milliseconds)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
