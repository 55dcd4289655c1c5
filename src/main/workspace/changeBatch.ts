import type { FileChange } from '../../shared/files/files.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Milliseconds between a batch's first event and its delivery. */
const batchTime = 75
/** Maximum number of paths in a batch. More are reported as an overflow. */
const maxBatch = 2000
export interface ChangeBatch {
  add(change: FileChange): void
  /** Drops the pending changes. */
  close(): void
}

/** Groups file events into batches with one entry per path, so that thousands of writes cause few messages. */
export function createChangeBatch(deliver: (changes: FileChange[], overflow: boolean) => void): ChangeBatch {
  const gathered = new Map<string, FileChange>()
  let overflow = false

  const delivery = new Delayer(() => {
    const changes = overflow ? [] : [...gathered.values()]
    const tooMany = overflow
    gathered.clear()
    overflow = false
    deliver(changes, tooMany)
  }, batchTime)

  return {
    add(change) {
      const before = gathered.get(change.path)
      if (!before && gathered.size >= maxBatch) overflow = true
      else gathered.set(change.path, before ? merge(before, change) : change)
      delivery.start()
    },
    close() {
      delivery.cancel()
    },
  }
}

/** Merges two events for one path into the event that describes their net effect. */
function merge(first: FileChange, second: FileChange): FileChange {
  if (first.change === 'deleted' && second.change === 'created' && first.directory === second.directory)
    return { ...second, change: 'changed' }
  if (first.change === 'created' && second.change === 'changed') return first
  return second
}
