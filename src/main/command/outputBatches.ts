import { plural } from '../../shared/plural.ts'
/** Output is handed on at most this often. */
const batchMs = 16
/** As much of it at once, and so much a batch for long (4 MiB/s): more than that nobody can read, and it would fill the window. */
const burst = 1024 * 1024
const batchSize = 64 * 1024

/** What a program writes, on its way to the panel. */
export interface OutputBatches {
  add(data: string): void
  /** Hands on what there is, now. */
  flush(): void
}

/**
 * Joins what a program writes to batches. It never makes the program wait: what comes faster than it can be shown is left
 * out with a mark, and of each batch the end is kept, so memory stays bounded.
 * @param hand is given each batch, raw, escape codes included; called for an empty one too.
 */
export function createOutputBatches(hand: (data: string) => void): OutputBatches {
  let parts: string[] = []
  let length = 0
  let skipped = 0
  let timer: NodeJS.Timeout | undefined
  /** How much may be handed on at `allowedAt`; it grows back with time. */
  let allowance = burst
  let allowedAt = performance.now()

  /** Keeps the end, from a line's beginning, so that no half escape sequence comes first. */
  function shorten(limit: number): void {
    if (length <= limit) return
    const all = parts.join('')
    const end = all.slice(-limit)
    const kept = end.slice(end.indexOf('\n') + 1)
    skipped += all.length - kept.length
    parts = [kept]
    length = kept.length
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const now = performance.now()
    allowance = Math.min(burst, allowance + ((now - allowedAt) * batchSize) / batchMs)
    allowedAt = now
    shorten(Math.max(batchSize, Math.floor(allowance)))
    allowance = Math.max(0, allowance - length)
    const data = (skipped > 0 ? skippedMark(skipped) : '') + parts.join('')
    parts = []
    length = 0
    skipped = 0
    hand(data)
  }

  return {
    add(data) {
      parts.push(data)
      length += data.length
      if (length > 2 * burst) shorten(burst)
      timer ??= setTimeout(flush, batchMs)
    },
    flush,
  }
}

/** On a line of its own, dimmed, whatever colour the program had set. */
function skippedMark(characters: number): string {
  return `\r\n\u001b[0;2m[… ${plural(characters, 'character')} came too fast to be shown here …]\u001b[0m\r\n`
}
