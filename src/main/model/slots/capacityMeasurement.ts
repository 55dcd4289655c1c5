/**
 * Measures how many requests a server answers at the same time, for servers that do not report it: a request that
 * receives nothing until another answer has ended had to wait for that one.
 */
export interface CapacityMeasurement {
  /** Returns the measured number; `Infinity` while it is unknown. */
  capacity(): number
  /** Begins a request. */
  begin(): Observation
  forget(): void
}

interface Observation {
  /** Call it when the answer begins or continues. */
  answers(): void
  end(): void
}

/**
 * Minimum wait of a request for another one, in milliseconds. A shorter wait may just be the time to read the prompt.
 */
const minWaitMs = 1000
/** A request must have waited this many times longer than it took after the other one had ended. */
const minRatio = 2
/** Number of requests in a row that must agree. */
const minSame = 2
/** A measurement is repeated after this time, because the server may have been restarted. In milliseconds. */
const validMs = 600_000

interface Running {
  since: number
  isAnswering: boolean
  /** When another answer last ended while this request waited for its own. */
  otherEnded?: number
}

export function createCapacityMeasurement(): CapacityMeasurement {
  const active = new Set<Running>()
  let found = { capacity: Infinity, until: 0 }
  /** The capacity that the last requests showed, and how many of them. */
  let shown = { capacity: 0, times: 0 }

  function began(own: Running): void {
    own.isAnswering = true
    const atOnce = [...active].filter(({ isAnswering }) => isAnswering).length
    if (own.otherEnded === undefined) {
      // It was answered beside the others at once.
      if (atOnce > 1) shown = { capacity: 0, times: 0 }
      if (atOnce > found.capacity) found = { ...found, capacity: atOnce }
      return
    }
    const waited = own.otherEnded - own.since
    if (waited < minWaitMs || waited < minRatio * (Date.now() - own.otherEnded)) return
    shown = { capacity: atOnce, times: shown.capacity === atOnce ? shown.times + 1 : 1 }
    if (shown.times >= minSame) found = { capacity: atOnce, until: Date.now() + validMs }
  }

  return {
    capacity: () => (Date.now() < found.until ? found.capacity : Infinity),
    begin() {
      const own: Running = { since: Date.now(), isAnswering: false }
      active.add(own)
      return {
        answers: () => {
          if (!own.isAnswering) began(own)
        },
        end: () => {
          active.delete(own)
          if (!own.isAnswering) return
          for (const other of active) if (!other.isAnswering) other.otherEnded = Date.now()
        },
      }
    },
    forget() {
      found = { capacity: Infinity, until: 0 }
      shown = { capacity: 0, times: 0 }
    },
  }
}
