/** Limits above which the watchdog thread (indexWatchdog.ts) ends the index process. */
export interface WatchdogLimits {
  /** Milliseconds of processor time for reading one file. Not elapsed time, which depends on the load. */
  fileCpu: number
  /** Milliseconds of processor time for one request. */
  requestCpu: number
  /** Bytes of memory. Grammars allocate outside the V8 heap, which has its own limit. */
  memory: number
}

export const defaultLimits: WatchdogLimits = { fileCpu: 10_000, requestCpu: 60_000, memory: 3 * 1024 ** 3 }

/**
 * UTF-16 units of a text, or bytes of a file. Larger files are mostly generated or data; they are only searchable as
 * text.
 */
export const maxFileSize = 1024 * 1024

/** Truncates a text above the limit to just over it, since its length alone excludes it from the index. */
export function truncateForIndex(text: string): string {
  return text.length > maxFileSize ? text.slice(0, maxFileSize + 1) : text
}
