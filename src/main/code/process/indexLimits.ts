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

/** UTF-16 units of a text, bytes of a file. Larger files are mostly generated or data; they stay searchable text. */
export const maxFileSize = 1024 * 1024

/** What the index's process needs of a text: of one that it leaves out for its length no more than shows the length. */
export function truncateForIndex(text: string): string {
  return text.length > maxFileSize ? text.slice(0, maxFileSize + 1) : text
}
