import { workerData } from 'node:worker_threads'
import { threadEndChannel } from './childProcess.ts'
import type { WatchdogLimits } from './indexLimits.ts'
import { activityKinds, stateSlots, writeReason } from './indexProgress.ts'

// A thread of the index process that ends the process when its main thread no longer comes back: from a text that the parser reads in
// quadratic time and that cannot be stopped, from a request, after its parent has gone, or when it takes too much memory.

/** Given by indexProcess.ts. */
export interface WatchdogData {
  state: Int32Array
  progressFile: string
  limits: WatchdogLimits
  /** Set where the index runs in a thread of the application's process (childProcess.ts, forkThread): only the thread is ended then. */
  threadId?: number
}

/** Milliseconds between two looks while something runs, and while nothing does. */
const interval = 250
const idleInterval = 5000

const cpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function watch({ state, progressFile, limits, threadId }: WatchdogData): void {
  const parent = process.ppid
  let count = -1
  let since = cpu()
  for (;;) {
    const now = Atomics.load(state, stateSlots.count)
    const kind = Atomics.load(state, stateSlots.kind)
    if (now !== count) {
      count = now
      since = cpu()
    }
    const reason = reasonToEnd(kind, cpu() - since, limits, threadId === undefined, process.ppid !== parent)
    if (reason !== undefined) return end(progressFile, reason, threadId)
    // The start of the next activity wakes it.
    if (kind === activityKinds.idle) Atomics.wait(state, stateSlots.count, now, idleInterval)
    Atomics.wait(state, stateSlots.never, 0, interval)
  }
}

function reasonToEnd(
  kind: number,
  spent: number,
  limits: WatchdogLimits,
  ownProcess: boolean,
  orphaned: boolean,
): string | undefined {
  if (orphaned) return 'Tizona has ended'
  if (kind === activityKinds.file && spent > limits.fileCpu)
    return `reading it took more than ${limits.fileCpu / 1000} s of processor time`
  if (kind === activityKinds.request && spent > limits.requestCpu)
    return `it took more than ${limits.requestCpu / 1000} s of processor time`
  if (ownProcess && process.memoryUsage.rss() > limits.memory)
    return `it took more than ${Math.round(limits.memory / 1024 ** 2)} MB of memory`
  return undefined
}

function end(progressFile: string, reason: string, threadId: number | undefined): void {
  writeReason(progressFile, reason)
  // Nothing gentler ends a process whose main thread does not come back.
  if (threadId === undefined) process.kill(process.pid, 'SIGKILL')
  else new BroadcastChannel(threadEndChannel(threadId)).postMessage('end')
}

// Given by indexProcess.ts, which is the only one to start this file.
watch(workerData as WatchdogData)
