import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { z } from 'zod'

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
  return { pid: process.pid, start: startOf(process.pid), since: Date.now() }
}

/** Whether a turn is still run by another process of this machine. */
export function runsElsewhere(runner: Runner | undefined): runner is Runner {
  if (runner === undefined || runner.pid === process.pid) return false
  // Ids start anew with the machine.
  if (runner.since < Date.now() - uptime() * 1000) return false
  return isAlive(runner.pid) && startOf(runner.pid) === runner.start
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The 22nd field of `/proc/PID/stat` (proc(5)). Read at once: a line of memory, not a file on a disk. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, a name in brackets, may hold anything; the third follows it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // No /proc here, or no such process.
    return ''
  }
}
