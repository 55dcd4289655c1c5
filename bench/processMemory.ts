import { readdir, readFile } from 'node:fs/promises'

/** Clock ticks a second in /proc/PID/stat (USER_HZ), which Linux fixes for programs. */
const ticks = 100

/** Returns the proportional set size of a process and each descendant, in MB (Linux). */
export async function processMemory(root: number): Promise<number[]> {
  const sizes = await Promise.all(
    [...(await processTree(root)).keys()].map(async (pid) => {
      // A process that has just ended has no file, or an empty one.
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      const size = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]
      return size === undefined ? [] : [Number(size) / 1024]
    }),
  )
  return sizes.flat()
}

/** Returns the processor time of a process and all its descendants so far, also of those that ended, in seconds (Linux). */
export async function processorTime(root: number): Promise<number> {
  // From proc_pid_stat(5): utime, stime, and both of children that ended.
  const times = [...(await processTree(root)).values()].map((fields) => fields.slice(11, 15).map(Number))
  return times.flat().reduce((sum, time) => sum + time, 0) / ticks
}

/** Returns the fields of /proc/PID/stat from the state on, of a process and all its descendants. */
async function processTree(root: number): Promise<Map<number, readonly string[]>> {
  const all = new Map<number, readonly string[]>()
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    // The name in parentheses can contain spaces.
    if (stat !== '') all.set(Number(name), stat.slice(stat.lastIndexOf(')') + 2).split(' '))
  }
  const pids = [root]
  for (const pid of pids) for (const [child, [, parent]] of all) if (Number(parent) === pid) pids.push(child)
  return new Map(pids.map((pid) => [pid, all.get(pid) ?? []]))
}
