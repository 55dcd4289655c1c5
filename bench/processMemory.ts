import { readdir, readFile } from 'node:fs/promises'

/** Returns the proportional set size of a process and each descendant, in MB (Linux). */
export async function processMemory(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    // The name in parentheses can contain spaces. The parent is the second field after it.
    if (stat !== '') parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  const sizes = await Promise.all(
    tree.map(async (pid) => {
      // A process that has just ended has no file, or an empty one.
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      const size = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]
      return size === undefined ? [] : [Number(size) / 1024]
    }),
  )
  return sizes.flat()
}
