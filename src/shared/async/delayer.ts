/**
 * Runs a task after a delay. Calls during the delay share one run. `start` does not postpone a pending run, so that
 * frequent calls cannot delay it forever; `restart` waits until the calls pause.
 */
export class Delayer {
  readonly #task: () => unknown
  readonly #delayMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param delayMs default delay in milliseconds */
  constructor(task: () => unknown, delayMs = 0) {
    this.#task = task
    this.#delayMs = delayMs
  }

  get isWaiting(): boolean {
    return this.#timer !== undefined
  }

  /** Runs the task after the delay. Does nothing if a run is already pending. */
  start(delayMs = this.#delayMs): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#task()
    }, delayMs)
  }

  /** Runs the task after the delay, counted from the last call. */
  restart(delayMs?: number): void {
    this.cancel()
    this.start(delayMs)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
