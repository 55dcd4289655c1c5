/** Maximum number of changed entries returned. Beyond it, listing folders is faster than checking the entries. */
const maxChanges = 100
/** Maximum number of remembered changes. */
const maxRemembered = 10_000

/** Remembers changed entries by logical time, not clock time. */
export interface ChangeLog {
  /** Returns the time of the latest change. */
  time(): number
  add(place: string): void
  /** Forgets all changes so far. */
  forget(): void
  /** Returns the entries changed since a time, plus `others`. Undefined if they are unknown or too many. */
  since(time: number, others: Iterable<string>): string[] | undefined
}

export function createChangeLog(): ChangeLog {
  /** Changed entries by the time of their latest change, in this order. */
  const changes = new Map<string, number>()
  // Later than all times of an earlier log.
  let time = Number(process.hrtime.bigint() / 1000n)
  /** Changes before this time are unknown. */
  let knownSince = time

  function forget(): void {
    changes.clear()
    knownSince = ++time
  }

  return {
    time: () => time,
    add(place) {
      changes.delete(place)
      changes.set(place, ++time)
      if (changes.size > maxRemembered) forget()
    },
    forget,
    since(earlier, others) {
      if (earlier < knownSince) return undefined
      const changed = new Set(others)
      for (const [place, at] of [...changes].toReversed()) {
        if (at <= earlier || changed.size > maxChanges) break
        changed.add(place)
      }
      return changed.size > maxChanges ? undefined : [...changed]
    },
  }
}
