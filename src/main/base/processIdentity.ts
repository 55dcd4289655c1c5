import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

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

/**
 * Returns eight hexadecimal digits that identify the machine or container whose process ids this process sees. A file
 * on a shared disk with the same digits was written here.
 */
export function thisMachine(): string {
  machine ??= createHash('sha256').update(`${hostname()}\n${processNamespace()}`).digest('hex').slice(0, 8)
  return machine
}

let machine: string | undefined

/** Synchronous for the same reason as `startOf`. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // No /proc.
    return ''
  }
}

/** Whether exactly this process is still running on this machine. */
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
    // No /proc, or no such process.
    return ''
  }
}

/**
 * Returns a warning if the process runs as root. Undefined for other users, on Windows, and if the user set
 * `TIZONA_ALLOW_ROOT`, for example in a container.
 */
export function rootWarning(user = process.getuid?.(), allowed = process.env['TIZONA_ALLOW_ROOT']): string | undefined {
  if (user !== 0 || (allowed !== undefined && allowed !== '')) return undefined
  return 'Tizona is running as root. Programs outside the sandbox can change the whole system. Start it as an ordinary user, or set TIZONA_ALLOW_ROOT=1 if root is intended, for example in a container.'
}
