/**
 * Waits at most `ms` milliseconds for a promise. Does not cancel the work behind it.
 * @param late result after the timeout
 */
export async function raceTimeout<T, L = undefined>(promise: Promise<T>, ms: number, late?: L): Promise<T | L>
export async function raceTimeout<T>(promise: Promise<T>, ms: number, late?: unknown): Promise<unknown> {
  const { promise: timeout, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ms, late)
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}
