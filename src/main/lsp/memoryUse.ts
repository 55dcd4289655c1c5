import { readdirSync, readFileSync } from 'node:fs'
import { runProgram } from '../base/startProcess.ts'

const pageSize = 4096

/**
 * Returns a process's resident memory in bytes; undefined if it has exited or cannot be measured. On Linux includes its
 * descendants, because a sandboxed server runs below its launcher.
 */
export async function memoryOf(pid: number): Promise<number | undefined> {
  try {
    if (process.platform === 'linux') return memoryOfTree(pid)
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

/** Synchronous, because it is kernel memory and not files on disk, of which asynchronous reads take much longer. */
function memoryOfTree(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOf(pid, thread))
  return children.reduce((sum, child) => sum + memoryOfChild(child), pages * pageSize)
}

function childrenOf(pid: number, thread: string): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
    return list.split(' ').flatMap((id) => (id === '' ? [] : Number(id)))
  } catch {
    return [] // The thread has exited.
  }
}

function memoryOfChild(pid: number): number {
  try {
    return memoryOfTree(pid)
  } catch {
    return 0 // It has exited.
  }
}
