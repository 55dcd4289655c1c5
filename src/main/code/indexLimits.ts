/** What the index's process may take before its watchdog thread (indexWatchdog.ts) ends it. */
export interface WatchdogLimits {
  /** Milliseconds of processor time that reading one file may take. Not of the clock: the machine may be busy. */
  fileCpu: number
  /** The same for one request. */
  requestCpu: number
  /** Bytes of memory. Grammars allocate outside V8's heap, which has a limit of its own. */
  memory: number
}

export const defaultLimits: WatchdogLimits = { fileCpu: 10_000, requestCpu: 60_000, memory: 3 * 1024 ** 3 }
