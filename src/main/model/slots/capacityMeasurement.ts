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

/** Minimum time for which a request waited for another one, in milliseconds. Below it, reading the prompt may be why. */
const minWaitMs = 1000
/** How many times longer it waited for the other one than it took after that one's end. */
const minRatio = 2
/** Number of requests in a row that have to show the same. */
const minSame = 3
/** Number of recent requests that are compared. */
const recent = 8
/** A measurement is repeated after this time, because the server may have been restarted. In milliseconds. */
const validMs = 600_000
/** Until one request more than measured is let through, which may prove that the server answers more. In milliseconds. */
const probeMs = 10_000

interface Running {
  since: number
  isAnswering: boolean
  /** When another answer last ended while this request waited for its own. */
  otherEnded?: number
}

const unknown = { capacity: Infinity, until: 0, probeAt: 0 }

export function createCapacityMeasurement(): CapacityMeasurement {
  /** In the order in which they were sent. */
  const active = new Set<Running>()
  let found = { ...unknown }
  /** The capacity that the last requests showed, and how many of them. */
  let shown = { capacity: 0, times: 0 }
  /** Capacities that recent requests proved. */
  let proved: number[] = []
  /** Milliseconds until the first token of recent requests during which no other answer ended. */
  let usual: number[] = []

  function began(own: Running): void {
    own.isAnswering = true
    const now = Date.now()
    // Servers take requests in order, so those that were sent before and still run have their place too.
    const places = [...active].indexOf(own) + 1
    proved = [...proved.slice(1 - recent), places]
    if (places > found.capacity) found = { ...found, capacity: places, probeAt: now }
    if (own.otherEnded === undefined) {
      usual = [...usual.slice(1 - recent), now - own.since]
      return
    }
    const waited = own.otherEnded - own.since
    const isShort = waited < minWaitMs || waited < minRatio * (now - own.otherEnded) || waited < Math.max(...usual)
    if (isShort || places < Math.max(...proved)) return
    shown = { capacity: places, times: shown.capacity === places ? shown.times + 1 : 1 }
    if (shown.times >= minSame && now >= found.until)
      found = { capacity: places, until: now + validMs, probeAt: now + probeMs }
  }

  return {
    capacity() {
      const now = Date.now()
      if (now >= found.until) return Infinity
      return found.capacity + (now >= found.probeAt ? 1 : 0)
    },
    begin() {
      const own: Running = { since: Date.now(), isAnswering: false }
      active.add(own)
      if (active.size > found.capacity) found.probeAt = own.since + probeMs
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
      found = { ...unknown }
      shown = { capacity: 0, times: 0 }
      proved = []
      usual = []
    },
  }
}
