/** Maximum number of changed entries in an answer. Listing folders is faster than looking for more of them. */
const maxChanges = 100
/** Maximum number of remembered changes. */
const maxRemembered = 10_000

/** Remembers which entries have changed, by times that are not those of a clock. */
export interface ChangeLog {
  /** Returns the time of the last change. */
  time(): number
  add(place: string): void
  /** Changes before now are no longer known. */
  forget(): void
  /**
   * Returns the entries that changed since a time, and `others`. Undefined if they are unknown or too many.
   */
  since(time: number, others: Iterable<string>): string[] | undefined
}

export function createChangeLog(): ChangeLog {
  /** Changed entries with the time of their last change, in this order. */
  const changes = new Map<string, number>()
  // Later than all times of an earlier log.
  let time = Number(process.hrtime.bigint() / 1000n)
  /** Changes before this time are not known. */
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
