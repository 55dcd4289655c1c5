import { plural } from '../../shared/text/plural.ts'
import { Delayer } from '../../shared/async/delayer.ts'
/** Minimum interval of batches in milliseconds. */
const batchMs = 16
/** Maximum burst and batch size in UTF-16 units (4 MiB/s). More is unreadable and would overload the window. */
const burst = 1024 * 1024
const batchSize = 64 * 1024

/** Batches a program's output for the panel. */
export interface OutputBatches {
  add(data: string): void
  /** Passes on the pending output immediately. */
  flush(): void
}

/**
 * Batches a program's output without slowing the program down: output that arrives too fast is skipped with a note, and
 * only the end of each batch is kept, so memory stays bounded.
 * @param onBatch receives each raw batch, including empty ones
 */
export function createOutputBatches(onBatch: (data: string) => void): OutputBatches {
  let parts: string[] = []
  let length = 0
  let skipped = 0
  const flushing = new Delayer(flush, batchMs)
  /** Number of characters that could be passed on at `allowedAt`. Grows with time up to `burst`. */
  let allowance = burst
  let allowedAt = performance.now()

  /** Keeps the end, starting at a line start, so that no escape sequence is incomplete. */
  function truncate(limit: number): void {
    if (length <= limit) return
    const all = parts.join('')
    const end = all.slice(-limit)
    const kept = end.slice(end.indexOf('\n') + 1)
    skipped += all.length - kept.length
    parts = [kept]
    length = kept.length
  }

  function flush(): void {
    flushing.cancel()
    const now = performance.now()
    allowance = Math.min(burst, allowance + ((now - allowedAt) * batchSize) / batchMs)
    allowedAt = now
    truncate(Math.max(batchSize, Math.floor(allowance)))
    allowance = Math.max(0, allowance - length)
    const data = (skipped > 0 ? skippedMark(skipped) : '') + parts.join('')
    parts = []
    length = 0
    skipped = 0
    onBatch(data)
  }

  return {
    add(data) {
      parts.push(data)
      length += data.length
      if (length > 2 * burst) truncate(burst)
      flushing.start()
    },
    flush,
  }
}

/** Returns a dimmed note on its own line, whatever color the program has set. */
function skippedMark(characters: number): string {
  return `\r\n\u001b[0;2m[… ${plural(characters, 'character')} skipped: output too fast …]\u001b[0m\r\n`
}
