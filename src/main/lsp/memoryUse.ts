import { readFile } from 'node:fs/promises'
import { runProgram } from '../base/programSearch.ts'

const pageSize = 4096

/** Returns the resident memory of a process in bytes; undefined if it has ended or cannot be measured. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  try {
    if (process.platform === 'linux') {
      const pages = Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1])
      return Number.isFinite(pages) ? pages * pageSize : undefined
    }
    // On Windows only the heap limit of JavaScript servers applies.
    if (process.platform === 'win32') return undefined
    const { stdout } = await runProgram('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: 2000 })
    const kilobytes = Number(stdout.trim())
    return kilobytes > 0 ? kilobytes * 1024 : undefined
  } catch {
    // The process has ended.
    return undefined
  }
}
