import { readdir, readFile } from 'node:fs/promises'
import { arch, platform } from 'node:process'

/** Numbers of the system calls that open a file. */
const openCalls: Partial<Record<NodeJS.Architecture, readonly string[]>> = { x64: ['2', '257'], arm64: ['56'] }
/** How long a process may wait until a file opens, in checks. */
const maxChecks = 3

/**
 * Watches whether a process waits for a file to open: a pipe without a writer, which can have the name of an ignore
 * file, lets it wait forever. Only on Linux.
 * @param onStuck called once
 * @param intervalMs time between two checks
 * @returns a function that stops watching
 */
export function watchOpening(pid: number | undefined, onStuck: () => void, intervalMs = 4000): () => void {
  const calls = openCalls[arch]
  if (platform !== 'linux' || calls === undefined || pid === undefined) return () => undefined
  /** Checks in which a thread was in the same call. */
  let waiting = new Map<string, number>()
  let stopped = false
  let timer: NodeJS.Timeout

  const check = async (): Promise<void> => {
    const now = await openingThreads(pid, calls)
    if (stopped) return
    waiting = new Map(now.map((thread) => [thread, (waiting.get(thread) ?? 0) + 1]))
    if ([...waiting.values()].some((checks) => checks >= maxChecks)) onStuck()
    else schedule()
  }
  const schedule = (): void => {
    timer = setTimeout(() => void check(), intervalMs).unref()
  }
  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Returns the threads that are in such a call, each with the call's arguments and stack (proc_pid_syscall(5)). */
async function openingThreads(pid: number, calls: readonly string[]): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch((): string[] => [])
  const found = await Promise.all(
    threads.map(async (thread) => {
      const call = await readFile(`/proc/${pid}/task/${thread}/syscall`, 'utf8').catch(() => '')
      return calls.includes(call.split(' ', 1)[0] ?? '') ? [`${thread} ${call}`] : []
    }),
  )
  return found.flat()
}
