import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Limits of one command. */
export interface CommandLimits {
  /** Maximum number of processes. */
  processes: number
  /** Maximum memory of all its processes in bytes. */
  memory: number
}

/** The kernel counts threads as processes, and a program can have dozens. */
export const threadsPerProcess = 4

/** A cgroup for one command. */
export interface CommandCgroup {
  /** File to which the launching shell writes its process id. */
  file: string
  remove(): Promise<void>
}

/**
 * Creates a cgroup with limits next to the cgroup of this process. Requires cgroup v2, and that the user may create
 * groups that limit memory and processes, as under systemd.
 * @returns undefined if that is not possible
 */
export async function createCgroup(
  limits: CommandLimits,
  root = '/sys/fs/cgroup',
  own = '/proc/self/cgroup',
): Promise<CommandCgroup | undefined> {
  try {
    const name = /^0::(\/.+)$/m.exec(await readFile(own, 'utf8'))?.[1]
    if (name === undefined) return undefined
    const parent = path.dirname(path.join(root, name))
    const controllers = (await readFile(path.join(parent, 'cgroup.subtree_control'), 'utf8')).trim().split(' ')
    if (!controllers.includes('pids') || !controllers.includes('memory')) return undefined
    const folder = path.join(parent, `tizona-command-${randomBytes(6).toString('hex')}`)
    await mkdir(folder)
    try {
      await writeFile(path.join(folder, 'pids.max'), String(limits.processes * threadsPerProcess))
      await writeFile(path.join(folder, 'memory.max'), String(limits.memory))
    } catch (error) {
      await rmdir(folder)
      throw error
    }
    return { file: path.join(folder, 'cgroup.procs'), remove: () => removeCgroup(folder) }
  } catch {
    return undefined // no cgroup v2, or not permitted; the watchdog limits the command
  }
}

/** The command's last processes may still be exiting. */
async function removeCgroup(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      return await rmdir(folder)
    } catch {
      await sleep(50)
    }
  }
}
