/** Limits above which the watchdog thread (indexWatchdog.ts) ends the index process. */
export interface WatchdogLimits {
  /** Milliseconds of processor time for reading one file. Elapsed time would depend on the load. */
  fileCpu: number
  /** Milliseconds of processor time for one request. */
  requestCpu: number
  /** Bytes of memory. Grammars allocate outside the V8 heap, which has its own limit. */
  memory: number
}

export const defaultLimits: WatchdogLimits = { fileCpu: 10_000, requestCpu: 60_000, memory: 3 * 1024 ** 3 }

/** Maximum size of an indexed file, in bytes on disk or UTF-16 units. Larger files are mostly generated or data. */
export const maxFileSize = 1024 * 1024

/** Truncates a text that is too large to just above the limit, so that it remains too large but is cheap to send. */
export function truncateForIndex(text: string): string {
  return text.length > maxFileSize ? text.slice(0, maxFileSize + 1) : text
}
