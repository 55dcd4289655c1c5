import { uptime } from 'node:os'
import { z } from 'zod'
import { isRunning, thisProcess } from '../base/processIdentity.ts'

/** The process that runs a turn. The start time distinguishes it from a later process with the same id. */
export interface Runner {
  pid: number
  /** Start time in ticks since boot, from `/proc`; empty on systems without `/proc`. */
  start: string
  /** Start of the turn in milliseconds since the epoch. */
  since: number
}

export const runnerSchema = z.object({ pid: z.number().int().positive(), start: z.string(), since: z.number() })

/** Returns this process as the runner of a turn that starts now. */
export function currentRunner(): Runner {
  return { ...thisProcess(), since: Date.now() }
}

/** Whether the runner of a turn is another live process on this machine. */
export function runsElsewhere(runner: Runner | undefined): runner is Runner {
  if (runner === undefined || runner.pid === process.pid) return false
  // Process ids are reused after a reboot.
  if (runner.since < Date.now() - uptime() * 1000) return false
  return isRunning(runner)
}
