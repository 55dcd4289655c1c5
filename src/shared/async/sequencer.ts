type Task<T> = () => Promise<T>

/** Runs asynchronous tasks one at a time, in the order in which they are queued. */
export class Sequencer {
  #last: Promise<void> = Promise.resolve()

  /**
   * Runs a task after all tasks queued before it, even if some of them fail.
   * @returns the task's result. A failure rejects this promise only; later tasks still run.
   */
  async queue<T>(task: Task<T>): Promise<T> {
    const previous = this.#last
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    this.#last = ended
    await previous
    try {
      return await task()
    } finally {
      end()
    }
  }
}

/** Runs tasks with the same key one at a time, in order. Tasks with different keys run concurrently. */
export class SequencerByKey<Key> {
  readonly #queues = new Map<Key, { sequencer: Sequencer; pending: number }>()

  /** Number of keys with a running or waiting task. */
  get size(): number {
    return this.#queues.size
  }

  /** Like `Sequencer.queue`, among the tasks of one key. */
  async queue<T>(key: Key, task: Task<T>): Promise<T> {
    const queue = this.#queues.get(key) ?? { sequencer: new Sequencer(), pending: 0 }
    this.#queues.set(key, queue)
    queue.pending += 1
    try {
      return await queue.sequencer.queue(task)
    } finally {
      queue.pending -= 1
      if (queue.pending === 0) this.#queues.delete(key)
    }
  }
}
