import type { FileChange } from '../../shared/files.ts'

/** Milliseconds between the first event and the call that tells of it. Events are gathered, never dropped. */
const batchTime = 75
/** Paths in one batch; more is an overflow. */
const maxBatch = 2000
export interface ChangeBatch {
  add(change: FileChange): void
  /** What was gathered is dropped: nobody listens any more. */
  close(): void
}

/** Gathers events for a short while, one a path, so that a thousand writes are a few messages. */
export function createChangeBatch(deliver: (changes: FileChange[], overflow: boolean) => void): ChangeBatch {
  const gathered = new Map<string, FileChange>()
  let overflow = false
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    timer = undefined
    const changes = overflow ? [] : [...gathered.values()]
    const tooMany = overflow
    gathered.clear()
    overflow = false
    deliver(changes, tooMany)
  }

  return {
    add(change) {
      const before = gathered.get(change.path)
      if (!before && gathered.size >= maxBatch) overflow = true
      else gathered.set(change.path, before ? merge(before, change) : change)
      timer ??= setTimeout(flush, batchTime)
    },
    close() {
      clearTimeout(timer)
    },
  }
}

/** Two events of one path as the one that tells a listener how to get from before the first to after the second. */
function merge(first: FileChange, second: FileChange): FileChange {
  if (first.change === 'deleted' && second.change === 'created' && first.directory === second.directory)
    return { ...second, change: 'changed' }
  if (first.change === 'created' && second.change === 'changed') return first
  return second
}
