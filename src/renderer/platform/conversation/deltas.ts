export interface Delta {
  text: string
  reasoning: string
}

/** Collects streamed text and hands it over once a frame, so that a burst of tokens costs one rendering. */
export interface DeltaBatcher {
  add(itemId: string, text: string, reasoning: string): void
  /** Hands over at once what is waiting, e.g. before an item is replaced by a newer state. */
  flush(): void
  /** Throws away what is waiting: a snapshot holds it already. */
  clear(): void
}

/** A hidden page gets no animation frames; its text then arrives a few times a second. */
const hiddenPageDelay = 250

/** Calls `task` in the next animation frame, or soon when the page is hidden. @returns how to call it off. */
export function nextFrame(task: () => void): () => void {
  if (document.visibilityState === 'hidden') {
    const timer = setTimeout(task, hiddenPageDelay)
    return () => clearTimeout(timer)
  }
  const frame = requestAnimationFrame(task)
  return () => cancelAnimationFrame(frame)
}

/**
 * @param apply gets everything that came since it was called last, by item.
 * @param schedule when to call it; a frame by default.
 */
export function createDeltaBatcher(
  apply: (deltas: ReadonlyMap<string, Delta>) => void,
  schedule: (task: () => void) => () => void = nextFrame,
): DeltaBatcher {
  let waiting = new Map<string, Delta>()
  let callOff: (() => void) | undefined

  function clear(): void {
    callOff?.()
    callOff = undefined
    waiting = new Map()
  }
  function flush(): void {
    const deltas = waiting
    clear()
    if (deltas.size > 0) apply(deltas)
  }
  return {
    add(itemId, text, reasoning) {
      const known = waiting.get(itemId)
      waiting.set(itemId, { text: (known?.text ?? '') + text, reasoning: (known?.reasoning ?? '') + reasoning })
      callOff ??= schedule(flush)
    },
    flush,
    clear,
  }
}
