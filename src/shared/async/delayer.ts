/**
 * Runs a task after a delay, once for all calls meanwhile. `start` keeps the time of a waiting task, so that steady calls
 * cannot put it off; `restart` waits for a pause.
 */
export class Delayer {
  readonly #task: () => unknown
  readonly #delayMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param delayMs delay in milliseconds of calls that name none */
  constructor(task: () => unknown, delayMs = 0) {
    this.#task = task
    this.#delayMs = delayMs
  }

  get isWaiting(): boolean {
    return this.#timer !== undefined
  }

  /** Runs the task after the delay. Does nothing if it waits already. */
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
