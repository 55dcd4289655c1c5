import { readFileSync } from 'node:fs'

/** A process, told apart from a later one with the same id by when it started. */
export interface ProcessIdentity {
  pid: number
  /** Start of the process in ticks since boot, from `/proc`; empty where there is no `/proc`. */
  start: string
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  return processOf(process.pid)
}

/** The process that has this id now. */
export function processOf(pid: number): ProcessIdentity {
  return { pid, start: startOf(pid) }
}

/** Whether that very process still runs on this machine. */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return isAlive(pid) && startOf(pid) === start
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The 22nd field of `/proc/PID/stat` (proc(5)). Read synchronously: it is a line of kernel memory, not a file on a disk. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, a name in brackets, may contain anything; the third field follows the last bracket.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // There is no /proc on this system, or no such process.
    return ''
  }
}
