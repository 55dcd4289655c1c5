/**
 * Whether this thread has worked longer than so many milliseconds since this call. Counts processor time: on a busy machine the clock runs
 * on while nothing is done. Cheap enough to ask often.
 */
export function createCpuLimit(milliseconds: number): () => boolean {
  const deadline = performance.now() + milliseconds
  const before = threadCpuMilliseconds()
  // A thread cannot have worked longer than the clock ran, and the clock costs less.
  return () => performance.now() > deadline && threadCpuMilliseconds() - before > milliseconds
}

function threadCpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
