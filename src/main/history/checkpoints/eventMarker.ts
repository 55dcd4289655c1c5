import { closeSync, futimesSync, mkdtempSync, openSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Time limit for the report of a change, in milliseconds, and number of attempts: a full queue drops the change. */
const maxReportMs = 500
const maxAttempts = 4

interface Marker {
  /**
   * Changes the file, once: a late report would count as the one of a later change.
   * @returns whether the change was reported in time
   */
  isReported(): Promise<boolean>
  close(): void
}

/**
 * Returns a function that waits until all events before its call have been processed. It changes a file that no other
 * program sees, whose event is in one queue with those of all watched files.
 * @returns how long the last attempt took, in milliseconds
 * @throws if events are not reported, and errors of the system
 */
export function createEventReport(): () => Promise<number> {
  let marker: Marker | undefined
  return async () => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      marker ??= createMarker()
      const changed = performance.now()
      if (await marker.isReported()) return performance.now() - changed
      marker.close()
      marker = undefined
    }
    throw new Error('The system does not report changes of files.')
  }
}

function createMarker(): Marker {
  const folder = mkdtempSync(path.join(tmpdir(), 'tizona-marker-'))
  let descriptor: number
  try {
    descriptor = openSync(path.join(folder, 'marker'), 'w')
  } finally {
    rmSync(folder, { recursive: true })
  }
  try {
    const watcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false })
    return {
      async isReported() {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        watcher.once('change', () => resolve(true))
        // After other work of this thread, the event may be waiting: events are read before `setImmediate`.
        const timer = setTimeout(() => setImmediate(() => resolve(false)), maxReportMs)
        futimesSync(descriptor, new Date(), new Date())
        return promise.finally(() => clearTimeout(timer))
      },
      close() {
        watcher.close()
        closeSync(descriptor)
      },
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}
