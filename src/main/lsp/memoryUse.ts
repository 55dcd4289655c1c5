import { readdir, readFile } from 'node:fs/promises'
import { runProgram } from '../base/startProcess.ts'

const pageSize = 4096

/**
 * Returns a process's resident memory in bytes; undefined if it has exited or cannot be measured. On Linux includes its
 * descendants, because a sandboxed server runs below its launcher.
 */
export async function memoryOf(pid: number): Promise<number | undefined> {
  try {
    if (process.platform === 'linux') return await memoryOfTree(pid)
    // On Windows only the heap limit of JavaScript servers applies.
    if (process.platform === 'win32') return undefined
    const { stdout } = await runProgram('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: 2000 })
    const kilobytes = Number(stdout.trim())
    return kilobytes > 0 ? kilobytes * 1024 : undefined
  } catch {
    // The process has exited.
    return undefined
  }
}

async function memoryOfTree(pid: number): Promise<number> {
  const pages = Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1])
  const threads = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.flatMap((list) => list.split(' ').filter((id) => id !== ''))
  // A child that has exited in the meantime uses nothing.
  const below = await Promise.all(children.map((child) => memoryOfTree(Number(child)).catch(() => 0)))
  return pages * pageSize + below.reduce((sum, bytes) => sum + bytes, 0)
}
