/**
 * Runs asynchronous tasks one at a time and keeps only the newest waiting one, for work that covers all earlier requests,
 * such as loading a list again.
 */
export class Throttler<T = void> {
  #running: Promise<T> | undefined
  #waiting: { task: () => Promise<T>; result: Promise<T> } | undefined

  /** The task that runs now, if any. */
  get running(): Promise<T> | undefined {
    return this.#running
  }

  /**
   * Starts a task, or lets it wait for the running one, in place of the task that waits.
   * @returns the result of the task, or of the one that takes its place
   */
  queue(task: () => Promise<T>): Promise<T> {
    if (this.#waiting) {
      this.#waiting.task = task
      return this.#waiting.result
    }
    if (!this.#running) return this.#run(task)
    const next = async (): Promise<T> => {
      await this.#running?.catch(() => undefined)
      const newest = this.#waiting?.task ?? task
      this.#waiting = undefined
      return this.#run(newest)
    }
    const result = next()
    this.#waiting = { task, result }
    return result
  }

  #run(task: () => Promise<T>): Promise<T> {
    return (this.#running = task().finally(() => {
      this.#running = undefined
    }))
  }
}
