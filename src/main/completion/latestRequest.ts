/** Runs one request at a time. A new request cancels the previous one. */
export interface LatestRequest {
  /** @throws whatever `run` throws; AbortError if it was cancelled */
  start<T>(id: string, closed: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Cancels the request with this id, if it runs. */
  cancel(id: string): void
  cancelAny(): void
  /** Resolves when no request is running. */
  ended(): Promise<void>
}

export function createLatestRequest(): LatestRequest {
  let running: { id: string; controller: AbortController; ended: Promise<unknown> } | undefined
  return {
    async start(id, closed, run) {
      running?.controller.abort()
      const controller = new AbortController()
      const ended = run(AbortSignal.any([closed, controller.signal]))
      const own = { id, controller, ended }
      running = own
      try {
        return await ended
      } finally {
        if (running === own) running = undefined
      }
    },
    cancel(id) {
      if (running?.id === id) running.controller.abort()
    },
    cancelAny: () => running?.controller.abort(),
    async ended() {
      await running?.ended.catch(() => undefined)
    },
  }
}

/** Waits for a while. @throws AbortError */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(new DOMException('The suggestion was cancelled.', 'AbortError'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
