import { uptime } from 'node:os'
import { z } from 'zod'
import { isRunning, thisProcess } from '../base/processIdentity.ts'

/** The process that runs a turn, told apart from a later one of the same id by when it started. */
export interface Runner {
  pid: number
  /** What `/proc` says of the start of the process, in ticks since boot; empty where there is no `/proc`. */
  start: string
  /** When the turn began, in milliseconds since 1970. */
  since: number
}

export const runnerSchema = z.object({ pid: z.number().int().positive(), start: z.string(), since: z.number() })

/** This process, beginning a turn now. */
export function thisRunner(): Runner {
  return { ...thisProcess(), since: Date.now() }
}

/** Whether a turn is still run by another process of this machine. */
export function runsElsewhere(runner: Runner | undefined): runner is Runner {
  if (runner === undefined || runner.pid === process.pid) return false
  // Ids start anew with the machine.
  if (runner.since < Date.now() - uptime() * 1000) return false
  return isRunning(runner)
}
