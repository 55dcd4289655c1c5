import { log } from './log/log.ts'

/** Milliseconds between checks. */
const interval = 10_000
/** Processor share below which the process is idle. Streaming or searching uses more. */
const maxIdleShare = 0.02
/** Growth in bytes since the last collection that justifies a pause. */
const minGrowth = 48 * 1024 * 1024

export interface IdleMemoryDeps {
  /** Returns the processor time of this process in milliseconds. */
  cpuTime(): number
  /** Returns the resident memory of this process in bytes. */
  memory(): number
  /** Collects all garbage and returns free memory to the system. */
  collect(): Promise<void>
}

/**
 * Returns unused memory to the system. V8 collects when a program allocates, so an idle process keeps its garbage,
 * such as the copies of a 50 MB file. A collection blocks the process for some tenths of a second, so it runs only
 * when the process is idle.
 * @returns a function that stops the checks
 */
export function returnIdleMemory({ cpuTime, memory, collect }: IdleMemoryDeps = thisProcess): () => void {
  let cpu = cpuTime()
  /** Memory after the last collection, lowered if the process has shrunk since. */
  let least = 0
  const timer = setInterval(() => {
    const used = cpuTime() - cpu
    cpu += used
    const now = memory()
    least = Math.min(least, now)
    if (used > interval * maxIdleShare || now - least < minGrowth) return
    collect().then(
      () => {
        least = memory()
        cpu = cpuTime()
      },
      (error: unknown) => {
        // It would fail again, for example in a Node without inspector.
        clearInterval(timer)
        log.warn('The memory of an idle process could not be returned.', error)
      },
    )
  }, interval)
  timer.unref()
  return () => clearInterval(timer)
}

const thisProcess: IdleMemoryDeps = {
  cpuTime() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  memory: () => process.memoryUsage.rss(),
  collect: collectGarbage,
}

/** Collects all garbage of this thread and returns free memory to the system. Blocks the thread meanwhile. */
export async function collectGarbage(): Promise<void> {
  // The inspector needs no V8 flag. Changed flags would invalidate compiled modules.
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}
