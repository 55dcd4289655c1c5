/** Pauses after failures, so that a broken server does not get a request for each key. */
export interface FailurePauses {
  isPaused(): boolean
  failed(error: unknown): void
  succeeded(): void
}

interface FailureListeners {
  /** Called for the first of consecutive failures only. */
  onFailed(error: unknown): void
  onRecovered(): void
}

/** Pauses in milliseconds after consecutive failures. */
const pauses = [0, 0, 5000, 15_000, 60_000]

export function createFailurePauses({ onFailed, onRecovered }: FailureListeners): FailurePauses {
  let count = 0
  let until = 0
  return {
    isPaused: () => Date.now() < until,
    failed(error) {
      until = Date.now() + (pauses[count] ?? pauses.at(-1) ?? 0)
      count += 1
      if (count === 1) onFailed(error)
    },
    succeeded() {
      if (count > 0) onRecovered()
      count = 0
      until = 0
    },
  }
}
