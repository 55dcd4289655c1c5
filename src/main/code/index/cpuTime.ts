/**
 * Returns a function that reports whether this thread has used more than `milliseconds` of processor time since this
 * call. Unaffected by load from other processes. Cheap to call.
 */
export function createCpuLimit(milliseconds: number): () => boolean {
  const deadline = performance.now() + milliseconds
  const before = threadCpuMilliseconds()
  // Processor time never exceeds elapsed time, and the clock is cheaper to read.
  return () => performance.now() > deadline && threadCpuMilliseconds() - before > milliseconds
}

function threadCpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
