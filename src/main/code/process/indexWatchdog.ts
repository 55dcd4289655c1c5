import { workerData } from 'node:worker_threads'
import { threadEndChannel } from '../../base/childProcess.ts'
import type { WatchdogLimits } from '../index/indexLimits.ts'
import { activityKinds, stateSlots, writeReason } from '../index/indexProgress.ts'

// Thread that ends the index process if its main thread hangs (text with quadratic parse time, slow request), if its
// parent has exited, or if it uses too much memory.

/** Passed by indexProcess.ts. */
export interface WatchdogData {
  state: Int32Array
  progressFile: string
  limits: WatchdogLimits
  /** Process id of the parent, read at startup because the parent may exit before this thread runs. */
  parent: number
  /** Set if the index runs in a thread (`forkThread` in childProcess.ts). Then only the thread is ended. */
  threadId?: number
}

/** Milliseconds between checks while active, and while idle. */
const interval = 250
const idleInterval = 5000

const cpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function watch({ state, progressFile, limits, parent, threadId }: WatchdogData): void {
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
    // The next activity wakes this thread.
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
    return `it used more than ${limits.requestCpu / 1000} s of processor time`
  if (ownProcess && process.memoryUsage.rss() > limits.memory)
    return `it used more than ${Math.round(limits.memory / 1024 ** 2)} MB of memory`
  return undefined
}

function end(progressFile: string, reason: string, threadId: number | undefined): void {
  writeReason(progressFile, reason)
  // A hung main thread cannot handle a softer signal.
  if (threadId === undefined) process.kill(process.pid, 'SIGKILL')
  else new BroadcastChannel(threadEndChannel(threadId)).postMessage('end')
}

// Passed by indexProcess.ts, the only file that starts this one.
watch(workerData as WatchdogData)
