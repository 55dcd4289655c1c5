import { readFileSync } from 'node:fs'

/** Identifies a process. The start time distinguishes it from a later process with the same id. */
export interface ProcessIdentity {
  pid: number
  /** Start time in ticks since boot, from `/proc`; empty on systems without `/proc`. */
  start: string
}

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  return processOf(process.pid)
}

/** Returns the identity of the process that has this id now. */
export function processOf(pid: number): ProcessIdentity {
  return { pid, start: startOf(pid) }
}

/** Whether exactly this process still runs on this machine. */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return isAlive(pid) && startOf(pid) === start
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Reads the 22nd field of `/proc/PID/stat` (proc(5)). Synchronous, because it is kernel memory and not a file on disk.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, a name in parentheses, may contain anything. The third field follows the last parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // No /proc on this system, or no such process.
    return ''
  }
}
