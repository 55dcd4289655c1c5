import { readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { freemem } from 'node:os'
import type { Job } from './job.ts'
import { processUsage } from './processTree.ts'
import type { CommandLimits } from './sandbox/cgroupLimits.ts'

/** Interval of checks while commands run, in milliseconds. */
const interval = 400

/** Ends commands that exceed the limits. */
export interface LimitWatchdog {
  /** Watches the running commands until all have ended. */
  watch(): void
  stop(): void
}

/**
 * Checks how many processes and how much memory commands use. Measures each command only after the totals of the
 * machine have grown considerably since the first command started, because measuring a command takes much longer. Linux
 * only.
 */
export function createLimitWatchdog(commands: () => Job[], limits: () => CommandLimits): LimitWatchdog {
  let timer: NodeJS.Timeout | undefined
  /**
   * Smallest number of processes on the machine, and largest amount of free memory, since the first command started.
   */
  let fewest = 0
  let mostFree = 0

  async function look(): Promise<void> {
    const running = commands().filter((job) => !job.ended)
    if (running.length === 0) return stop()
    const { processes, memory } = limits()
    const count = countProcesses(await readdir('/proc'))
    const free = freemem()
    fewest = Math.min(fewest, count)
    mostFree = Math.max(mostFree, free)
    if (count - fewest > processes / 2 || mostFree - free > memory / 2) {
      const usage = await processUsage(running.map(({ pid }) => pid))
      for (const job of running) {
        const used = usage.get(job.pid)
        if (used !== undefined && used.processes > processes) void job.end('processes')
        else if (used !== undefined && used.memory > memory) void job.end('memory')
      }
    }
    timer = setTimeout(next, interval).unref()
  }

  function next(): void {
    // /proc can fail for a moment when the machine has too many processes. The next check tries again.
    look().catch(() => {
      timer = setTimeout(next, interval).unref()
    })
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  return {
    watch() {
      if (process.platform !== 'linux' || timer !== undefined) return
      // Synchronous, since a fork bomb has started all its processes by the next turn.
      fewest = countProcesses(readdirSync('/proc'))
      mostFree = freemem()
      timer = setTimeout(next, interval).unref()
    },
    stop,
  }
}

function countProcesses(names: readonly string[]): number {
  return names.filter((name) => /^\d+$/.test(name)).length
}
