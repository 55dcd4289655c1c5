export interface Delta {
  text: string
  reasoning: string
}

/** Collects streamed text and applies it once per frame, so that a burst of tokens renders once. */
export interface DeltaBatcher {
  add(itemId: string, text: string, reasoning: string): void
  /** Applies pending text immediately, for example before a newer state replaces an item. */
  flush(): void
  /** Discards pending text, for example because a loaded snapshot contains it. */
  clear(): void
}

/** Milliseconds between updates of a hidden page, in which animation frames do not run. */
const hiddenPageDelay = 250

/**
 * Runs a task in the next animation frame, or after `hiddenPageDelay` if the page is hidden.
 * @returns a function that cancels it
 */
function nextFrame(task: () => void): () => void {
  if (document.visibilityState === 'hidden') {
    const timer = setTimeout(task, hiddenPageDelay)
    return () => clearTimeout(timer)
  }
  const frame = requestAnimationFrame(task)
  return () => cancelAnimationFrame(frame)
}

/**
 * @param apply receives the text since its last call, by item id
 * @param schedule schedules `apply`; default: the next frame
 */
export function createDeltaBatcher(
  apply: (deltas: ReadonlyMap<string, Delta>) => void,
  schedule: (task: () => void) => () => void = nextFrame,
): DeltaBatcher {
  let waiting = new Map<string, Delta>()
  let cancel: (() => void) | undefined

  function clear(): void {
    cancel?.()
    cancel = undefined
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
      cancel ??= schedule(flush)
    },
    flush,
    clear,
  }
}
