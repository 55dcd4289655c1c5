/** Lets what concerns the same key run one after another. */
export interface Locks {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Locks that live in this process and vanish when nobody waits for them. */
export function createLocks(): Locks {
  const last = new Map<string, Promise<unknown>>()
  return {
    async run(key, work) {
      const before = last.get(key)
      // A failure belongs to the caller before; here it only means that the turn is free.
      const turn = before ? before.then(work, work) : work()
      last.set(key, turn)
      try {
        return await turn
      } finally {
        if (last.get(key) === turn) last.delete(key)
      }
    },
  }
}
