/**
 * Runs asynchronous tasks one at a time and keeps only the newest pending one. For work that covers all earlier
 * requests, such as reloading a list.
 */
export class Throttler<T = void> {
  #running: Promise<T> | undefined
  #waiting: { task: () => Promise<T>; result: Promise<T> } | undefined

  /** The running task, if any. */
  get running(): Promise<T> | undefined {
    return this.#running
  }

  /**
   * Starts a task. While another one runs, the task waits for it and replaces a pending task.
   * @returns the result of the task, or of the one that replaced it
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
